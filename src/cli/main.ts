#!/usr/bin/env node
import { terminationSignal } from '../time/termination-signal.js';
import { linkSignals } from '../time/wait.js';
import { run } from './run.js';

const ending = linkSignals([terminationSignal()]);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read the output has seen enough, as `head` does: that is no failure.
  if (error.code !== 'EPIPE') throw error;
  ending.abort(error);
});
// Nobody reads what goes wrong: that must not be one more thing that does.
process.stderr.on('error', () => {});

process.exitCode = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  signal: ending.signal,
});
ending.release();
