// The thread that converts a large YAML text: see yaml-to-json.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { convertYaml } from './convert-yaml.js';

parentPort?.postMessage(convertYaml(workerData));
