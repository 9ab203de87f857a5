import type { Clock } from '../../../index.js';
import { linkSignals } from '../../../time/signals.js';

/** Lets a loop wait for a time or for a change, whichever is first. A change during a turn of the loop is not lost. */
export class Wake {
  readonly #clock: Clock;
  #isWoken = false;
  #interrupt: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something has changed. */
  wake(): void {
    this.#isWoken = true;
    this.#interrupt();
  }

  /** Begins a turn: changes until now are seen by it. */
  begin(): void {
    this.#isWoken = false;
  }

  /** Resolves after `ms`, at the next {@link wake}, at once if there was one since {@link begin}, or when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isWoken) return;
    const waiting = linkSignals([signal]);
    this.#interrupt = () => waiting.abort();
    try {
      await this.#clock.sleep(ms, { signal: waiting.signal });
    } catch (error) {
      if (!waiting.signal.aborted) throw error;
    } finally {
      waiting.release();
      this.#interrupt = () => {};
    }
  }
}
