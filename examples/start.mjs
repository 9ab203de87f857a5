// The program of `npm start`: an API server with a changing cluster, informers, and the controller of controller.mjs.
import { terminationSignal } from 'kubeflect';
import { makeManager } from './controller.mjs';
import { demo } from './demo/demo.mjs';

const { stdout, stderr, env } = process;
const ending = new AbortController();
terminationSignal().addEventListener('abort', () => ending.abort(), { once: true });
stdout.on('error', (error) => {
  // EPIPE: the reader closed the pipe, as `head` does. That is no failure.
  if (error.code !== 'EPIPE') throw error;
  ending.abort();
});
const { signal } = ending;
process.exitCode = await demo(process.argv.slice(2), { manager: makeManager, stdout, stderr, env, signal });
