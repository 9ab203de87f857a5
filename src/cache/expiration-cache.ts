import type { Accessor } from '../meta/accessor.js';
import { DeletedFinalStateUnknown } from '../meta/key.js';
import { optionError, requireFunction, requireNumber } from '../meta/validate.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import { Indexer } from './indexer.js';
import { type ItemKey, itemKey } from './key-of.js';
import type { Store } from './store.js';

/** What an expiration policy is asked about. */
export interface TimedItem<T> {
  readonly key: string;
  readonly item: T;
  /** How long ago it was written. */
  readonly ageMs: number;
}

/** Options of an {@link ExpirationCache}. */
export interface ExpirationCacheOptions<T> {
  readonly accessor: Accessor<T>;
  /** @default the accessor's key */
  readonly keyOf?: ((item: T) => string) | undefined;
  /** An item older than this is gone; 0 or less keeps it for ever. @default 0 */
  readonly ttlMs?: number | undefined;
  /** Decides instead of `ttlMs` whether an item is gone. */
  readonly expires?: ((entry: TimedItem<T>) => boolean) | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * A store whose items go by themselves. Nothing happens in the background: an item that has expired is removed by the
 * `get` or `list` that would have shown it. `size` and `listKeys` only look, and so may count items that have expired.
 *
 * Writing an item again makes it new.
 */
export class ExpirationCache<T> implements Store<T> {
  readonly #store: Indexer<T>;
  readonly #keyFor: ItemKey<T>;
  readonly #clock: Clock;
  readonly #expires: (entry: TimedItem<T>) => boolean;
  #writtenAt = new Map<string, number>();

  constructor(options: ExpirationCacheOptions<T>) {
    const { accessor, keyOf, expires, clock = realClock } = options;
    const ttlMs = requireNumber('ttlMs', options.ttlMs ?? 0, -Number.MAX_VALUE);
    if (expires !== undefined) {
      requireFunction('expires', expires);
      if (options.ttlMs !== undefined) throw optionError('ttlMs', 'left out when expires decides', ttlMs);
    }
    this.#store = new Indexer<T>({ accessor, keyOf });
    this.#keyFor = itemKey(accessor, keyOf);
    this.#clock = clock;
    this.#expires = expires ?? ((entry) => ttlMs > 0 && entry.ageMs > ttlMs);
  }

  add(item: T): void {
    const key = this.#keyFor(item);
    this.#store.add(item);
    this.#writtenAt.set(key, this.#clock.monotonicNow());
  }

  update(item: T): void {
    this.add(item);
  }

  delete(item: T | DeletedFinalStateUnknown<T>): void {
    const key = this.#keyFor(item);
    this.#store.delete(item);
    this.#writtenAt.delete(key);
  }

  replace(items: T[], resourceVersion: string): void {
    this.#store.replace(items, resourceVersion);
    const now = this.#clock.monotonicNow();
    this.#writtenAt = new Map(this.#store.listKeys().map((key) => [key, now]));
  }

  resync(): void {}

  bookmark(resourceVersion: string): void {
    this.#store.bookmark(resourceVersion);
  }

  get size(): number {
    return this.#store.size;
  }

  get resourceVersion(): string {
    return this.#store.resourceVersion;
  }

  get(item: T): T | undefined {
    return this.getByKey(this.#keyFor(item));
  }

  getByKey(key: string): T | undefined {
    const item = this.#store.getByKey(key);
    if (item === undefined) return undefined;
    const ageMs = this.#clock.monotonicNow() - (this.#writtenAt.get(key) as number);
    if (!this.#expires({ key, item, ageMs })) return item;
    // As a tombstone, because time passing is no change on the server: the store's version stays what it is.
    this.delete(new DeletedFinalStateUnknown(key, item));
    return undefined;
  }

  list(): T[] {
    const items: T[] = [];
    for (const key of this.#store.listKeys()) {
      const item = this.getByKey(key);
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  listKeys(): string[] {
    return this.#store.listKeys();
  }

  iterate(): IterableIterator<T> {
    return this.list()[Symbol.iterator]();
  }
}
