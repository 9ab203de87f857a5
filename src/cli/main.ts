#!/usr/bin/env node
import { terminationSignal } from '../time/termination-signal.js';
import { run } from './run.js';

process.exitCode = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  signal: terminationSignal(),
});
