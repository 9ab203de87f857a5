import type { Worker } from 'node:worker_threads';

/**
 * Runs in a worker thread, which goes on while the event loop of the main thread is blocked. It is a string because bundlers
 * would lose a file.
 *
 * Two cells are shared: the number of `extend` calls, and the timeout from the last call on (negative: exit). The thread
 * reads them in this order and the main thread writes them in the other, so that a wait with an old timeout and a new count
 * ends at once.
 *
 * Writing the message must not delay the kill: stderr may be a pipe without a reader, or one whose slow reader is what blocks
 * the event loop. So /dev/stderr is opened again with O_NONBLOCK, unless it is a file.
 */
const code = `
const { workerData: { cells, message } } = require('node:worker_threads');
const { constants: { O_NONBLOCK, O_WRONLY }, fstatSync, openSync, writeSync } = require('node:fs');
const writeMessage = () => {
  let to = 2;
  try { if (!fstatSync(2).isFile()) to = openSync('/dev/stderr', O_WRONLY | O_NONBLOCK); } catch {}
  try { writeSync(to, message + '\\n'); } catch {}
};
for (;;) {
  const calls = Atomics.load(cells, 0);
  const timeoutMs = Atomics.load(cells, 1);
  if (timeoutMs < 0) break;
  if (Atomics.wait(cells, 0, calls, timeoutMs) !== 'timed-out') continue;
  writeMessage();
  process.kill(process.pid, 'SIGKILL');
}
`;

/**
 * Kills the process with SIGKILL unless `extend` is called in time. Other signals do not work: their handlers cannot run while
 * the event loop is blocked.
 */
export class Watchdog {
  readonly #cells = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker: Worker;

  constructor(message: string, timeoutMs: number) {
    this.extend(timeoutMs);
    // Loaded here, since most programs have no watchdog.
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    this.#worker = new Worker(code, { eval: true, execArgv: [], workerData: { cells: this.#cells, message } });
    this.#worker.on('error', (error) =>
      process.emitWarning(`the watchdog thread of a leader failed: ${error.message}`),
    );
    this.#worker.unref();
  }

  /** Restarts the timeout. */
  extend(timeoutMs: number): void {
    Atomics.store(this.#cells, 1, Math.max(0, Math.floor(timeoutMs)));
    this.#wake();
  }

  /** Ends the thread. */
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
