import type { Clock, Timer } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';
import type { OutputStream } from '../command.js';

/** Buffered text of this length is written without waiting for the end of the turn. */
const flushAtLength = 64 * 1024;

/** Buffers lines and writes them once per turn of the event loop, because a system call per line is slow. */
export class LineOutput {
  readonly #stream: OutputStream;
  readonly #clock: Clock;
  #lines: string[] = [];
  #length = 0;
  #timer: Timer | undefined;
  #drained: Promise<void> | undefined;
  /** Called before each write, to clear a progress line on the same terminal. */
  beforeWrite: (() => void) | undefined;

  constructor(stream: OutputStream, clock: Clock = realClock) {
    this.#stream = stream;
    this.#clock = clock;
  }

  /** Buffers a line. Returns a promise if the stream's buffer is full: await it before the next line. */
  write(line: string): Promise<void> | undefined {
    this.#lines.push(line, '\n');
    this.#length += line.length + 1;
    if (this.#length >= flushAtLength) this.flush();
    else this.#timer ??= this.#clock.defer(() => this.flush());
    return this.#drained;
  }

  /** Writes all buffered lines now. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    this.#length = 0;
    this.beforeWrite?.();
    if (this.#stream.write(text) === false) this.#drained ??= this.#drain();
  }

  /** Resolves on `drain`, and on `error` and `close`, after which no `drain` follows. */
  #drain(): Promise<void> | undefined {
    const { once, off } = this.#stream;
    if (once === undefined || off === undefined) return undefined;
    return new Promise((resolve) => {
      const endings = ['drain', 'error', 'close'] as const;
      const done = () => {
        for (const ending of endings) off.call(this.#stream, ending, done);
        this.#drained = undefined;
        resolve();
      };
      for (const ending of endings) once.call(this.#stream, ending, done);
    });
  }
}
