import { requireInteger, requireNumber } from '../meta/validate.js';
import type { Clock } from '../time/clock.js';

/** Options of an {@link LruCache}. */
export interface LruCacheOptions {
  readonly clock: Clock;
  /** The most entries; one more pushes out the one that was read or written longest ago. */
  readonly size: number;
  /** How long an entry can be read after it was written. @default for ever */
  readonly ttlMs?: number | undefined;
}

interface Entry<V> {
  readonly value: V;
  readonly expiresAt: number;
}

/**
 * A bounded map that forgets: what has not been used for longest goes first, and nothing outlives its time. Entries
 * expire when they are looked at; there is no timer.
 */
export class LruCache<K, V> {
  readonly #clock: Clock;
  readonly #size: number;
  readonly #ttlMs: number;
  /** From the least to the most recently used: a Map keeps the order in which keys were set. */
  readonly #entries = new Map<K, Entry<V>>();

  constructor(options: LruCacheOptions) {
    this.#clock = options.clock;
    this.#size = requireInteger('size', options.size, 1);
    this.#ttlMs = options.ttlMs === undefined ? Number.POSITIVE_INFINITY : requireNumber('ttlMs', options.ttlMs);
  }

  /** How many entries can be read. */
  get size(): number {
    this.#dropExpired();
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (this.#isExpired(entry)) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt: this.#clock.monotonicNow() + this.#ttlMs });
    if (this.#entries.size <= this.#size) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  /** The values of this moment, least recently used first; looking at them is no use of them. */
  values(): V[] {
    this.#dropExpired();
    return Array.from(this.#entries.values(), (entry) => entry.value);
  }

  #isExpired(entry: Entry<V>): boolean {
    return this.#clock.monotonicNow() >= entry.expiresAt;
  }

  #dropExpired(): void {
    for (const [key, entry] of this.#entries) if (this.#isExpired(entry)) this.#entries.delete(key);
  }
}
