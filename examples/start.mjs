// What `npm start` runs: an API server with a living cluster in this process, informers, and the controller beside this file.
import { terminationSignal } from 'kubeflect';
import { runController } from './controller.mjs';
import { demo } from './demo/demo.mjs';

const { stdout, stderr, env } = process;
const ending = new AbortController();
terminationSignal().addEventListener('abort', () => ending.abort(), { once: true });
stdout.on('error', (error) => {
  // The reader closed its end of the pipe, as `head` does: that is no failure.
  if (error.code !== 'EPIPE') throw error;
  ending.abort();
});
const { signal } = ending;
process.exitCode = await demo(process.argv.slice(2), { controller: runController, stdout, stderr, env, signal });
