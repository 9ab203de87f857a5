import type { Abortable } from '../meta/objects.js';
import type { EnqueueHint } from '../meta/queue-sink.js';
import { Ring } from '../meta/ring.js';
import { ShardedMap } from '../meta/sharded-map.js';
import { optionError, requireFunction, requireString } from '../meta/validate.js';
import { channels } from '../observe/channels.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import { Waiters } from '../time/waiters.js';
import { type KeyOf, keyByValue } from './key-by-value.js';

/** An item in the queue. Inner queues see it; everybody else sees the item. */
export interface QueueEntry<T> {
  readonly item: T;
}

/** The order in which waiting items come out. The work queue keeps duplicates away from it. */
export interface InnerQueue<T> {
  readonly length: number;
  push(entry: QueueEntry<T>): void;
  /** The next entry; called only while there is one. */
  pop(): QueueEntry<T>;
  /** The item was added again while it waits here; a queue of priorities may move it. */
  touch(entry: QueueEntry<T>): void;
}

/** Options of every work queue. */
export interface WorkQueueOptions<T> {
  /** Names the queue in metrics; a queue without a name has none. */
  readonly name?: string | undefined;
  /** @default the machine's clock */
  readonly clock?: Clock | undefined;
  /** What makes two items the same. @default strings as they are, objects by their fields */
  readonly keyOf?: KeyOf<T> | undefined;
  /** The order of waiting items. @default first in, first out */
  readonly inner?: InnerQueue<T> | undefined;
}

/**
 * queued: waits in the inner queue; processing: was handed out; dirty: was handed out and added again since, so that it goes
 * back to the queue when it is done.
 */
type State = 'queued' | 'processing' | 'dirty';

/** One concept, one record: an item that is anywhere in the queue has exactly one of these. */
interface Entry<T> extends QueueEntry<T> {
  state: State;
  causes: string[] | undefined;
  /** When it was added, and from `get` on when it was taken; negative if nobody listened then. */
  since: number;
  addedAgainAt: number;
}

const noCauses: readonly string[] = Object.freeze([]);
/** More reasons than this help nobody, and a hot key would collect them for ever. */
const causesKept = 8;

/**
 * A queue of work to do, in which an item is a name for the work and not the work itself.
 *
 * - An item is in the queue once, however often it is added before somebody takes it.
 * - An item that was taken is not handed out again until `done`; added meanwhile, it comes back then.
 * - Nothing that was added is lost before `shutDown`; nothing is accepted after it, and what is queued can still be taken.
 *
 * Every `get` needs its `done`: `processQueue` makes sure of that.
 */
export class WorkQueue<T = string> {
  readonly name: string | undefined;
  readonly clock: Clock;
  readonly #keyOf: KeyOf<T>;
  readonly #entries = new ShardedMap<unknown, Entry<T>>();
  readonly #queue: InnerQueue<T>;
  readonly #getters = new Waiters<T>();
  readonly #drainers: (() => void)[] = [];
  #processing = 0;
  #dirty = 0;
  #shuttingDown = false;

  constructor(options: WorkQueueOptions<T> = {}) {
    if (options.name !== undefined) requireString('name', options.name);
    if (options.keyOf !== undefined) requireFunction('keyOf', options.keyOf);
    if (options.inner !== undefined && options.inner.length !== 0)
      throw optionError('inner', 'an empty queue', options.inner);
    this.name = options.name;
    this.clock = options.clock ?? realClock;
    this.#keyOf = options.keyOf ?? keyByValue;
    this.#queue = options.inner ?? new Fifo<T>();
  }

  /** Items that wait to be taken; those being processed do not count. */
  get length(): number {
    return this.#queue.length;
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Marks the item as in need of work. Does nothing if that is known already, or after shutdown. */
  add(item: T): void {
    this.#add(item, undefined);
  }

  /** `add` that remembers why: the reconcile is told, see `ReconcileContext.causes`. */
  addWithHint(item: T, hint: EnqueueHint): void {
    this.#add(item, hint.cause);
  }

  /**
   * The next item, now or when there is one. `undefined` means: no more, because the queue was shut down or the signal
   * aborted.
   */
  get(options: Abortable = {}): Promise<T | undefined> {
    if (options.signal?.aborted) return Promise.resolve(undefined);
    if (this.#queue.length > 0) return Promise.resolve(this.#take());
    if (this.#shuttingDown) return Promise.resolve(undefined);
    return this.#getters.wait(options.signal);
  }

  /** The next item if there is one. */
  tryGet(): T | undefined {
    return this.#queue.length > 0 ? this.#take() : undefined;
  }

  /** The work on an item that `get` handed out has ended, well or not. */
  done(item: T): void {
    const key = this.#keyOf(item);
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.state === 'queued') return;
    this.#processing--;
    if (this.name !== undefined && channels.workqueueDone.hasSubscribers) {
      const workedMs = this.#elapsed(entry.since);
      channels.workqueueDone.publish({ queue: this.name, item: entry.item, depth: this.#depth, workedMs });
    }
    if (entry.state === 'dirty') {
      this.#dirty--;
      entry.state = 'queued';
      entry.since = entry.addedAgainAt;
      this.#push(entry);
    } else {
      this.#entries.delete(key);
    }
    if (this.#processing === 0) this.#endDrain();
  }

  /** Why an item was added that `get` has just handed out. Ask at once: adding it again starts a new list of reasons. */
  causesOf(item: T): readonly string[] {
    const entry = this.#entries.get(this.#keyOf(item));
    return entry === undefined || entry.state === 'queued' ? noCauses : (entry.causes ?? noCauses);
  }

  /**
   * Accepts nothing more; those who wait for an item are sent home. Resolves at once, or with `drain` when everything that
   * had been handed out is done. A later call without `drain` ends the wait of an earlier one with it.
   */
  shutDown(options: { readonly drain?: boolean | undefined } = {}): Promise<void> {
    if (!this.#shuttingDown) {
      this.#shuttingDown = true;
      this.#getters.dismiss();
      this.onShutDown();
    }
    if (options.drain !== true) this.#endDrain();
    if (options.drain !== true || this.#processing === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drainers.push(resolve));
  }

  /** For queues built on this one: whether the item is to come out, now or after the run that is under way. */
  protected isWaiting(item: T): boolean {
    const state = this.#entries.get(this.#keyOf(item))?.state;
    return state === 'queued' || state === 'dirty';
  }

  /** For queues built on this one: called once, when shutdown begins. */
  protected onShutDown(): void {}

  #add(item: T, cause: string | undefined): void {
    if (this.#shuttingDown) return;
    const key = this.#keyOf(item);
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      const causes = cause === undefined ? undefined : [cause];
      const added: Entry<T> = { item, state: 'queued', causes, since: this.#tellAdded(item), addedAgainAt: -1 };
      this.#entries.set(key, added);
      this.#push(added);
    } else if (entry.state === 'queued') {
      this.#remember(entry, cause);
      this.#queue.touch(entry);
    } else {
      if (entry.state === 'processing') {
        entry.state = 'dirty';
        // The causes of the run under way belong to its reconcile; the next run has its own.
        entry.causes = undefined;
        entry.addedAgainAt = this.#tellAdded(item);
        this.#dirty++;
      }
      this.#remember(entry, cause);
    }
  }

  #remember(entry: Entry<T>, cause: string | undefined): void {
    if (cause === undefined) return;
    entry.causes ??= [];
    if (entry.causes.length < causesKept && !entry.causes.includes(cause)) entry.causes.push(cause);
  }

  #push(entry: Entry<T>): void {
    this.#queue.push(entry);
    if (this.#getters.any) this.#getters.serve(this.#take());
  }

  #take(): T {
    const entry = this.#queue.pop() as Entry<T>;
    entry.state = 'processing';
    this.#processing++;
    if (this.name !== undefined && channels.workqueueGet.hasSubscribers) {
      const waitedMs = this.#elapsed(entry.since);
      entry.since = this.clock.monotonicNow();
      channels.workqueueGet.publish({ queue: this.name, item: entry.item, depth: this.#depth, waitedMs });
    }
    return entry.item;
  }

  /** What is to come out, now or after a run that is under way. */
  get #depth(): number {
    return this.#queue.length + this.#dirty;
  }

  #elapsed(since: number): number {
    return since < 0 ? 0 : this.clock.monotonicNow() - since;
  }

  /** Publishes that the item is new to the queue; returns when that was. */
  #tellAdded(item: T): number {
    if (this.name === undefined || !channels.workqueueAdd.hasSubscribers) return -1;
    channels.workqueueAdd.publish({ queue: this.name, item, depth: this.#depth + 1 });
    return this.clock.monotonicNow();
  }

  #endDrain(): void {
    for (const resolve of this.#drainers.splice(0)) resolve();
  }
}

class Fifo<T> implements InnerQueue<T> {
  readonly #ring = new Ring<QueueEntry<T>>();

  get length(): number {
    return this.#ring.length;
  }

  push(entry: QueueEntry<T>): void {
    this.#ring.push(entry);
  }

  pop(): QueueEntry<T> {
    return this.#ring.shift() as QueueEntry<T>;
  }

  touch(): void {}
}
