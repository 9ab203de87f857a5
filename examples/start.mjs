// What `npm start` runs: an API server with a living cluster in this process, informers, and the controller beside this file.
import { demo } from '../dist/cli/demo/demo.js';
import { runCommand } from '../dist/cli/run-command.js';
import { runInProcess } from '../dist/cli/run-in-process.js';
import { runController } from './controller.mjs';

await runInProcess((args, context) => runCommand(demo(runController), 'npm start --', args, context));
