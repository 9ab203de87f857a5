import { Worker } from 'node:worker_threads';

/**
 * Runs in a thread of its own, so that it goes on while the event loop is blocked. As text and not as a file, because
 * bundlers would lose the file.
 *
 * Two cells are shared: how often it was fed, and how long it is to wait from then on (negative: for nothing any more).
 * They are read in this order and written in the other one: a wait with an old time and a new count ends at once.
 *
 * Its last words must not keep it from its deed: nobody may be there to read them, and a reader who is too slow may be the
 * very reason why the event loop is blocked. Hence a way of its own to where errors go, one that does not wait; files
 * never do.
 */
const code = `
const { workerData: { cells, message } } = require('node:worker_threads');
const { constants: { O_NONBLOCK, O_WRONLY }, fstatSync, openSync, writeSync } = require('node:fs');
const say = () => {
  let to = 2;
  try { if (!fstatSync(2).isFile()) to = openSync('/dev/stderr', O_WRONLY | O_NONBLOCK); } catch {}
  try { writeSync(to, message + '\\n'); } catch {}
};
for (;;) {
  const fed = Atomics.load(cells, 0);
  const patienceMs = Atomics.load(cells, 1);
  if (patienceMs < 0) break;
  if (Atomics.wait(cells, 0, fed, patienceMs) !== 'timed-out') continue;
  say();
  process.kill(process.pid, 'SIGKILL');
}
`;

/**
 * Ends the process with SIGKILL unless it is fed in time. Nothing gentler works: code that blocks the event loop would
 * keep every handler of a signal from running, and would do its harm right after.
 */
export class Watchdog {
  readonly #cells = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker: Worker;

  constructor(message: string, patienceMs: number) {
    this.feed(patienceMs);
    this.#worker = new Worker(code, { eval: true, execArgv: [], workerData: { cells: this.#cells, message } });
    this.#worker.on('error', (error) => process.emitWarning(`the watchdog of a leader has died: ${error.message}`));
    this.#worker.unref();
  }

  /** Is content for so long. */
  feed(patienceMs: number): void {
    Atomics.store(this.#cells, 1, Math.max(0, Math.floor(patienceMs)));
    this.#wake();
  }

  /** Sends it home. */
  async stop(): Promise<void> {
    Atomics.store(this.#cells, 1, -1);
    this.#wake();
    await this.#worker.terminate();
  }

  #wake(): void {
    Atomics.add(this.#cells, 0, 1);
    Atomics.notify(this.#cells, 0);
  }
}
