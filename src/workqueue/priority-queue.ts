import type { EnqueueHint } from '../meta/enqueue-hint.js';
import { checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { requireNumber } from '../meta/options/validate.js';
import { Heap } from '../structures/heap.js';
import { Ring } from '../structures/ring.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import type { InnerQueue, QueueEntry } from './inner-queue.js';
import { keyByValue } from './key-by-value.js';
import { ItemExponentialLimiter, type RateLimiter } from './rate-limiters.js';
import { type QueueOptions, RateLimitingQueue } from './rate-limiting-queue.js';

/** The priority of items from an initial list or a resync, below that of new changes. */
export const lowPriority: number = -100;

/** Options of adding an item to a {@link PriorityQueue}. */
export interface PriorityOptions {
  /** Higher comes first. @default the priority it was handed out with, if the item is being processed; 0 otherwise */
  readonly priority?: number | undefined;
}

/** Options of a {@link PriorityQueue}. */
export interface PriorityQueueOptions<T> extends Omit<QueueOptions<T>, 'inner'> {
  /** How long an item waits before it is as urgent as any other, whatever its priority. @default 30_000 */
  readonly ageAfterMs?: number | undefined;
}

const priorityQueueNames: OptionNames<PriorityQueueOptions<never>> = {
  name: true,
  clock: true,
  keyOf: true,
  limiter: true,
  ageAfterMs: true,
};

const priorityNames: OptionNames<PriorityOptions> = { priority: true };

/**
 * A rate-limiting queue that hands out the item with the highest priority first, and items of equal priority in the order in
 * which they became ready.
 *
 * An item is in it once, with the highest priority and the earliest time of all its adds; a raised priority puts it at the
 * end of that level. While items have waited for longer than `ageAfterMs`, every second item that is handed out is the one that
 * has waited longest: nothing starves, and new changes still overtake a long initial list. Items that informers enqueue from an initial list or a resync have {@link lowPriority}, so that new
 * changes are processed first after a restart. A retry keeps the priority of the run that failed.
 */
export class PriorityQueue<T = string> extends RateLimitingQueue<T> {
  readonly #keyOf: (item: T) => unknown;
  readonly #order: PriorityOrder<T>;
  readonly #limiter: RateLimiter<T>;

  constructor(options: PriorityQueueOptions<T> = {}) {
    const { ageAfterMs = 30_000, ...base } = checkOptions('new PriorityQueue', options, priorityQueueNames);
    const keyOf = options.keyOf ?? keyByValue;
    const order = new PriorityOrder<T>(keyOf, options.clock ?? realClock, requireNumber('ageAfterMs', ageAfterMs));
    const limiter = options.limiter ?? new ItemExponentialLimiter<T>({ keyOf });
    super({ ...base, inner: order, limiter });
    this.#keyOf = keyOf;
    this.#order = order;
    this.#limiter = limiter;
  }

  override add(item: T, options: PriorityOptions = {}): void {
    checkOptions('queue.add', options, priorityNames);
    if (!this.#want(item, options.priority)) return;
    this.cancelDelayed(item);
    super.add(item);
  }

  /** @internal */
  override addWithHint(item: T, hint: EnqueueHint): void {
    if (!this.#want(item, hint.background ? lowPriority : undefined)) return;
    this.cancelDelayed(item);
    super.addWithHint(item, hint);
  }

  override addAfter(item: T, ms: number, options: PriorityOptions = {}): void {
    checkOptions('queue.addAfter', options, priorityNames);
    requireNumber('ms', ms, Number.NEGATIVE_INFINITY);
    if (!this.#want(item, options.priority)) return;
    // It is queued or dirty: the earlier time counts.
    if (this.isWaiting(item)) super.add(item);
    else if (ms > 0) super.addAfter(item, ms);
    else this.add(item, options);
  }

  override addRateLimited(item: T, options: PriorityOptions = {}): void {
    checkOptions('queue.addRateLimited', options, priorityNames);
    if (!this.isShuttingDown) this.addAfter(item, this.#limiter.when(item), options);
  }

  override done(item: T): void {
    this.#order.running.delete(this.#keyOf(item));
    super.done(item);
  }

  /** The priority of an item that is being processed; undefined for others. */
  priorityOf(item: T): number | undefined {
    return this.#order.running.get(this.#keyOf(item));
  }

  protected override onShutDown(): void {
    super.onShutDown();
    this.#order.running.clear();
  }

  #want(item: T, priority: number | undefined): boolean {
    if (this.isShuttingDown) return false;
    if (priority !== undefined) requireNumber('priority', priority, Number.NEGATIVE_INFINITY);
    const key = this.#keyOf(item);
    const { wanted, running } = this.#order;
    const asked = priority ?? running.get(key) ?? 0;
    wanted.set(key, Math.max(asked, wanted.get(key) ?? asked));
    return true;
  }
}

/** A queued item, in the heap and in the order of arrival. */
interface Waiting<T> {
  readonly key: unknown;
  readonly entry: QueueEntry<T>;
  readonly since: number;
  /** Whether it was handed out; it may still be in the order of arrival. */
  taken: boolean;
}

/** Handed out items that the order of arrival may hold, before it is rebuilt without them. */
const takenKept = 1024;

/** The queued items by priority and by arrival, and the priorities of items that are delayed or being processed. */
class PriorityOrder<T> implements InnerQueue<T> {
  /** Priorities of queued, delayed and dirty items. */
  readonly wanted: Map<unknown, number> = new Map();
  /** Priorities of items that are being processed. */
  readonly running: Map<unknown, number> = new Map();
  readonly #keyOf: (item: T) => unknown;
  readonly #clock: Clock;
  readonly #ageAfterMs: number;
  /** The rank is the negated priority: the heap pops the lowest rank first. */
  readonly #heap = new Heap<unknown, Waiting<T>>();
  #arrivals = new Ring<Waiting<T>>();
  /** Whether the last item was handed out because of its age. */
  #agedLast = false;

  constructor(keyOf: (item: T) => unknown, clock: Clock, ageAfterMs: number) {
    this.#keyOf = keyOf;
    this.#clock = clock;
    this.#ageAfterMs = ageAfterMs;
  }

  get length(): number {
    return this.#heap.size;
  }

  push(entry: QueueEntry<T>): void {
    const key = this.#keyOf(entry.item);
    const waiting = { key, entry, since: this.#clock.monotonicNow(), taken: false };
    this.#heap.set(key, waiting, -(this.wanted.get(key) ?? 0));
    this.#arrivals.push(waiting);
    if (this.#arrivals.length > 2 * this.#heap.size + takenKept) this.#sweep();
  }

  pop(): QueueEntry<T> {
    const aged = this.#agedLast ? undefined : this.#aged();
    this.#agedLast = aged !== undefined;
    const rank = (aged === undefined ? this.#heap.firstRank : this.#heap.rankOf(aged.key)) as number;
    const waiting = (aged === undefined ? this.#heap.pop() : this.#heap.delete(aged.key)) as Waiting<T>;
    waiting.taken = true;
    const { key, entry } = waiting;
    this.wanted.delete(key);
    this.running.set(key, -rank || 0);
    return entry;
  }

  touch(entry: QueueEntry<T>): void {
    const key = this.#keyOf(entry.item);
    const rank = -(this.wanted.get(key) ?? 0);
    if (rank < (this.#heap.rankOf(key) ?? rank)) this.#heap.set(key, this.#heap.delete(key) as Waiting<T>, rank);
  }

  /** The item that has waited longest, if that is longer than `ageAfterMs`. */
  #aged(): Waiting<T> | undefined {
    let first = this.#arrivals.at(0);
    while (first?.taken === true) {
      this.#arrivals.shift();
      first = this.#arrivals.at(0);
    }
    if (first === undefined || this.#clock.monotonicNow() - first.since < this.#ageAfterMs) return undefined;
    return first;
  }

  /** Without it one old item would keep all items that arrived after it and were handed out before it. */
  #sweep(): void {
    const rest = new Ring<Waiting<T>>();
    for (const waiting of this.#arrivals) if (!waiting.taken) rest.push(waiting);
    this.#arrivals = rest;
  }
}
