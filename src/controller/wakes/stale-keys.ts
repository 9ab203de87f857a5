import type { Client, Clock } from '../../index.js';
import { asError } from '../../meta/errors/errors.js';
import { printGroupResource } from '../../meta/resource.js';
import type { Timer } from '../../time/clock.js';
import { linkSignals } from '../../time/signals.js';
import type { PendingCollection, PendingWrites } from './pending-writes.js';
import type { UsedCache } from './used-cache.js';

/** How long a key waits for its own writes before that is reported. */
const reportAfterMs = 10_000;
/** How long a key waits for the cache of another cluster. Then no key waits for it until it has the write. */
const elsewhereMs = 1000;
/** How long a request for the version of a collection may take: one that is never answered must not keep a key for ever. */
const askWithinMs = 10_000;
/** How long after a failed request for the version of a collection the next one is sent. */
const askAgainMs = 1000;

/** A key that waits until the caches have its own writes. */
interface StaleKey {
  /** In ms since 1970. */
  readonly since: number;
  readonly writes: PendingWrites;
  readonly causes: readonly string[];
  readonly stop: AbortController;
  readonly timers: Set<Timer>;
  readonly objects: Set<{ readonly cache: UsedCache<unknown>; readonly object: string }>;
}

/** What {@link StaleKeys} needs from its controller. */
export interface StaleKeysHost {
  readonly clock: Clock;
  readonly controller: string;
  /** The caches have the writes of the key: it may run. */
  release(key: string, causes: readonly string[]): void;
  onError(error: Error): void;
  /** A key has waited for 10 s. */
  onStale(key: string): void;
}

/** The keys that wait until the caches have their own writes. They hold no worker and are not in the queue. */
export class StaleKeys {
  readonly #host: StaleKeysHost;
  readonly #keys = new Map<string, StaleKey>();

  constructor(host: StaleKeysHost) {
    this.#host = host;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** The keys that wait, since when, and the resources whose caches do not have their writes. */
  *[Symbol.iterator](): IterableIterator<{
    readonly key: string;
    readonly since: number;
    readonly behind: readonly string[];
  }> {
    for (const [key, { since, writes }] of this.#keys) yield { key, since, behind: cachesBehind(writes) };
  }

  /** Waits for the writes of a key, which are not in the caches. Adds the causes if it waits already. */
  wait(key: string, writes: PendingWrites, causes: readonly string[]): void {
    const before = this.#keys.get(key);
    const all = before === undefined ? causes : [...new Set([...before.causes, ...causes])];
    if (before !== undefined) {
      this.#keys.set(key, { ...before, causes: all });
      return;
    }
    const since = this.#host.clock.now();
    const stop = new AbortController();
    const stale: StaleKey = { since, writes, causes: all, stop, timers: new Set(), objects: new Set() };
    this.#keys.set(key, stale);
    this.#after(stale, reportAfterMs, () => this.#report(key, stale));
    if ([...writes.awaited()].some(({ cache }) => cache.isElsewhere))
      this.#after(stale, elsewhereMs, () => this.#giveUpElsewhere(key, stale));
    for (const { cache, key: object, version } of writes.awaited()) {
      if (object !== undefined) this.#awaitObject(key, stale, cache, object);
      if (version !== undefined) this.#awaitVersion(key, stale, cache, version);
    }
    for (const collection of writes.unanswered()) void this.#ask(key, stale, collection);
  }

  /** An object of a cache has changed. */
  changed(cache: UsedCache<unknown>, object: string): void {
    for (const key of cache.waiting.get(object) ?? []) this.#check(key);
  }

  /** Waits for a cache no longer: it is not used any more. */
  forget(cache: UsedCache<unknown>): void {
    for (const [key, { writes }] of this.#keys) {
      writes.forget(cache);
      this.#check(key);
    }
  }

  /** Stops waiting. */
  clear(): void {
    for (const key of [...this.#keys.keys()]) this.drop(key);
  }

  /** Stops waiting for the writes of a key. */
  drop(key: string): void {
    const stale = this.#keys.get(key);
    if (stale === undefined) return;
    this.#keys.delete(key);
    stale.stop.abort();
    for (const timer of stale.timers) timer.cancel();
    for (const { cache, object } of stale.objects) {
      const keys = cache.waiting.get(object);
      keys?.delete(key);
      if (keys?.size === 0) cache.waiting.delete(object);
    }
  }

  #check(key: string): void {
    const stale = this.#keys.get(key);
    if (stale === undefined || !stale.writes.settle()) return;
    this.drop(key);
    this.#host.release(key, stale.causes);
  }

  #awaitObject(key: string, stale: StaleKey, cache: UsedCache<unknown>, object: string): void {
    const keys = cache.waiting.get(object);
    if (keys === undefined) cache.waiting.set(object, new Set([key]));
    else keys.add(key);
    stale.objects.add({ cache, object });
  }

  #awaitVersion(key: string, stale: StaleKey, cache: UsedCache<unknown>, version: string): void {
    cache.lease.informer.waitForResourceVersion(version, { signal: stale.stop.signal }).then(
      () => this.#check(key),
      // Aborted, or the informer has stopped.
      () => {},
    );
  }

  /** Asks the server for the version that a collection has now: a write without an answer is part of it, or did not happen. */
  async #ask(key: string, stale: StaleKey, collection: PendingCollection): Promise<void> {
    const { cache } = collection;
    const { signal } = stale.stop;
    using limit = linkSignals([signal], { timeoutMs: askWithinMs, clock: this.#host.clock, what: 'the request' });
    try {
      collection.resourceVersion = await currentVersion(cache.lease.client, cache, limit.signal);
    } catch (error) {
      if (signal.aborted) return;
      const what = `the version of ${printGroupResource(cache.resource)}, to see the effect of a write without an answer`;
      const message = `${this.#host.controller} could not read ${what}, for ${key}: ${asError(error).message}`;
      this.#host.onError(new Error(message, { cause: error }));
      this.#after(stale, askAgainMs, () => void this.#ask(key, stale, collection));
      return;
    }
    if (signal.aborted) return;
    this.#awaitVersion(key, stale, cache, collection.resourceVersion);
    this.#check(key);
  }

  #giveUpElsewhere(key: string, { writes }: StaleKey): void {
    const late = writes.markLate();
    if (late.length === 0) return;
    this.#host.onStale(key);
    for (const { resource, lease } of late) {
      const cache = `the cache of ${printGroupResource(resource)} of ${lease.client.rest.host}`;
      const message = `${cache} does not have a write of ${key} after ${elsewhereMs} ms; runs do not wait for it until it has`;
      this.#host.onError(new Error(`${this.#host.controller}: ${message}`));
    }
    for (const other of [...this.#keys.keys()]) this.#check(other);
  }

  #report(key: string, stale: StaleKey): void {
    const behind = cachesBehind(stale.writes).join(', ');
    this.#host.onStale(key);
    this.#host.onError(
      new Error(
        `${this.#host.controller}: ${key} waits for ${reportAfterMs / 1000} s for its own writes in the cache of ${behind}; ` +
          'its watch may be slow or broken',
      ),
    );
  }

  #after(stale: StaleKey, ms: number, callback: () => void): void {
    const timer = this.#host.clock.setTimer(
      ms,
      () => {
        stale.timers.delete(timer);
        callback();
      },
      { keepAlive: false },
    );
    stale.timers.add(timer);
  }
}

/** The resources whose caches do not have the writes. */
function cachesBehind(writes: PendingWrites): readonly string[] {
  return [...new Set([...writes.awaited()].map(({ cache }) => printGroupResource(cache.resource)))];
}

async function currentVersion(client: Client, cache: UsedCache<unknown>, signal: AbortSignal): Promise<string> {
  const { namespace } = cache.lease.options;
  const only = typeof namespace === 'string' && cache.resource.namespaced !== false ? namespace : undefined;
  const { metadata } = await client.metadata(cache.resource, only).list({ limit: 1, signal });
  return metadata.resourceVersion;
}
