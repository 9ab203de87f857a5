// Runs the program in a worker thread.
import { Worker } from 'node:worker_threads';

const worker = new Worker(new URL('./program.mjs', import.meta.url));
worker.on('exit', (code) => process.exit(code));
worker.on('error', (error) => {
  console.error(error);
  process.exit(1);
});
