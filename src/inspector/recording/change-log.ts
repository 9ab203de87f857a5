import type { ItemEvent } from '../../cache/informer/informer-event.js';
import type { ItemView } from '../../cache/store/item-view.js';
import { copyRaw, Raw } from '../../codec/raw.js';
import { SlabArena } from '../../codec/slab.js';
import type { InformerSource } from '../../observe/channels.js';
import { Ring } from '../../structures/ring.js';

/** A change of an object in a store. States are kept as the store has them, and parsed when a page asks for them. */
export class RecordedChange {
  readonly source: InformerSource;
  readonly type: 'add' | 'update' | 'delete';
  readonly at: number;
  readonly isFromList: boolean;
  readonly view: ItemView<object, unknown>;
  readonly item: object;
  /** The state before; undefined for an addition. */
  old: object | undefined;
  /** Whether `old` is a copy that belongs to this change. */
  hasCopy = false;
  /** Its number among all changes, from 1 on: calls of handlers refer to it. */
  readonly number: number;
  /** What it counts for in the limit. */
  bytes = 0;

  constructor(source: InformerSource, event: ItemEvent<object, unknown>, at: number, number: number) {
    this.source = source;
    this.type = event.type;
    this.at = at;
    this.isFromList = 'isFromList' in event && event.isFromList;
    this.view = event.view;
    this.item = event.item;
    this.old = 'oldItem' in event ? event.oldItem : undefined;
    this.number = number;
  }

  get key(): string {
    return this.view.accessor.key(this.item);
  }

  get resourceVersion(): string {
    return this.view.accessor.resourceVersion(this.item);
  }
}

/** Options of a {@link ChangeLog}. */
export interface ChangeLogLimits {
  /** @default 30_000 */
  readonly mostChanges?: number | undefined;
  /** Of a process with many changes; a busier one keeps less. @default 33_554_432 */
  readonly mostBytes?: number | undefined;
}

/** The changes of an object that a page looks at, which are kept when the log is full, and their bytes. */
const mostFollowed = 200;
const mostFollowedBytes = 1024 * 1024;
/** How many objects can be followed at a time, and for how long after a page has asked for one. */
const mostFollowing = 32;
const followMs = 60_000;
/** The age at which the state before a change is copied: most changes of a busy store are dropped before. */
const copyAfterMs = 10_000;
/**
 * The changes of a busy process are kept for a shorter time, in fewer bytes: with a limit of 32 MB, that limit up to 1 MB a second, half of it at 2 MB a
 * second, and so on, down to a sixteenth. What lives for some seconds costs the garbage collector much more than what is dropped at once.
 */
const secondsToFill = 32;
const leastShare = 1 / 16;
/** How often the informer with the most bytes is looked for, in changes that were dropped. */
const dropsPerSearch = 64;
/** Items that are no bytes: the size of one among so many is measured. */
const itemsPerMeasure = 256;
/** The least that a change counts for: the record itself. */
const recordBytes = 256;
/**
 * Changes that are filed at a time. The code and data for that are not in the processor's caches while changes arrive one by one, so that
 * filing a change alone takes several times as long.
 */
const filedTogether = 64;

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
  readonly #mostChanges: number;
  readonly #limitBytes: number;
  #mostBytes: number;
  readonly #sources = new Map<InformerSource, SourceChanges>();
  readonly #followed: Followed[] = [];
  readonly #copies = new SlabArena();
  /** The last changes, which are not filed yet. */
  #incoming: RecordedChange[] = [];
  #added = 0;
  #size = 0;
  #bytes = 0;
  /** The bytes that were added since the last {@link settle}, and when that was. */
  #newBytes = 0;
  #settledAt: number | undefined;
  #largest: SourceChanges | undefined;
  #searchIn = 0;

  constructor(limits: ChangeLogLimits = {}) {
    this.#mostChanges = limits.mostChanges ?? 30_000;
    this.#limitBytes = limits.mostBytes ?? 32 * 1024 * 1024;
    // Until the rate is known, as little as of a busy process.
    this.#mostBytes = this.#limitBytes * leastShare;
  }

  get size(): number {
    this.#file();
    return this.#size;
  }

  get bytes(): number {
    this.#file();
    return this.#bytes;
  }

  /** The bytes that it keeps at most, at the present rate of changes. */
  get mostBytes(): number {
    return this.#mostBytes;
  }

  /** When the oldest change in it happened. */
  get oldestAt(): number | undefined {
    this.#file();
    let oldest: number | undefined;
    for (const { changes } of this.#sources.values()) {
      const at = changes.at(0)?.at;
      if (at !== undefined && (oldest === undefined || at < oldest)) oldest = at;
    }
    return oldest;
  }

  add(source: InformerSource, event: ItemEvent<object, unknown>, at: number): RecordedChange {
    const change = new RecordedChange(source, event, at, ++this.#added);
    if (this.#incoming.push(change) === filedTogether) this.#file();
    return change;
  }

  /**
   * Copies the states before changes of some age, so that these keep no slab of a store in memory, and adapts {@link mostBytes}. Called about once a
   * second.
   */
  settle(now: number): void {
    this.#file();
    if (this.#settledAt !== undefined && now > this.#settledAt) {
      const perSecond = (this.#newBytes * 1000) / (now - this.#settledAt);
      const share = this.#limitBytes / secondsToFill / perSecond;
      this.#mostBytes = this.#limitBytes * Math.min(1, Math.max(leastShare, share));
    }
    this.#settledAt = now;
    this.#newBytes = 0;
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
    this.#file();
    const found = [...(this.#followedOf(source, key)?.changes ?? [])];
    for (const change of this.all(source)) if (change.key === key) found.push(change);
    return found;
  }

  /** All changes of an informer in the log, oldest first. */
  all(source: InformerSource): Iterable<RecordedChange> {
    this.#file();
    return this.#sources.get(source)?.changes ?? [];
  }

  /** The changes of this object are kept when the log is full, for a minute from now on. */
  follow(source: InformerSource, key: string, now: number): void {
    this.#file();
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

  /** Files the incoming changes by their informers, and drops what is above the limits. */
  #file(): void {
    if (this.#incoming.length === 0) return;
    const incoming = this.#incoming;
    this.#incoming = [];
    for (const change of incoming) {
      const { source, item, old } = change;
      const of = this.#sources.get(source) ?? this.#addSource(source);
      const size = item instanceof Raw ? item.length : this.#estimate(of, change.view, item);
      // The state before counts too: either it is copied, or it keeps memory of the store.
      const bytes = recordBytes + (old === undefined ? size : 2 * size);
      change.bytes = bytes;
      of.changes.push(change);
      of.bytes += bytes;
      this.#size++;
      this.#bytes += bytes;
      this.#newBytes += bytes;
      while (this.#size > this.#mostChanges || this.#bytes > this.#mostBytes) this.#dropOldest();
    }
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
