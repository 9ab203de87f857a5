#!/usr/bin/env node
import { linkSignals } from '../time/signals.js';
import { terminationSignal } from '../time/termination-signal.js';
import { run } from './run.js';

const { stdout, stderr } = process;
const ending = linkSignals([terminationSignal()]);
stdout.on('error', (error: NodeJS.ErrnoException) => {
  // EPIPE: the reader has closed the pipe, as `head` does. That is no failure.
  if (error.code !== 'EPIPE') throw error;
  ending.abort(error);
});
// A closed stderr must not end the command.
stderr.on('error', () => {});
try {
  process.exitCode = await run(process.argv.slice(2), { stdout, stderr, signal: ending.signal });
} finally {
  ending.release();
}
