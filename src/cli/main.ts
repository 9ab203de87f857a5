#!/usr/bin/env node
import { run } from './run.js';

const controller = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // Whoever asks twice does not want to wait.
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Error(`received ${name}`));
  });
}
process.exitCode = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  signal: controller.signal,
});
