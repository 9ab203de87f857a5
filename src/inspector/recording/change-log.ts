import type { ItemEvent } from '../../cache/informer/informer-event.js';
import type { ItemView } from '../../cache/store/item-view.js';
import { copyRaw, Raw } from '../../codec/raw.js';
import { SlabArena } from '../../codec/slab.js';
import type { InformerSource } from '../../observe/channels.js';
import { Ring } from '../../structures/ring.js';

/** A call of a handler with a state of an object. Small integers instead of fractions: there is one for each event and handler. */
export interface RecordedCall {
  /** The subscription of the handler. */
  readonly subscription: { readonly name: string };
  /** In ms since the log began. */
  readonly atMs: number;
  /** In microseconds; -1 if it is not known. */
  readonly lagMicros: number;
  readonly durationMicros: number;
  readonly error: string | undefined;
  /** The call before, with the same state. */
  readonly before: RecordedCall | undefined;
  /** How many calls there are before. */
  readonly number: number;
}

/** A change of an object in a store. States are kept as the store has them, and parsed when a page asks for them. */
export interface RecordedChange {
  readonly source: InformerSource;
  readonly type: 'add' | 'update' | 'delete';
  readonly key: string;
  readonly resourceVersion: string;
  readonly at: number;
  readonly isFromList: boolean;
  readonly view: ItemView<object, unknown>;
  readonly item: object;
  /** The state before; undefined for an addition. */
  old: object | undefined;
  /** Whether `old` is a copy that belongs to this change. */
  hasCopy: boolean;
  /** The last call of a handler that got this state. */
  lastCall: RecordedCall | undefined;
  /** What it counts for in the limit. */
  readonly bytes: number;
}

/** Options of a {@link ChangeLog}. */
export interface ChangeLogLimits {
  /** @default 30_000 */
  readonly mostChanges?: number | undefined;
  /** @default 33_554_432 */
  readonly mostBytes?: number | undefined;
}

/** The calls that are kept with one change. */
const mostCalls = 64;
/** The changes of an object that a page looks at, which are kept when the log is full, and their bytes. */
const mostFollowed = 200;
const mostFollowedBytes = 1024 * 1024;
/** How many objects can be followed at a time, and for how long after a page has asked for one. */
const mostFollowing = 32;
const followMs = 60_000;
/** The age at which the state before a change is copied: most changes of a busy store are dropped before. */
const copyAfterMs = 10_000;
/** How often the informer with the most bytes is looked for, in changes that were dropped. */
const dropsPerSearch = 64;
/** Items that are no bytes: the size of one among so many is measured. */
const itemsPerMeasure = 256;
/** The least that a change counts for: the record itself. */
const recordBytes = 256;

/** The changes of one informer, oldest first. */
interface SourceChanges {
  readonly changes: Ring<RecordedChange>;
  bytes: number;
  /** How many of the changes, from the oldest on, do not refer to slabs that the store may have given up. */
  settled: number;
  /** The size of an item that is no bytes, and after how many items it is measured again. */
  estimate: number;
  measureIn: number;
}

/** The followed changes of one object. */
interface Followed {
  readonly source: InformerSource;
  readonly key: string;
  until: number;
  readonly changes: RecordedChange[];
  bytes: number;
}

/**
 * The last changes of all stores, within a number of bytes. When it is full, the informer with the most bytes loses its oldest change, so
 * that a busy one does not push out the others.
 *
 * The states of an object are the items of the store, by reference. The new one is in a slab that was written lately. The one before may
 * be the last one in a slab that the store has given up, of which there may be one for each change: {@link settle} copies it after ten
 * seconds, if the change is still in the log.
 */
export class ChangeLog {
  /** In ms since 1970. */
  readonly since: number;
  readonly #mostChanges: number;
  readonly #mostBytes: number;
  readonly #sources = new Map<InformerSource, SourceChanges>();
  readonly #followed: Followed[] = [];
  readonly #copies = new SlabArena();
  #size = 0;
  #bytes = 0;
  #largest: SourceChanges | undefined;
  #searchIn = 0;

  constructor(since: number, limits: ChangeLogLimits = {}) {
    this.since = since;
    this.#mostChanges = limits.mostChanges ?? 30_000;
    this.#mostBytes = limits.mostBytes ?? 32 * 1024 * 1024;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get mostBytes(): number {
    return this.#mostBytes;
  }

  /** When the oldest change in it happened. */
  get oldestAt(): number | undefined {
    let oldest: number | undefined;
    for (const { changes } of this.#sources.values()) {
      const at = changes.at(0)?.at;
      if (at !== undefined && (oldest === undefined || at < oldest)) oldest = at;
    }
    return oldest;
  }

  add(source: InformerSource, event: ItemEvent<object, unknown>, at: number): RecordedChange {
    const of = this.#sources.get(source) ?? this.#addSource(source);
    const { view, item } = event;
    const old = 'oldItem' in event ? event.oldItem : undefined;
    const size = item instanceof Raw ? item.length : this.#estimate(of, view, item);
    // The state before counts too: either it is copied, or it keeps memory of the store.
    const bytes = recordBytes + (old === undefined ? size : 2 * size);
    const change: RecordedChange = {
      source,
      type: event.type,
      key: view.accessor.key(item),
      resourceVersion: view.accessor.resourceVersion(item),
      at,
      isFromList: 'isFromList' in event && event.isFromList,
      view,
      item,
      old,
      hasCopy: false,
      lastCall: undefined,
      bytes,
    };
    of.changes.push(change);
    of.bytes += bytes;
    this.#size++;
    this.#bytes += bytes;
    while (this.#size > this.#mostChanges || this.#bytes > this.#mostBytes) this.#dropOldest();
    return change;
  }

  /** A handler was called with the state of a change. */
  addCall(
    change: RecordedChange,
    subscription: { readonly name: string },
    startedAt: number,
    lagMs: number | undefined,
    durationMs: number,
    error: string | undefined,
  ): void {
    const before = change.lastCall;
    const number = before === undefined ? 0 : before.number + 1;
    if (number >= mostCalls) return;
    change.lastCall = {
      subscription,
      atMs: Math.round(startedAt - this.since),
      lagMicros: lagMs === undefined ? -1 : micros(lagMs),
      durationMicros: micros(durationMs),
      error,
      before,
      number,
    };
  }

  /** Copies the states before changes of some age, so that these keep no slab of a store in memory. Called about once a second. */
  settle(now: number): void {
    for (const of of this.#sources.values()) {
      for (; of.settled < of.changes.length; of.settled++) {
        const change = of.changes.at(of.settled) as RecordedChange;
        if (now - change.at < copyAfterMs) break;
        if (!(change.old instanceof Raw)) continue;
        const copy = copyRaw(change.old, this.#copies);
        this.#copies.retain(copy);
        change.old = copy;
        change.hasCopy = true;
      }
    }
  }

  /** The changes of one object, oldest first. */
  of(source: InformerSource, key: string): readonly RecordedChange[] {
    const found = [...(this.#followedOf(source, key)?.changes ?? [])];
    for (const change of this.all(source)) if (change.key === key) found.push(change);
    return found;
  }

  /** All changes of an informer in the log, oldest first. */
  all(source: InformerSource): Iterable<RecordedChange> {
    return this.#sources.get(source)?.changes ?? [];
  }

  /** The changes of this object are kept when the log is full, for a minute from now on. */
  follow(source: InformerSource, key: string, now: number): void {
    const until = now + followMs;
    const known = this.#followedOf(source, key);
    if (known !== undefined) known.until = until;
    else this.#followed.push({ source, key, until, changes: [], bytes: 0 });
    // The oldest first, if there are too many.
    for (const followed of [...this.#followed]) {
      if (followed.until >= now && this.#followed.length <= mostFollowing) continue;
      for (const change of followed.changes) this.#release(change);
      this.#followed.splice(this.#followed.indexOf(followed), 1);
    }
  }

  #followedOf(source: InformerSource, key: string): Followed | undefined {
    return this.#followed.find((followed) => followed.key === key && followed.source === source);
  }

  #addSource(source: InformerSource): SourceChanges {
    const of: SourceChanges = { changes: new Ring(), bytes: 0, settled: 0, estimate: 0, measureIn: 0 };
    this.#sources.set(source, of);
    return of;
  }

  #estimate(of: SourceChanges, view: ItemView<object, unknown>, item: object): number {
    if (of.measureIn-- <= 0) {
      of.measureIn = itemsPerMeasure;
      of.estimate = view.json(item)?.length ?? 0;
    }
    return of.estimate;
  }

  #dropOldest(): void {
    if (this.#searchIn-- <= 0 || this.#largest === undefined || this.#largest.changes.length === 0) {
      this.#searchIn = dropsPerSearch;
      this.#largest = undefined;
      for (const [source, of] of this.#sources) {
        if (of.changes.length === 0) this.#sources.delete(source);
        else if (this.#largest === undefined || of.bytes > this.#largest.bytes) this.#largest = of;
      }
    }
    const of = this.#largest as SourceChanges;
    const change = of.changes.shift() as RecordedChange;
    if (of.settled > 0) of.settled--;
    of.bytes -= change.bytes;
    this.#size--;
    this.#bytes -= change.bytes;
    const followed = this.#followed.length === 0 ? undefined : this.#followedOf(change.source, change.key);
    if (followed === undefined) this.#release(change);
    else this.#keep(followed, change);
  }

  #keep(followed: Followed, change: RecordedChange): void {
    const { changes } = followed;
    changes.push(change);
    followed.bytes += change.bytes;
    while (changes.length > mostFollowed || followed.bytes > mostFollowedBytes) {
      const dropped = changes.shift() as RecordedChange;
      followed.bytes -= dropped.bytes;
      this.#release(dropped);
    }
  }

  #release(change: RecordedChange): void {
    if (change.hasCopy) this.#copies.release(change.old as Raw<unknown>);
  }
}

/** As a small integer, which needs no memory of its own: up to half an hour. */
function micros(ms: number): number {
  return ms < 2_000_000 ? Math.round(ms * 1000) : 2_000_000_000;
}

/** The calls of handlers with the state of a change, oldest first. */
export function callsOf({ lastCall }: RecordedChange): readonly RecordedCall[] {
  const calls: RecordedCall[] = [];
  for (let call = lastCall; call !== undefined; call = call.before) calls.push(call);
  return calls.reverse();
}
