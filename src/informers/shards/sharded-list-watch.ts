import type { InformerStatus } from '../../cache/informer/informer-status.js';
import type { PartChange } from '../../cache/queue/delta.js';
import { whyUnexpected } from '../../cache/reflector/object-check.js';
import { collectLivePage } from '../../cache/source/collect-page.js';
import type { ListerWatcher } from '../../cache/source/list-watch.js';
import type { ServerTraits } from '../../cache/source/server-traits.js';
import { ListPager } from '../../client/list-pager.js';
import type { ListHead } from '../../codec/codec.js';
import type { BatchSink, Flow, WatchSink } from '../../codec/watch-source.js';
import type { Accessor } from '../../meta/accessor.js';
import { asError } from '../../meta/errors/errors.js';
import { expired } from '../../meta/errors/status.js';
import type { ListParameters, WatchParameters } from '../../meta/options/parameters.js';
import type { Undo } from '../../meta/undo.js';
import {
  initialEventsEndAnnotation,
  isInitialEventsEnd,
  type WatchEvent,
  type WireEvent,
} from '../../meta/watch-event.js';
import { Backoff, reflectorBackoff } from '../../time/backoff.js';
import type { Clock } from '../../time/clock.js';
import { abortError, type LinkedSignal, linkSignals, onAbort } from '../../time/signals.js';
import type { InitialStreams } from './initial-streams.js';
import { KnownVersions } from './known-versions.js';
import { OwnedKeys } from './owned-keys.js';
import { bitsOf, type ShardBits, ShardFilter, shardsIn, shardsOnlyIn } from './shard-filter.js';
import type { ShardMember, ShardPart, ShardSet } from './shard-set.js';

/** The informer behind a {@link ShardedListWatch}. */
export interface ShardedCache<I> {
  onStatus(listener: (status: InformerStatus) => void): Undo;
  changePart(change: PartChange<I>): void;
  /** Reports a list of gained shards. */
  noteList(list: {
    readonly items: number;
    readonly resourceVersion: string;
    readonly durationMs: number;
    readonly error?: Error | undefined;
  }): void;
}

/** Options of a {@link ShardedListWatch}. */
export interface ShardedListWatchOptions<I> {
  readonly part: ShardPart;
  readonly accessor: Accessor<I>;
  readonly clock: Clock;
  /** Names the collection in messages. */
  readonly what: string;
  /** Reads the objects that a filter keeps. */
  readonly sourceOf: (filter: ShardFilter) => ListerWatcher<I>;
  readonly cache: ShardedCache<I>;
  /** Shared by all sources of the cache. */
  readonly streams: InitialStreams;
}

/** Items per page of the list of gained shards. */
const pageSize = 500;
/** A watch is not ended sooner than this: reflectors take shorter ones for failures. */
const shortestWatchMs = 1_000;

/** A watch that is open. */
interface OpenWatch<I> {
  readonly sink: WatchSink<I>;
  readonly link: LinkedSignal;
  readonly openedAt: number;
  /** Whether its initial events are not complete. */
  isInitial: boolean;
  /** Whether this source has ended it. */
  isEnded: boolean;
  /** Whether it is given up, and will be ended: its events are ignored. */
  isEnding: boolean;
}

/** A list of gained shards that is under way. */
interface Fill {
  readonly shards: readonly number[];
  readonly link: LinkedSignal;
  /** The versions of the objects that the watch has brought since the list began. */
  readonly seen: Map<string, string>;
}

/**
 * The shards of a {@link ShardSet} as one collection: one list, one watch. Shards come and go while it runs.
 *
 * ```
 *   watch of shards 1, 2 ──────────────┐ ended         ┌── watch of shards 1, 2, 7, from the older of both versions
 *   gain(7):      list of shard 7 ─────┴─▶ the cache ──┘    (events that the cache has already are left out)
 *   release(2):   removed from the cache at once; the next watch does without it
 * ```
 *
 * A reflector reads it. While that lists, changes wait: they are part of the next list, or follow when the list is in the cache.
 */
export class ShardedListWatch<I> implements ListerWatcher<I>, ShardMember {
  readonly #options: ShardedListWatchOptions<I>;
  readonly #set: ShardSet;
  readonly #owned = new OwnedKeys();
  /** Has the shards that are read: those of the cache, when the list or watch under way is in it. */
  readonly #filter: ShardFilter;
  readonly #source: ListerWatcher<I>;
  readonly #backoff: Backoff;
  #phase: 'idle' | 'reading' | 'watching' = 'idle';
  readonly #versions = new KnownVersions();
  /** The shards of the cache: as it is, and after each change that it has not processed. */
  #stored: ShardBits;
  readonly #changes: ShardBits[] = [];
  #generation = 0;
  #watch: OpenWatch<I> | undefined;
  #fill: Fill | undefined;

  constructor(options: ShardedListWatchOptions<I>) {
    const { part, sourceOf, clock } = options;
    this.#options = options;
    this.#set = part.set;
    this.#filter = new ShardFilter(part.by, part.set.wanted.slice(), this.#owned);
    this.#source = sourceOf(this.#filter);
    this.#backoff = new Backoff(clock, reflectorBackoff);
    this.#stored = new Uint8Array(part.set.space.count);
    const detach = part.set.attach(this);
    options.cache.onStatus(({ state }) => {
      if (state === 'stopped') detach();
    });
  }

  get traits(): ServerTraits {
    return this.#source.traits;
  }

  get supportsWatchList(): boolean {
    return this.#source.supportsWatchList;
  }

  holds(shard: number): boolean {
    const isIn = (bits: ShardBits): boolean => bits[shard] === 1;
    return isIn(this.#filter.shards) && isIn(this.#stored) && this.#changes.every(isIn);
  }

  mayHold(shard: number): boolean {
    const isIn = (bits: ShardBits): boolean => bits[shard] === 1;
    return isIn(this.#filter.shards) || isIn(this.#stored) || this.#changes.some(isIn);
  }

  coverage(): number | undefined {
    const isSettled = this.#set.wanted.every((bit, shard) => (bit === 1 ? this.holds(shard) : !this.mayHold(shard)));
    return isSettled && !this.#versions.isCatchingUp ? this.#generation : undefined;
  }

  list(options: ListParameters, sink: BatchSink<I>, signal: AbortSignal): Flow<ListHead> {
    // An `Exact` list shows the past, for a comparison: watches do not continue there.
    if (options.resourceVersionMatch === 'Exact') return this.#source.list(options, sink, signal);
    if (!options.continue) this.#beginReading();
    if (this.#isEmpty) return { resume() {}, done: Promise.resolve(emptyList) };
    const flow = this.#source.list(options, sink, signal);
    const done = flow.done.then(
      (head) => {
        this.#versions.reset(head.metadata?.resourceVersion);
        return head;
      },
      (error: unknown) => {
        this.#stopReading();
        throw error;
      },
    );
    return { resume: () => flow.resume(), done };
  }

  open(options: WatchParameters, sink: WatchSink<I>, signal: AbortSignal): Flow<void> {
    const isInitial = options.sendInitialEvents === true;
    if (isInitial) {
      this.#beginReading();
      this.#options.streams.begin(this);
    } else {
      this.#owned.sweep();
      // The reflector has written the list to the queue of the cache before.
      if (this.#phase === 'reading') this.#noteStored();
      this.#phase = 'watching';
    }
    const watch: OpenWatch<I> = {
      sink,
      link: linkSignals([signal]),
      openedAt: this.#options.clock.monotonicNow(),
      isInitial,
      isEnded: false,
      isEnding: false,
    };
    this.#watch = watch;
    const flow = this.#isEmpty ? this.#openNothing(watch) : this.#openSource(options, watch);
    if (!isInitial) this.adapt();
    const done = flow.done
      .catch((error: unknown) => {
        if (!watch.isEnded) throw error;
      })
      .finally(() => this.#closed(watch));
    return {
      resume: () => flow.resume(),
      done,
      get received() {
        return flow.received;
      },
    };
  }

  adapt(): void {
    if (this.#phase === 'reading') return;
    const { wanted } = this.#set;
    const removed = shardsOnlyIn(this.#filter.shards, wanted);
    if (removed.length > 0) this.#release(removed);
    const fill = this.#fill;
    if (fill !== undefined && !fill.shards.some((shard) => wanted[shard] === 1)) this.#abortFill();
    const watch = this.#watch;
    if (this.#phase !== 'watching' || this.#fill !== undefined || watch === undefined || watch.isEnding) return;
    const added = shardsOnlyIn(wanted, this.#filter.shards);
    if (added.length > 0) void this.#gain(added, watch);
  }

  get #isEmpty(): boolean {
    return !this.#filter.shards.includes(1);
  }

  // ── lists and watches of all shards ────────────────────────────────────────────────────────────────────────────────

  /** A list or watch-list begins: it reads the shards that are wanted now. */
  #beginReading(): void {
    this.#abortFill();
    const removed = shardsOnlyIn(this.#filter.shards, this.#set.wanted);
    if (removed.length > 0) this.#release(removed);
    this.#phase = 'reading';
    this.#filter.shards.set(this.#set.wanted);
    this.#versions.reset(undefined);
    this.#owned.clear();
    this.#generation++;
  }

  /** A list or watch failed: there will be another list. */
  #stopReading(): void {
    this.#phase = 'idle';
    this.adapt();
  }

  /** The cache has what was read when it has processed what was written to its queue up to here. */
  #noteStored(): void {
    this.#change({ gained: [] });
  }

  #change(change: Omit<PartChange<I>, 'onProcessed'>): void {
    const shards = this.#filter.shards.slice();
    this.#changes.push(shards);
    const onProcessed = (): void => {
      this.#stored = this.#changes.shift() as ShardBits;
      this.#set.changed();
    };
    this.#options.cache.changePart({ ...change, onProcessed });
  }

  #openSource(options: WatchParameters, watch: OpenWatch<I>): Flow<void> {
    const { signal } = watch.link;
    const resourceVersion = watch.isInitial
      ? options.resourceVersion
      : (this.#versions.version ?? options.resourceVersion);
    // The next watch brings what an ending one has left out: the versions of its shards are those when it was given up.
    const batch = (events: readonly WireEvent<I>[]): boolean =>
      !signal.aborted && (watch.isEnding || this.#pass(events, watch));
    return this.#source.open({ ...options, resourceVersion }, { batch }, signal);
  }

  /** The watch of no shards: it lasts until there are some. */
  #openNothing(watch: OpenWatch<I>): Flow<void> {
    const { signal } = watch.link;
    let received = 0;
    const done = new Promise<void>((_, reject) => {
      onAbort(signal, () => reject(signal.reason));
    });
    if (watch.isInitial) {
      queueMicrotask(() => {
        if (!signal.aborted) this.#pass([endOfNothing], watch);
      });
    }
    return {
      resume() {},
      done,
      // It is never silent.
      get received() {
        return ++received;
      },
    };
  }

  #closed(watch: OpenWatch<I>): void {
    watch.link.abort();
    if (this.#watch !== watch) return;
    this.#watch = undefined;
    this.#options.streams.end(this);
    this.#abortFill();
    this.#stopReading();
  }

  #pass(events: readonly WireEvent<I>[], watch: OpenWatch<I>): boolean {
    const passed: WireEvent<I>[] = [];
    let isComplete = false;
    /** The version of the last event, if that was left out. */
    let skipped = '';
    for (const event of events) {
      skipped = '';
      if (event.type === 'ERROR') {
        passed.push(event);
        break;
      }
      if (event.type === 'BOOKMARK') {
        const version = event.object.metadata.resourceVersion;
        if (watch.isInitial && isInitialEventsEnd(event.object)) {
          watch.isInitial = false;
          isComplete = true;
          if (event !== endOfNothing) this.#versions.reset(version);
        } else if (!watch.isInitial) this.#versions.advance(version);
        passed.push(event);
      } else if (watch.isInitial) passed.push(event);
      else {
        const version = this.#versionOf(event.object);
        if (this.#isNoNews(event, version)) skipped = version;
        else {
          passed.push(event);
          this.#notePassed(event, version);
        }
        this.#versions.advance(version);
      }
    }
    if (skipped !== '') passed.push(bookmarkOf(skipped));
    const hasRoom = passed.length === 0 || watch.sink.batch(passed);
    if (isComplete) {
      this.#options.streams.complete(this, () => {
        this.#phase = 'watching';
        this.#noteStored();
        this.adapt();
      });
    }
    return hasRoom;
  }

  #notePassed({ type, object }: WatchEvent<I>, version: string): void {
    const isOwned = this.#filter.by === 'controllerUid';
    if (this.#fill === undefined && !isOwned) return;
    const key = this.#keyOf(object);
    if (isOwned) this.#owned.confirm(key, type === 'DELETED');
    if (version !== '') this.#fill?.seen.set(key, version);
  }

  /**
   * Whether the cache has this version of the object, or a newer one, from the list of a gained shard, or needs the object no longer, because its
   * shard was released while the event waited to be mapped.
   */
  #isNoNews({ type, object }: WatchEvent<I>, version: string): boolean {
    const { accessor } = this.#options;
    if (accessor.unreadable?.(object) !== undefined) return false;
    const shard = this.#filter.shardOf(accessor, object);
    if (type !== 'DELETED' && this.#filter.shards[shard] !== 1) return true;
    if (!this.#versions.isCatchingUp || version === '') return false;
    return this.#versions.isKnown(accessor.key(object), shard, version);
  }

  #versionOf(object: I): string {
    try {
      return this.#options.accessor.resourceVersion(object);
    } catch {
      return '';
    }
  }

  #keyOf(object: I): string {
    try {
      return this.#options.accessor.key(object);
    } catch {
      return '';
    }
  }

  // ── shards that come and go ────────────────────────────────────────────────────────────────────────────────────────

  #release(removed: readonly number[]): void {
    const { accessor } = this.#options;
    const filter = this.#filter;
    this.#generation++;
    for (const shard of removed) filter.shards[shard] = 0;
    this.#versions.forget(removed);
    const isReleased = (item: I): boolean => removed.includes(filter.shardOf(accessor, item));
    this.#change({ gained: [], isReleased });
    if (!this.#isEmpty) return;
    this.#versions.reset(undefined);
    // The list of gained shards ends with the watch, and would have to begin again.
    if (this.#watch !== undefined && this.#fill === undefined) this.#endSoon(this.#watch);
  }

  #abortFill(): void {
    this.#fill?.link.abort(abortError('the list is no longer needed'));
    this.#fill = undefined;
  }

  /** Lists the shards, as often as it takes, and adds their objects to the cache. The watch continues meanwhile. */
  async #gain(shards: readonly number[], watch: OpenWatch<I>): Promise<void> {
    const { clock, cache, what } = this.#options;
    const fill: Fill = { shards, link: linkSignals([watch.link.signal]), seen: new Map() };
    const { signal } = fill.link;
    this.#fill = fill;
    while (!signal.aborted) {
      const startedAt = clock.monotonicNow();
      const durationMs = (): number => clock.monotonicNow() - startedAt;
      try {
        fill.seen.clear();
        const { items, resourceVersion } = await this.#listOf(shards, signal);
        if (signal.aborted) return;
        this.#fill = undefined;
        cache.noteList({ items: items.length, resourceVersion, durationMs: durationMs() });
        this.#add(fill, items, resourceVersion, watch);
        this.adapt();
        return;
      } catch (cause) {
        if (signal.aborted) return;
        const message = `failed to list the shards ${shards.join(', ')} of ${what}: ${asError(cause).message}`;
        const error = new Error(message, { cause });
        cache.noteList({ items: 0, resourceVersion: '', durationMs: durationMs(), error });
        await clock.sleep(this.#backoff.next(), { signal }).catch(() => {});
      }
    }
  }

  async #listOf(
    shards: readonly number[],
    signal: AbortSignal,
  ): Promise<{ readonly items: I[]; readonly resourceVersion: string }> {
    const { part, clock, sourceOf } = this.#options;
    const source = sourceOf(new ShardFilter(part.by, bitsOf(part.set.space.count, shards), this.#owned));
    const pager = new ListPager<I>(
      async (page, pageSignal) => {
        const { items, head } = await collectLivePage(source, page, pageSignal, (item) => item, clock);
        if (head.metadata === undefined) throw new TypeError('the list has no metadata');
        return { items, metadata: head.metadata };
      },
      { pageSize },
    );
    // The newest state: every change that the watch has brought before is in it.
    const { items, metadata } = await pager.list({ resourceVersion: '' }, { signal });
    return { items, resourceVersion: metadata.resourceVersion };
  }

  #add({ shards, seen }: Fill, items: readonly I[], listedAt: string, watch: OpenWatch<I>): void {
    const { accessor, what } = this.#options;
    const filter = this.#filter;
    const gained = shards.filter((shard) => this.#set.wanted[shard] === 1);
    const covered = shardsIn(filter.shards);
    for (const shard of gained) filter.shards[shard] = 1;
    this.#owned.retain(filter.shards);
    this.#generation++;
    const isOrdered = this.#versions.join({ shards: gained, version: listedAt }, covered, seen);
    const unreadable: WireEvent<I>[] = [];
    const added = items.filter((item) => {
      if (whyUnexpected(item, { what, accessor, expected: undefined }) !== undefined) {
        unreadable.push({ type: 'MODIFIED', object: item });
        return false;
      }
      if (filter.shards[filter.shardOf(accessor, item)] !== 1) return false;
      return this.#versions.noteListed(accessor.key(item), accessor.resourceVersion(item), seen);
    });
    // The reflector counts and reports them.
    if (unreadable.length > 0) watch.sink.batch(unreadable);
    this.#change({ gained: added, resourceVersion: this.#versions.version });
    if (isOrdered) this.#endSoon(watch);
    // No watch can continue after both lists: everything is listed again.
    else watch.sink.batch([{ type: 'ERROR', object: expired('the resourceVersions of the shards have no order') }]);
  }

  /** Ends the watch, so that the reflector opens the next one, with other shards. */
  #endSoon(watch: OpenWatch<I>): void {
    if (watch.isEnding) return;
    watch.isEnding = true;
    const { clock } = this.#options;
    const { signal } = watch.link;
    const timer = clock.setTimer(
      Math.max(0, watch.openedAt + shortestWatchMs - clock.monotonicNow()),
      () => {
        undo();
        const { version } = this.#versions;
        if (version !== undefined) watch.sink.batch([bookmarkOf(version)]);
        watch.isEnded = true;
        watch.link.abort(abortError('the watch is opened again with other shards'));
      },
      { keepAlive: false },
    );
    const undo = onAbort(signal, () => timer.cancel());
  }
}

/** No shard has no objects, and any version. */
const endOfNothing: WireEvent<never> = {
  type: 'BOOKMARK',
  object: {
    apiVersion: '',
    kind: '',
    metadata: { resourceVersion: '0', annotations: { [initialEventsEndAnnotation]: 'true' } },
  },
};
const emptyList: ListHead = { kind: '', apiVersion: '', metadata: { resourceVersion: '0' } };

function bookmarkOf(resourceVersion: string): WireEvent<never> {
  return { type: 'BOOKMARK', object: { apiVersion: '', kind: '', metadata: { resourceVersion } } };
}
