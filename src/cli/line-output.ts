import type { Clock, Timer } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import type { OutputStream } from './command.js';

/** More than this is written at once, whether or not the turn is over. */
const flushAtLength = 64 * 1024;

/** Lines for a stream, written together once per turn of the event loop: a call of the system per line costs too much. */
export class LineOutput {
  readonly #stream: OutputStream;
  readonly #clock: Clock;
  #lines: string[] = [];
  #length = 0;
  #timer: Timer | undefined;
  #drained: Promise<void> | undefined;
  /** Called before something is written: to make room on a terminal that shows something else as well. */
  beforeWrite: (() => void) | undefined;

  constructor(stream: OutputStream, clock: Clock = realClock) {
    this.#stream = stream;
    this.#clock = clock;
  }

  /** Takes a line. The promise, if there is one, asks to wait: the reader is behind. */
  write(line: string): Promise<void> | undefined {
    this.#lines.push(line, '\n');
    this.#length += line.length + 1;
    if (this.#length >= flushAtLength) this.flush();
    else this.#timer ??= this.#clock.defer(() => this.flush());
    return this.#drained;
  }

  /** Hands everything to the stream, now. */
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

  /** A stream that has broken is as good as one that has room: nothing is to be waited for any more. */
  #drain(): Promise<void> | undefined {
    const { once, off } = this.#stream;
    if (once === undefined || off === undefined) return undefined;
    return new Promise((resolve) => {
      const ways = ['drain', 'error', 'close'] as const;
      const done = () => {
        for (const way of ways) off.call(this.#stream, way, done);
        this.#drained = undefined;
        resolve();
      };
      for (const way of ways) once.call(this.#stream, way, done);
    });
  }
}
