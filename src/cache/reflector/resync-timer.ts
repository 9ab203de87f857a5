import type { Clock, Timer } from '../../time/clock.js';

/** Options of a {@link ResyncTimer}. */
interface ResyncTimerOptions {
  readonly clock: Clock;
  /** 0: never. */
  readonly resyncMs: number;
  readonly resync: () => void;
  /** Called with what `resync` threw; the timer has stopped then. */
  readonly onFailure: (error: unknown) => void;
}

/** Calls `resync` every `resyncMs` between `start` and `stop`, until it throws. */
export class ResyncTimer {
  readonly #options: ResyncTimerOptions;
  #timer: Timer | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: ResyncTimerOptions) {
    this.#options = options;
  }

  /** What `resync` threw since `start`. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Does nothing if the timer runs. */
  start(): void {
    if (this.#timer === undefined && this.#options.resyncMs > 0) this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#failure = undefined;
  }

  #arm(): void {
    const { clock, resyncMs, resync, onFailure } = this.#options;
    this.#timer = clock.setTimer(
      resyncMs,
      () => {
        try {
          resync();
        } catch (error) {
          this.#failure = { error };
          onFailure(error);
          return;
        }
        this.#arm();
      },
      { keepAlive: false },
    );
  }
}
