import type { Clock, Timer } from '../../time/clock.js';
import type { TimedLine } from './container-log.js';
import type { LogLine } from './pod-client.js';

/** How long a line of a followed log waits for older ones of other logs. */
const ORDER_MS = 200;

/** A log, and its next line. */
interface Source {
  readonly lines: AsyncGenerator<TimedLine, void>;
  /** The next line, once it has come, and when it came. */
  next: { readonly line: TimedLine; readonly cameAt: number } | undefined;
  isReading: boolean;
}

/**
 * Merges logs by the times of their lines. It keeps one line of each log: the oldest is yielded when every other log has a line
 * or has ended. A log that is followed may never have another line, so that a line then waits for {@link ORDER_MS} at most.
 */
export class LogMerge {
  readonly #clock: Clock;
  readonly #follow: boolean;
  readonly #sources = new Set<Source>();
  #isOpen = true;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(clock: Clock, follow: boolean) {
    this.#clock = clock;
    this.#follow = follow;
  }

  /** Adds a log, also while {@link lines} runs. */
  add(lines: AsyncGenerator<TimedLine, void>): void {
    this.#sources.add({ lines, next: undefined, isReading: false });
    this.#wake();
  }

  /** No log is added any more: {@link lines} ends with the last of those that it has. */
  close(): void {
    this.#isOpen = false;
    this.#wake();
  }

  /** Makes {@link lines} throw. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  /** The lines of all logs. */
  async *lines(): AsyncGenerator<LogLine, void> {
    while (this.#isOpen || this.#sources.size > 0) {
      for (const source of this.#sources) if (!source.isReading && source.next === undefined) this.#read(source);
      const first = this.#oldest();
      const waitMs = first === undefined ? Number.POSITIVE_INFINITY : this.#waitOf(first);
      if (this.#failure !== undefined) throw this.#failure.error;
      if (first?.next !== undefined && waitMs <= 0) {
        const { line } = first.next.line;
        first.next = undefined;
        yield line;
        continue;
      }
      let timer: Timer | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (waitMs < Number.POSITIVE_INFINITY) timer = this.#clock.setTimer(waitMs, resolve);
      });
      timer?.cancel();
    }
  }

  #read(source: Source): void {
    source.isReading = true;
    source.lines.next().then(
      ({ done, value }) => {
        source.isReading = false;
        if (done === true) this.#sources.delete(source);
        else source.next = { line: value, cameAt: this.#clock.monotonicNow() };
        this.#wake();
      },
      (error: unknown) => this.fail(error),
    );
  }

  /** How long the oldest line still waits for lines of other logs. */
  #waitOf(first: Source): number {
    if ([...this.#sources].every(({ next }) => next !== undefined)) return 0;
    return this.#follow ? first.next!.cameAt + ORDER_MS - this.#clock.monotonicNow() : Number.POSITIVE_INFINITY;
  }

  #oldest(): Source | undefined {
    let found: Source | undefined;
    for (const source of this.#sources) {
      if (source.next === undefined) continue;
      if (found?.next === undefined || source.next.line.at < found.next.line.at) found = source;
    }
    return found;
  }
}
