import type { Clock, Timer } from '../../time/clock.js';

/** Options of an {@link InitialEventsWatchdog}. */
export interface InitialEventsWatchdogOptions {
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  /** When the last event was received, on the monotonic clock; undefined before the first. */
  readonly lastEventAt: () => number | undefined;
  /** How often to warn. @default 10_000 */
  readonly intervalMs?: number | undefined;
}

/** Warns while a watch-list sends no events and no initial-events-end bookmark: until then the cache is not synced. */
export class InitialEventsWatchdog {
  readonly #options: InitialEventsWatchdogOptions;
  readonly #intervalMs: number;
  readonly #startedAt: number;
  #timer: Timer;

  constructor(options: InitialEventsWatchdogOptions) {
    this.#options = options;
    this.#intervalMs = options.intervalMs ?? 10_000;
    this.#startedAt = options.clock.monotonicNow();
    this.#timer = this.#arm();
  }

  stop(): void {
    this.#timer.cancel();
  }

  #arm(): Timer {
    return this.#options.clock.setTimer(this.#intervalMs, () => this.#check(), { keepAlive: false });
  }

  #check(): void {
    const { clock, warn, lastEventAt } = this.#options;
    const now = clock.monotonicNow();
    const last = lastEventAt();
    if (last === undefined) {
      warn(
        `awaiting the bookmark that ends the initial events; no events received for ${seconds(now - this.#startedAt)}`,
      );
    } else if (now - last >= this.#intervalMs) {
      warn(`the bookmark that ends the initial events has not come; received last event ${seconds(now - last)} ago`);
    }
    this.#timer = this.#arm();
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10}s`;
}
