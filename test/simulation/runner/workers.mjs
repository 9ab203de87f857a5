// Processes that simulate ranges of seeds.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('worker.mjs', import.meta.url));
/** A young generation of this size is collected rarely. The collector's own threads would compete with the other workers. */
const execArgv = ['--max-semi-space-size=32', '--single-threaded-gc', '--enable-source-maps'];
/** A range takes seconds; a failing seed is simulated some hundred times to shrink its plan. */
const silentMs = 10 * 60_000;

/**
 * Has `count` processes work on ranges.
 *
 * @param subject the bundle
 * @param next returns the next message for a worker; undefined: there is no more
 * @param done called with each result; false ends the work
 * @returns the names of figures that the subject requires
 */
export async function work(subject, count, next, done) {
  let isOver = false;
  const required = new Set();
  const one = () =>
    new Promise((resolve, reject) => {
      const child = fork(worker, [subject], { execArgv, stdio: 'inherit' });
      let sent;
      let timer;
      const send = () => {
        clearTimeout(timer);
        sent = isOver ? undefined : next();
        if (sent === undefined) {
          child.disconnect();
          return;
        }
        timer = setTimeout(() => child.kill('SIGKILL'), silentMs);
        child.send(sent);
      };
      child.on('message', (result) => {
        if (result.required !== undefined) for (const name of result.required) required.add(name);
        else if (done(result) === false) isOver = true;
        send();
      });
      child.on('error', reject);
      child.on('exit', (code, signal) => {
        clearTimeout(timer);
        if (sent === undefined) resolve();
        else reject(new Error(`a worker ended (${signal ?? code}) at the seeds ${sent.from} to ${sent.to}`));
      });
    });
  await Promise.all(Array.from({ length: count }, one));
  return required;
}
