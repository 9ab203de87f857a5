import type { Abortable } from '../meta/objects.js';
import { abortable } from '../time/wait.js';

/**
 * Tells when everything that came before the end of a first list has been dealt with. A queue says when it has handed the
 * list over ({@link upstreamHasSynced}); whoever processes it says what has begun and what is finished. Once synced, it
 * stays so.
 *
 * Everything of the first list must have been started before `upstreamHasSynced` is called.
 */
abstract class SyncTracker {
  #upstream = false;
  #synced = false;
  readonly #done: Promise<void>;
  #resolve!: () => void;

  constructor() {
    this.#done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  protected abstract get pending(): number;

  /** The whole first list has been handed over. Idempotent. */
  upstreamHasSynced(): void {
    this.#upstream = true;
    this.check();
  }

  /** Whether the first list has been handed over and nothing of it is being processed any more. */
  get hasSynced(): boolean {
    return this.#synced;
  }

  /** Resolves when {@link hasSynced} becomes true. */
  whenSynced(options: Abortable = {}): Promise<void> {
    return abortable(this.#done, options.signal);
  }

  protected check(): void {
    if (this.#synced || !this.#upstream || this.pending > 0) return;
    this.#synced = true;
    this.#resolve();
  }
}

/** A tracker of work that is done side by side, in any order: each piece has a key. */
export class AsyncTracker<K> extends SyncTracker {
  readonly #waiting = new Set<K>();

  protected override get pending(): number {
    return this.#waiting.size;
  }

  start(key: K): void {
    // Nobody asks for what comes later, and remembering it would only cost.
    if (!this.hasSynced) this.#waiting.add(key);
  }

  /** A key that was never started is no harm. */
  finished(key: K): void {
    this.#waiting.delete(key);
    this.check();
  }
}

/** A tracker of work that is done one piece after the other: counting is enough. */
export class SingleFileTracker extends SyncTracker {
  #count = 0;

  protected override get pending(): number {
    return this.#count;
  }

  start(): void {
    this.#count++;
  }

  /** @throws RangeError when more was finished than started. */
  finished(): void {
    if (this.#count === 0) throw new RangeError('negative counter: more was finished than started');
    this.#count--;
    this.check();
  }
}
