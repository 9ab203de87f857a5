import type { EnqueueHint } from '../meta/enqueue-hint.js';
import type { Abortable } from '../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { optionError, requireFunction, requireString } from '../meta/options/validate.js';
import { channels } from '../observe/channels.js';
import { growTypedArray } from '../structures/grow-typed-array.js';
import { KeyNumbers } from '../structures/key-numbers.js';
import { NumberHeap } from '../structures/number-heap.js';
import { PagedArray } from '../structures/paged-array.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import { Waiters } from '../time/waiters.js';
import { InnerNumberQueue, type InnerQueue } from './inner-queue.js';
import { ItemCauses, noCauses } from './item-causes.js';
import { type KeyOf, keyByValue } from './key-by-value.js';
import { NumberFifo, type NumberQueue } from './number-queue.js';

/** Options of every work queue. */
export interface WorkQueueOptions<T> {
  /** Names the queue in metrics. @default none: the queue has no metrics */
  readonly name?: string | undefined;
  /** Times delays and metrics. @default realClock */
  readonly clock?: Clock | undefined;
  /** Items with the same key are one item. @default strings as they are, objects by their fields */
  readonly keyOf?: ((item: T) => unknown) | undefined;
  /** @internal The order of queued items. @default first in, first out */
  readonly inner?: InnerQueue<T> | undefined;
}

export const workQueueNames: OptionNames<WorkQueueOptions<never>> = {
  name: true,
  clock: true,
  keyOf: true,
  inner: true,
};

/** State of an item: unknown, or only delayed. */
const absent = 0;
/** Waits to be handed out. */
const queued = 1;
/** Handed out by `get`, and not done. */
const processing = 2;
/** Added again while processing: `done` queues it again. */
const dirty = 3;

const initialCapacity = 64;
/** A queue that never had more items than this keeps its memory when it becomes empty. */
const keptCapacity = 1024;

/**
 * A queue of items that name work to do, usually keys of objects.
 *
 * - An item is queued once, however often it is added before it is handed out.
 * - An item that was handed out is not handed out again before `done`; if it was added meanwhile, `done` queues it again.
 * - No item is lost before `shutDown`. After it no item is accepted, and queued items are still handed out.
 *
 * Every `get` needs a `done`; `processQueue` calls both.
 */
export class WorkQueue<T = string> {
  readonly name: string | undefined;
  readonly clock: Clock;
  readonly #keyOf: KeyOf<T>;
  /** An item has a number while it is queued, processing or delayed. The columns below are indexed by it. */
  readonly #numbers = new KeyNumbers();
  readonly #items = new PagedArray<T>();
  #states = new Uint8Array(initialCapacity);
  readonly #causes = new ItemCauses();
  /** When the item was queued, or handed out if it is processing; unset if the channel had no listener then. */
  readonly #since = new PagedArray<number>();
  /** When a dirty item was added again. */
  readonly #addedAgainAt = new PagedArray<number>();
  /** Delayed items by due time. An item can be delayed and in any state. */
  readonly #delayed = new NumberHeap();
  readonly #ready: NumberQueue;
  readonly #getters = new Waiters<T>(() => this.onGetters(this.hasGetters));
  readonly #watchers = new Waiters<true>(() => this.onGetters(this.hasGetters));
  readonly #drainers: (() => void)[] = [];
  #processing = 0;
  #dirty = 0;
  #shuttingDown = false;

  constructor(options: WorkQueueOptions<T> = {}) {
    checkOptions('new WorkQueue', options, workQueueNames);
    if (options.name !== undefined) requireString('name', options.name);
    if (options.keyOf !== undefined) requireFunction('keyOf', options.keyOf);
    if (options.inner !== undefined && options.inner.length !== 0)
      throw optionError('inner', 'an empty queue', options.inner);
    this.name = options.name;
    this.clock = options.clock ?? realClock;
    this.#keyOf = options.keyOf ?? keyByValue;
    this.#ready = options.inner === undefined ? new NumberFifo() : new InnerNumberQueue(options.inner, this.#items);
  }

  /** The number of queued items, without those being processed. */
  get length(): number {
    return this.#ready.length;
  }

  /** @internal The number of items that were handed out and are not done. */
  get processing(): number {
    return this.#processing;
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Queues the item, or marks it dirty if it is being processed. Does nothing if it is queued or dirty, or after `shutDown`. */
  add(item: T): void {
    this.#add(item, undefined);
  }

  /** @internal `add` with a cause, which becomes part of `ReconcileContext.causes`. */
  addWithHint(item: T, hint: EnqueueHint): void {
    this.#add(item, hint.cause);
  }

  /**
   * Resolves with the next item when there is one, or with undefined when the queue is shut down and empty or the signal
   * aborts.
   */
  get(options: Abortable = {}): Promise<T | undefined> {
    if (checkOptions('queue.get', options, abortableNames).signal?.aborted) return Promise.resolve(undefined);
    if (this.#ready.length > 0) return Promise.resolve(this.#take());
    if (this.#shuttingDown) return Promise.resolve(undefined);
    return this.#getters.wait(options.signal);
  }

  /**
   * Resolves with true when an item is queued, and takes none: `tryGet` does, in the same turn or later, so that changes until then
   * are part of its run. Resolves with false when the queue is shut down or the signal aborts.
   */
  async ready(options: Abortable = {}): Promise<boolean> {
    if (checkOptions('queue.ready', options, abortableNames).signal?.aborted) return false;
    if (this.#ready.length > 0) return true;
    if (this.#shuttingDown) return false;
    return (await this.#watchers.wait(options.signal)) === true;
  }

  /** The next item; undefined if none is queued. */
  tryGet(): T | undefined {
    return this.#ready.length > 0 ? this.#take() : undefined;
  }

  /** Ends the processing of an item that was handed out, whether it succeeded or failed. */
  done(item: T): void {
    const number = this.#numberOf(item);
    if (!this.#isRunning(number)) return;
    this.#processing--;
    if (this.name !== undefined && channels.workqueueDone.hasSubscribers) {
      const workedMs = this.#elapsed(this.#since.get(number));
      const known = this.#items.get(number);
      channels.workqueueDone.publish({ queue: this.name, item: known, depth: this.#depth, workedMs });
    }
    if (this.#states[number] === dirty) {
      this.#dirty--;
      this.#states[number] = queued;
      this.#note(this.#since, number, this.#addedAgainAt.get(number));
      this.#ready.push(number);
      this.#serve();
    } else {
      this.#states[number] = absent;
      this.#causes.forget(number);
      if (!this.#delayed.has(number)) this.#forget(number);
    }
    if (this.#processing === 0) this.#endDrain();
  }

  /** Why an item that is being processed was added. Call it right after `get`: adding the item again replaces the causes. */
  causesOf(item: T): readonly string[] {
    const number = this.#numberOf(item);
    return this.#isRunning(number) ? this.#causes.of(number) : noCauses;
  }

  /**
   * Accepts no more items, drops delayed ones, and resolves waiting `get` calls with undefined. Resolves at once, or with
   * `drain` when every item that was handed out is done. A later call without `drain` resolves an earlier one with it.
   */
  shutDown(options: { readonly drain?: boolean | undefined } = {}): Promise<void> {
    checkOptions('queue.shutDown', options, { drain: true });
    if (!this.#shuttingDown) {
      this.#shuttingDown = true;
      this.#getters.dismiss();
      this.#watchers.dismiss();
      this.#delayed.clear();
      this.onShutDown();
    }
    if (options.drain !== true || this.#processing === 0) {
      this.#endDrain();
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#drainers.push(resolve));
  }

  /** For subclasses: whether the item is queued or dirty. */
  protected isWaiting(item: T): boolean {
    const state = this.#states[this.#numberOf(item)];
    return state === queued || state === dirty;
  }

  /** For subclasses: the number of delayed items. */
  protected get delayedItems(): number {
    return this.#delayed.size;
  }

  /** For subclasses: the earliest `dueAt` of a delayed item; Infinity if there is none. */
  protected get firstDueAt(): number {
    return this.#delayed.size === 0 ? Number.POSITIVE_INFINITY : this.#delayed.firstRank;
  }

  /**
   * For subclasses: delays the item until `addFirstDelayed` adds it. Of two delays of one item the earlier counts. Items with
   * equal `dueAt` keep the order of the calls. Does nothing after `shutDown`.
   */
  protected delay(item: T, dueAt: number): void {
    if (this.#shuttingDown) return;
    const number = this.#numberFor(item);
    if (this.#delayed.has(number) && this.#delayed.rankOf(number) <= dueAt) return;
    if (this.#states[number] === absent) this.#items.set(number, item);
    this.#delayed.set(number, dueAt);
  }

  /** For subclasses: adds the delayed item with the earliest `dueAt`. */
  protected addFirstDelayed(): void {
    const number = this.#delayed.pop();
    this.#enqueue(number, this.#items.get(number) as T, undefined);
  }

  /** For subclasses: drops the delay of the item, if it has one. */
  protected cancelDelayed(item: T): void {
    const number = this.#numberOf(item);
    if (!this.#delayed.has(number)) return;
    this.#delayed.delete(number);
    if (this.#states[number] === absent) this.#forget(number);
  }

  /** For subclasses: whether a `get` or `ready` waits. */
  protected get hasGetters(): boolean {
    return this.#getters.any || this.#watchers.any;
  }

  /** For subclasses: called with whether a `get` or `ready` waits, when that may have changed. */
  protected onGetters(_any: boolean): void {}

  /** For subclasses: called once, by the first `shutDown`. */
  protected onShutDown(): void {}

  #add(item: T, cause: string | undefined): void {
    if (!this.#shuttingDown) this.#enqueue(this.#numberFor(item), item, cause);
  }

  #numberOf(item: T): number {
    return this.#numbers.find(this.#keyOf(item));
  }

  #numberFor(item: T): number {
    const number = this.#numbers.add(this.#keyOf(item));
    if (number >= this.#states.length) this.#states = growTypedArray(this.#states, number);
    return number;
  }

  #enqueue(number: number, item: T, cause: string | undefined): void {
    const state = this.#states[number];
    // The causes so far belong to the run in progress.
    if (state === processing) this.#causes.forget(number);
    if (cause !== undefined) this.#causes.add(number, cause);
    if (state === absent) {
      this.#states[number] = queued;
      this.#items.set(number, item);
      this.#ready.push(number);
      this.#note(this.#since, number, this.#publishAdd(item));
      this.#serve();
    } else if (state === queued) {
      this.#ready.touch(number);
    } else if (state === processing) {
      this.#states[number] = dirty;
      this.#dirty++;
      this.#note(this.#addedAgainAt, number, this.#publishAdd(item));
    }
  }

  #serve(): void {
    if (this.#ready.length === 0) return;
    if (this.#getters.any) this.#getters.serve(this.#take());
    else while (this.#watchers.any) this.#watchers.serve(true);
  }

  #take(): T {
    const number = this.#ready.pop();
    this.#states[number] = processing;
    this.#processing++;
    const item = this.#items.get(number) as T;
    if (this.name !== undefined && channels.workqueueGet.hasSubscribers) {
      const waitedMs = this.#elapsed(this.#since.get(number));
      this.#since.set(number, this.clock.monotonicNow());
      channels.workqueueGet.publish({ queue: this.name, item, depth: this.#depth, waitedMs });
    }
    return item;
  }

  #forget(number: number): void {
    this.#numbers.remove(number);
    this.#items.unset(number);
    if (this.#numbers.size === 0 && this.#states.length > keptCapacity) this.#shrink();
  }

  #shrink(): void {
    this.#states = new Uint8Array(initialCapacity);
    for (const column of [this.#items, this.#causes, this.#since, this.#addedAgainAt]) column.clear();
    this.#delayed.clear();
    this.#ready.shrink();
  }

  #isRunning(number: number): boolean {
    const state = this.#states[number];
    return state === processing || state === dirty;
  }

  /** Queued and dirty items. */
  get #depth(): number {
    return this.#ready.length + this.#dirty;
  }

  #elapsed(since: number | undefined): number {
    return since === undefined ? 0 : this.clock.monotonicNow() - since;
  }

  #note(times: PagedArray<number>, number: number, at: number | undefined): void {
    if (at === undefined) times.unset(number);
    else times.set(number, at);
  }

  /** Publishes that the item became queued or dirty; returns the time if the channel has a listener. */
  #publishAdd(item: T): number | undefined {
    if (this.name === undefined || !channels.workqueueAdd.hasSubscribers) return undefined;
    channels.workqueueAdd.publish({ queue: this.name, item, depth: this.#depth });
    return this.clock.monotonicNow();
  }

  /** Resolves calls of `shutDown` that drain. Called when nothing is being processed, or when a drain is ended. */
  #endDrain(): void {
    if (this.#drainers.length > 0) for (const resolve of this.#drainers.splice(0)) resolve();
    // Delayed items are not removed one by one at shutdown, which would take long: free them all.
    if (this.#shuttingDown && this.#processing === 0 && this.#ready.length === 0 && this.#numbers.size > 0) {
      this.#numbers.clear();
      this.#shrink();
    }
  }
}
