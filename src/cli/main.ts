#!/usr/bin/env node
import { run } from './run.js';
import { runInProcess } from './run-in-process.js';

await runInProcess(run);
