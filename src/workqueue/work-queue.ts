import type { EnqueueHint } from '../meta/enqueue-hint.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/known-options.js';
import type { Abortable } from '../meta/objects.js';
import { optionError, requireFunction, requireString } from '../meta/validate.js';
import { channels } from '../observe/channels.js';
import { growTypedArray } from '../structures/grow-typed-array.js';
import { KeyNumbers } from '../structures/key-numbers.js';
import { NumberHeap } from '../structures/number-heap.js';
import { PagedArray } from '../structures/paged-array.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import { Waiters } from '../time/waiters.js';
import { Causes, noCauses } from './causes.js';
import { type KeyOf, keyByValue } from './key-by-value.js';
import { Fifo, InnerLine, type InnerQueue, type Line } from './line.js';

/** Options of every work queue. */
export interface WorkQueueOptions<T> {
  /** Names the queue in metrics. @default none: the queue has no metrics */
  readonly name?: string | undefined;
  /** @default the machine's clock */
  readonly clock?: Clock | undefined;
  /** What makes two items the same. @default strings as they are, objects by their fields */
  readonly keyOf?: ((item: T) => unknown) | undefined;
  /** @internal The order of waiting items. @default first in, first out */
  readonly inner?: InnerQueue<T> | undefined;
}

export const workQueueNames: OptionNames<WorkQueueOptions<never>> = {
  name: true,
  clock: true,
  keyOf: true,
  inner: true,
};

/** The states of an item. This one: it is not in the queue, or only waits for its time. */
const absent = 0;
/** It waits to be taken. */
const queued = 1;
/** It was handed out. */
const processing = 2;
/** It was handed out and added again since, so that it goes back to the queue when it is done. */
const dirty = 3;

const fewestStates = 64;
/** A queue that was no longer than this keeps its memory for the next time. */
const worthShrinking = 1024;

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
  /** An item has a number while it is anywhere here. What is known of it stands in columns, at that number. */
  readonly #numbers = new KeyNumbers();
  readonly #items = new PagedArray<T>();
  #states = new Uint8Array(fewestStates);
  readonly #causes = new Causes();
  /** When it was added, and from `get` on when it was taken; nothing if nobody listened then. */
  readonly #since = new PagedArray<number>();
  readonly #addedAgainAt = new PagedArray<number>();
  /** Items that wait for their time, whatever else they do. */
  readonly #delayed = new NumberHeap();
  readonly #line: Line;
  readonly #getters = new Waiters<T>((any) => this.onGetters(any));
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
    this.#line = options.inner === undefined ? new Fifo() : new InnerLine(options.inner, this.#items);
  }

  /** Items that wait to be taken; those being processed do not count. */
  get length(): number {
    return this.#line.length;
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Marks the item as in need of work. Does nothing if that is known already, or after shutdown. */
  add(item: T): void {
    this.#add(item, undefined);
  }

  /** @internal `add` that remembers why: the reconcile is told, see `ReconcileContext.causes`. */
  addWithHint(item: T, hint: EnqueueHint): void {
    this.#add(item, hint.cause);
  }

  /**
   * The next item, now or when there is one. `undefined` means: no more, because the queue was shut down or the signal
   * aborted.
   */
  get(options: Abortable = {}): Promise<T | undefined> {
    if (checkOptions('queue.get', options, abortableNames).signal?.aborted) return Promise.resolve(undefined);
    if (this.#line.length > 0) return Promise.resolve(this.#take());
    if (this.#shuttingDown) return Promise.resolve(undefined);
    return this.#getters.wait(options.signal);
  }

  /** The next item if there is one. */
  tryGet(): T | undefined {
    return this.#line.length > 0 ? this.#take() : undefined;
  }

  /** The work on an item that `get` handed out has ended, well or not. */
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
      this.#line.push(number);
      this.#serve();
    } else {
      this.#states[number] = absent;
      this.#causes.forget(number);
      if (!this.#delayed.has(number)) this.#forget(number);
    }
    if (this.#processing === 0) this.#rest();
  }

  /** Why an item was added that `get` has just handed out. Ask at once: adding it again starts a new list of reasons. */
  causesOf(item: T): readonly string[] {
    const number = this.#numberOf(item);
    return this.#isRunning(number) ? this.#causes.of(number) : noCauses;
  }

  /**
   * Accepts nothing more; those who wait for an item are sent home. Resolves at once, or with `drain` when everything that
   * had been handed out is done. A later call without `drain` ends the wait of an earlier one with it.
   */
  shutDown(options: { readonly drain?: boolean | undefined } = {}): Promise<void> {
    checkOptions('queue.shutDown', options, { drain: true });
    if (!this.#shuttingDown) {
      this.#shuttingDown = true;
      this.#getters.dismiss();
      this.#delayed.clear();
      this.onShutDown();
    }
    if (options.drain !== true || this.#processing === 0) {
      this.#rest();
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#drainers.push(resolve));
  }

  /** For queues built on this one: whether the item is to come out, now or after the run that is under way. */
  protected isWaiting(item: T): boolean {
    const state = this.#states[this.#numberOf(item)];
    return state === queued || state === dirty;
  }

  /** For queues built on this one: how many items wait for their time. */
  protected get delayedItems(): number {
    return this.#delayed.size;
  }

  /** For queues built on this one: when the first of them is due, in whatever time they count; Infinity if none waits. */
  protected get firstDueAt(): number {
    return this.#delayed.size === 0 ? Number.POSITIVE_INFINITY : this.#delayed.firstRank;
  }

  /**
   * For queues built on this one: the item is to be added later, by `addFirstDelayed`. It waits once: asked for again, the
   * earlier time wins. Equal times keep the order in which they were asked for. Does nothing after shutdown.
   */
  protected delay(item: T, dueAt: number): void {
    if (this.#shuttingDown) return;
    const number = this.#numberFor(item);
    if (this.#delayed.has(number) && this.#delayed.rankOf(number) <= dueAt) return;
    if (this.#states[number] === absent) this.#items.set(number, item);
    this.#delayed.set(number, dueAt);
  }

  /** For queues built on this one: adds the item that is due first. */
  protected addFirstDelayed(): void {
    const number = this.#delayed.pop();
    this.#enqueue(number, this.#items.get(number) as T, undefined);
  }

  /** For queues built on this one: the delayed add of the item, if there is one, will not happen. */
  protected cancelDelayed(item: T): void {
    const number = this.#numberOf(item);
    if (!this.#delayed.has(number)) return;
    this.#delayed.delete(number);
    if (this.#states[number] === absent) this.#forget(number);
  }

  /** For queues built on this one: whether anybody waits in `get`. */
  protected get hasGetters(): boolean {
    return this.#getters.any;
  }

  /** For queues built on this one: called when somebody waits in `get`, and when nobody does any more. */
  protected onGetters(_any: boolean): void {}

  /** For queues built on this one: called once, when shutdown begins. */
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
    // The causes of the run under way belong to its reconcile; the next run has its own.
    if (state === processing) this.#causes.forget(number);
    if (cause !== undefined) this.#causes.add(number, cause);
    if (state === absent) {
      this.#states[number] = queued;
      this.#items.set(number, item);
      this.#line.push(number);
      this.#note(this.#since, number, this.#tellAdded(item));
      this.#serve();
    } else if (state === queued) {
      this.#line.touch(number);
    } else if (state === processing) {
      this.#states[number] = dirty;
      this.#dirty++;
      this.#note(this.#addedAgainAt, number, this.#tellAdded(item));
    }
  }

  #serve(): void {
    if (this.#getters.any && this.#line.length > 0) this.#getters.serve(this.#take());
  }

  #take(): T {
    const number = this.#line.pop();
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
    if (this.#numbers.size === 0 && this.#states.length > worthShrinking) this.#shrink();
  }

  #shrink(): void {
    this.#states = new Uint8Array(fewestStates);
    for (const column of [this.#items, this.#causes, this.#since, this.#addedAgainAt]) column.clear();
    this.#delayed.clear();
    this.#line.shrink();
  }

  #isRunning(number: number): boolean {
    const state = this.#states[number];
    return state === processing || state === dirty;
  }

  /** What is to come out, now or after a run that is under way. */
  get #depth(): number {
    return this.#line.length + this.#dirty;
  }

  #elapsed(since: number | undefined): number {
    return since === undefined ? 0 : this.clock.monotonicNow() - since;
  }

  #note(times: PagedArray<number>, number: number, at: number | undefined): void {
    if (at === undefined) times.unset(number);
    else times.set(number, at);
  }

  /** Publishes that the item is new to the queue; returns when that was, if anybody listens. */
  #tellAdded(item: T): number | undefined {
    if (this.name === undefined || !channels.workqueueAdd.hasSubscribers) return undefined;
    channels.workqueueAdd.publish({ queue: this.name, item, depth: this.#depth });
    return this.clock.monotonicNow();
  }

  /** Nothing is being processed, or nobody waits for it any more. */
  #rest(): void {
    if (this.#drainers.length > 0) for (const resolve of this.#drainers.splice(0)) resolve();
    // What only waited for its time has not been let go of one by one: that would take long.
    if (this.#shuttingDown && this.#processing === 0 && this.#line.length === 0 && this.#numbers.size > 0) {
      this.#numbers.clear();
      this.#shrink();
    }
  }
}
