import type { ItemEvent } from '../../cache/informer/informer-event.js';
import type { ItemView } from '../../cache/store/item-view.js';
import { copyRaw, Raw } from '../../codec/raw.js';
import { SlabArena } from '../../codec/slab.js';
import type { InformerSource } from '../../observe/channels.js';
import { Ring } from '../../structures/ring.js';

/** A call of a handler with a state of an object. */
export interface RecordedCall {
  readonly subscription: object;
  readonly handler: string;
  readonly at: number;
  readonly lagMs: number | undefined;
  readonly durationMs: number;
  readonly error: string | undefined;
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
  readonly old: object | undefined;
  /** Whether `old` is a copy that belongs to this change. */
  readonly hasCopy: boolean;
  /** The calls of handlers that got this state; at most {@link mostCalls}. */
  calls: RecordedCall[] | undefined;
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
 * The states of an object are the items of the store, by reference: the new one is in a slab that was written lately. The one before may
 * be the last one in a slab that the store has given up, so it is copied, unless it is the state of an earlier change in this log.
 */
export class ChangeLog {
  readonly #mostChanges: number;
  readonly #mostBytes: number;
  readonly #sources = new Map<InformerSource, SourceChanges>();
  readonly #byItem = new Map<object, RecordedChange>();
  readonly #followed: Followed[] = [];
  readonly #copies = new SlabArena();
  #size = 0;
  #bytes = 0;
  #largest: SourceChanges | undefined;
  #searchIn = 0;

  constructor(limits: ChangeLogLimits = {}) {
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

  add(source: InformerSource, event: ItemEvent<object, unknown>, at: number): void {
    const of = this.#of(source);
    const { view, item, type } = event;
    const before = 'oldItem' in event ? event.oldItem : undefined;
    const old = before === undefined || this.#byItem.has(before) ? before : this.#copied(before);
    const hasCopy = old !== before;
    const bytes = recordBytes + this.#sizeOf(of, view, item) + (hasCopy ? (old as Raw<unknown>).length : 0);
    const change: RecordedChange = {
      source,
      type,
      key: event.key,
      resourceVersion: view.accessor.resourceVersion(item),
      at,
      isFromList: 'isFromList' in event && event.isFromList,
      view,
      item,
      old,
      hasCopy,
      calls: undefined,
      bytes,
    };
    of.changes.push(change);
    of.bytes += bytes;
    this.#byItem.set(item, change);
    this.#size++;
    this.#bytes += bytes;
    while (this.#size > this.#mostChanges || this.#bytes > this.#mostBytes) this.#dropOldest();
  }

  /** A handler was called with an item of a change. Calls with items of no change in the log are dropped. */
  addCall(item: object, call: RecordedCall): void {
    const change = this.#byItem.get(item);
    if (change === undefined) return;
    if (change.calls === undefined) change.calls = [call];
    else if (change.calls.length < mostCalls) change.calls.push(call);
  }

  /** The changes of one object, oldest first. */
  of(source: InformerSource, key: string): readonly RecordedChange[] {
    const found = [...(this.#followedOf(source, key)?.changes ?? [])];
    for (const change of this.#sources.get(source)?.changes ?? []) if (change.key === key) found.push(change);
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

  #of(source: InformerSource): SourceChanges {
    let of = this.#sources.get(source);
    if (of === undefined) {
      of = { changes: new Ring(), bytes: 0, estimate: 0, measureIn: 0 };
      this.#sources.set(source, of);
    }
    return of;
  }

  #copied(item: object): object {
    if (!(item instanceof Raw)) return item;
    const copy = copyRaw(item, this.#copies);
    this.#copies.retain(copy);
    return copy;
  }

  #sizeOf(of: SourceChanges, view: ItemView<object, unknown>, item: object): number {
    if (item instanceof Raw) return item.length;
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
    of.bytes -= change.bytes;
    const followed = this.#followed.length === 0 ? undefined : this.#followedOf(change.source, change.key);
    if (followed === undefined) this.#release(change);
    else this.#keep(followed, change);
    this.#size--;
    this.#bytes -= change.bytes;
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
    if (this.#byItem.get(change.item) === change) this.#byItem.delete(change.item);
    if (change.hasCopy) this.#copies.release(change.old as Raw<unknown>);
  }
}
