import { KubeflectError } from '../../meta/errors/errors.js';
import { requireNumber } from '../../meta/options/validate.js';
import type { Clock, Timer } from '../../time/clock.js';
import type { Comparison } from './consistency.js';

/** A cache differs from the server at the same resourceVersion. */
export class InconsistentCacheError extends KubeflectError {
  static {
    InconsistentCacheError.prototype.name = 'InconsistentCacheError';
  }

  readonly comparison: Comparison & { readonly outcome: 'inconsistent' };

  constructor(name: string, comparison: Comparison & { readonly outcome: 'inconsistent' }) {
    const { missing, extra, different } = comparison;
    const example = [...missing, ...extra, ...different.map(({ key }) => key)][0];
    super(
      'INCONSISTENT_CACHE',
      `the cache of ${name} differs from the server: ${missing.length} missing, ${extra.length} extra, ${different.length} different, for instance ${example}`,
    );
    this.comparison = comparison;
  }
}

/** Calls `check` at random intervals of `everyMs` on average; 0 never. */
export class ConsistencyCheck {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #check: (signal: AbortSignal) => Promise<void>;
  readonly #stop = new AbortController();
  #timer: Timer | undefined;

  constructor(clock: Clock, everyMs: number, check: (signal: AbortSignal) => Promise<void>) {
    this.#clock = clock;
    this.#everyMs = requireNumber('consistencyCheckMs', everyMs);
    this.#check = check;
  }

  start(): void {
    if (this.#everyMs > 0) this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#stop.abort();
  }

  #arm(): void {
    // Random, so that the programs of a cluster do not list at the same time.
    const delayMs = this.#everyMs * (0.5 + this.#clock.random());
    this.#timer = this.#clock.setTimer(delayMs, () => void this.#run(), { keepAlive: false });
  }

  async #run(): Promise<void> {
    await this.#check(this.#stop.signal).catch(() => {});
    if (!this.#stop.signal.aborted) this.#arm();
  }
}
