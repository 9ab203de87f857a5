import { asError, KubeflectError } from '../../meta/errors/errors.js';
import type { Abortable } from '../../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import {
  requireFunction,
  requireInteger,
  requireNumber,
  requireOneOf,
  requireSignal,
} from '../../meta/options/validate.js';
import { channels, type InformerSource } from '../../observe/channels.js';
import type { Clock } from '../../time/clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../../time/scheduler.js';
import { onAbort } from '../../time/signals.js';
import { SyncState } from '../queue/sync-state.js';
import type { ItemView } from '../store/item-view.js';
import { type EventRing, FifoRing, isInitial, MergingRing } from './event-ring.js';
import { type InformerEvent, ItemAdd, type ItemEvent } from './informer-event.js';

/** Options of a handler. */
export interface SubscribeOptions<T> extends Abortable {
  /** In reports and metrics. @default the name of the function */
  readonly name?: string | undefined;
  /** How often it gets an update event for every cached object; 0 for never. At least 1,000. @default the informer's */
  readonly resyncMs?: number | undefined;
  /** Events for which this returns false are skipped. @default none: the handler gets every event */
  readonly filter?: ((event: InformerEvent<T>) => boolean) | undefined;
  /** Whether the handler gets further events after it has thrown. The error is reported in both cases. @default 'continue' */
  readonly onError?: 'continue' | 'stop' | undefined;
  /** Whether waiting events of one object are merged, so that a slow handler skips outdated states. @default false */
  readonly coalesce?: boolean | undefined;
  /**
   * The informer stops reading while more events than this wait, and continues at half of it. The first list is always
   * delivered as a whole. @default no limit
   */
  readonly maxPending?: number | undefined;
}

/** {@link SubscribeOptions} without those that depend on the type of the objects. */
export interface EnqueueOptions extends Omit<SubscribeOptions<never>, 'filter'> {}

export const subscribeNames: OptionNames<SubscribeOptions<never>> = {
  ...abortableNames,
  name: true,
  resyncMs: true,
  filter: true,
  onError: true,
  coalesce: true,
  maxPending: true,
};

/** Checks the values of the options; their names are checked by each call that takes them. */
export function validateSubscribeOptions<T>(options: SubscribeOptions<T>): void {
  requireSignal('signal', options.signal);
  if (options.resyncMs !== undefined) requireNumber('resyncMs', options.resyncMs);
  if (options.filter !== undefined) requireFunction('filter', options.filter);
  if (options.onError !== undefined) requireOneOf('onError', options.onError, ['continue', 'stop']);
  if (options.maxPending !== undefined) requireInteger('maxPending', options.maxPending, 1);
}

/** A handler that was added to an informer. */
export interface Subscription extends AsyncDisposable {
  /** Whether the informer has synced and the handler has finished its calls for the first list. */
  readonly hasSynced: boolean;
  /** Rejects with a {@link SubscriptionRemovedError} if the handler is removed, or its informer stopped, before that. */
  whenSynced(options?: Abortable): Promise<void>;
  /**
   * No call of the handler starts after this returns; the promise settles when the running call has ended. Do not await it
   * inside of the handler: it would wait for itself.
   */
  remove(): Promise<void>;
}

/** What a subscription needs from its informer. */
export interface SubscriptionHost<I, T> {
  readonly clock: Clock;
  readonly view: ItemView<I, T>;
  readonly source: InformerSource;
  onHandlerError(error: Error, context: { readonly subscription: string; readonly key: string }): void;
  /** Called after each call of the handler, if the mutation detector is on. */
  readonly inspect: ((event: ItemEvent<I, T>, handler: string) => void) | undefined;
  /** Called when the subscription was removed; again if the running call of the handler removed it and continues. */
  onRemoved(subscription: HandlerSubscription<I, T>): void;
  /** Called when more than `maxPending` events wait, and when half of them were delivered. */
  onPressure(subscription: HandlerSubscription<I, T>, high: boolean): void;
}

/** How a call of a handler ended. */
interface CallResult {
  /** What it threw, if it did. */
  readonly error: unknown;
}

const returned: CallResult = { error: undefined };

/** A synchronous call that takes this long is reported. */
const slowHandlerMs = 50;

/**
 * One handler and the events that wait for it, in order. A promise that the handler returns is awaited before its next event;
 * other handlers do not wait for it. What the handler throws is reported, and the event counts as delivered.
 */
export class HandlerSubscription<I, T> implements Subscription {
  readonly name: string;
  /** The queue that the handler adds keys to; undefined for other handlers. */
  readonly queue: object | undefined;
  /** The resync period; 0 for never. */
  readonly resyncMs: number;
  nextResyncAt: number;
  /** Whether it gets updates without a change. True until the first check for a due resync, as in client-go. */
  resyncing = true;

  readonly #host: SubscriptionHost<I, T>;
  readonly #handle: (event: InformerEvent<T>) => unknown;
  readonly #options: SubscribeOptions<T>;
  readonly #ring: EventRing<I, T>;
  readonly #task: Task;
  readonly #maxPending: number;
  #undoAbort: () => void = () => {};
  /** The items that the store had when the handler was added; delivered before any event. */
  #replay: Iterator<I> | undefined;
  #running: Promise<void> | undefined;
  /** When the running call began, on the monotonic clock. */
  #runningSince = 0;
  /** When the previous call of this step ended, so that the clock is read once per call. */
  #endedAt = 0;
  #removed = false;
  #pressed = false;
  /** The resourceVersion of the first list; undefined until the informer has synced. */
  #initialVersion: string | undefined;
  #initialPending = 0;
  readonly #sync = new SyncState();
  /** Called once, in order with the events, when the first list was delivered. */
  onSynced: ((resourceVersion: string) => void) | undefined;
  /** Called once, when the subscription was removed. */
  onEnd: (() => void) | undefined;

  constructor(
    host: SubscriptionHost<I, T>,
    name: string,
    handle: (event: InformerEvent<T>) => unknown,
    options: SubscribeOptions<T>,
    resyncMs: number,
    queue?: object,
  ) {
    this.#host = host;
    this.name = name;
    this.queue = queue;
    this.#handle = handle;
    this.#options = options;
    this.#ring = options.coalesce === true ? new MergingRing() : new FifoRing();
    this.#maxPending = options.maxPending ?? Number.POSITIVE_INFINITY;
    this.resyncMs = resyncMs;
    this.nextResyncAt = host.clock.monotonicNow() + resyncMs;
    this.#task = schedulerOf(host.clock).add(`handler ${name}`, (budget) => this.#step(budget));
    // If the signal has aborted, this removes the subscription at once.
    this.#undoAbort = onAbort(options.signal, () => void this.remove());
  }

  get hasSynced(): boolean {
    return this.#sync.isCompleted;
  }

  whenSynced(options: Abortable = {}): Promise<void> {
    return this.#sync.whenCompleted(checkOptions('subscription.whenSynced', options, abortableNames).signal);
  }

  get isRemoved(): boolean {
    return this.#removed;
  }

  /** Resolves when the running call of the handler has ended; never rejects. Undefined if none is running. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** The number of waiting events, without those of the replay. */
  get pending(): number {
    return this.#ring.length;
  }

  /** Delivers the stored items as add events, before any event that is pushed from now on. */
  replay(items: Iterator<I>): void {
    this.#replay = items;
    this.#task.wake();
  }

  /** The informer has synced with a list of this version. The subscription has when the events of that list were delivered. */
  informerSynced(resourceVersion: string): void {
    this.#initialVersion ??= resourceVersion;
    this.#task.wake();
  }

  /** How long the running call has taken so far; undefined if none is running. */
  get runningMs(): number | undefined {
    return this.#running === undefined ? undefined : this.#host.clock.monotonicNow() - this.#runningSince;
  }

  /** Queues an event. */
  push(event: ItemEvent<I, T>): void {
    if (this.#removed) return;
    if (isInitial(event)) this.#initialPending++;
    this.#initialPending -= this.#ring.push(event);
    if (this.#ring.length > this.#maxPending && !this.#pressed) {
      this.#pressed = true;
      this.#host.onPressure(this, true);
    }
    this.#task.wake();
  }

  remove(): Promise<void> {
    if (!this.#removed) {
      this.#removed = true;
      this.#undoAbort();
      this.#task.remove();
      this.#ring.clear();
      this.#replay = undefined;
      if (this.#pressed) this.#host.onPressure(this, false);
      this.#host.onRemoved(this);
      this.#sync.fail(new SubscriptionRemovedError(this.name));
      this.onEnd?.();
    }
    return this.#running ?? Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }

  #step(budget: SliceBudget): boolean {
    this.#endedAt = this.#host.clock.monotonicNow();
    while (this.#running === undefined && !this.#removed) {
      const event = this.#next();
      if (event === undefined) {
        this.#checkSynced();
        return false;
      }
      this.#deliver(event);
      if (!budget.takeSlow()) return true;
    }
    return false;
  }

  #next(): ItemEvent<I, T> | undefined {
    const replayed = this.#replay?.next();
    if (replayed?.done === false) return new ItemAdd(this.#host.view, replayed.value, true);
    this.#replay = undefined;
    if (this.#initialPending === 0) this.#checkSynced();
    const event = this.#ring.shift();
    if (event !== undefined && isInitial(event)) this.#initialPending--;
    if (this.#pressed && this.#ring.length <= this.#maxPending / 2) {
      this.#pressed = false;
      this.#host.onPressure(this, false);
    }
    return event;
  }

  #deliver(event: ItemEvent<I, T>): void {
    const { clock, source } = this.#host;
    if (event.queuedAt >= 0 && channels.handlerLag.hasSubscribers) {
      const lagMs = clock.monotonicNow() - event.queuedAt;
      channels.handlerLag.publish({ source, handler: this.name, lagMs });
    }
    const startedAt = this.#endedAt;
    let call: CallResult | undefined;
    try {
      const { filter } = this.#options;
      // The filter may have removed the subscription.
      if ((filter === undefined || filter(event)) && !this.#removed) {
        call = returned;
        const result = this.#handle(event);
        if (isThenable(result)) {
          call = undefined;
          this.#await(result, event, startedAt);
        }
      }
    } catch (error) {
      this.#failed(error, event);
      call &&= { error };
    }
    this.#host.inspect?.(event, this.name);
    const now = clock.monotonicNow();
    const durationMs = now - startedAt;
    this.#endedAt = now;
    if (durationMs >= slowHandlerMs) this.#reportSlow(event, durationMs);
    if (call !== undefined && channels.handlerCall.hasSubscribers)
      this.#publishCall(event, startedAt, durationMs, durationMs, call);
    this.#publishPending();
  }

  /** @param startedAt on the monotonic clock */
  #publishCall(
    event: ItemEvent<I, T>,
    startedAt: number,
    busyMs: number,
    durationMs: number,
    { error }: CallResult,
  ): void {
    const { clock, source } = this.#host;
    channels.handlerCall.publish({
      source,
      handler: this.name,
      subscription: this,
      event,
      startedAt: clock.now() - durationMs,
      lagMs: event.queuedAt < 0 ? undefined : startedAt - event.queuedAt,
      busyMs,
      durationMs,
      error,
    });
  }

  #publishPending(): void {
    if (!channels.handlerPending.hasSubscribers) return;
    const { source } = this.#host;
    channels.handlerPending.publish({ source, handler: this.name, pending: this.#ring.length });
  }

  #await(result: PromiseLike<unknown>, event: ItemEvent<I, T>, startedAt: number): void {
    const { clock } = this.#host;
    const busyMs = clock.monotonicNow() - startedAt;
    this.#runningSince = startedAt;
    const ended = (call: CallResult) => {
      this.#host.inspect?.(event, this.name);
      this.#running = undefined;
      if (channels.handlerCall.hasSubscribers)
        this.#publishCall(event, startedAt, busyMs, clock.monotonicNow() - startedAt, call);
      // Through the scheduler: continuing in the promise's callback would starve the event loop.
      this.#task.wake();
    };
    this.#running = Promise.resolve(result).then(
      () => ended(returned),
      (error: unknown) => {
        this.#failed(error, event);
        ended({ error });
      },
    );
    if (this.#removed) this.#host.onRemoved(this);
  }

  #failed(thrown: unknown, event: ItemEvent<I, T>): void {
    const error = asError(thrown);
    const { key } = event;
    const { source } = this.#host;
    if (channels.handlerError.hasSubscribers) channels.handlerError.publish({ source, handler: this.name, key, error });
    this.#host.onHandlerError(error, { subscription: this.name, key });
    if (this.#options.onError === 'stop') void this.remove();
  }

  #reportSlow(event: ItemEvent<I, T>, durationMs: number): void {
    const { key } = event;
    const { source } = this.#host;
    if (channels.handlerSlow.hasSubscribers)
      channels.handlerSlow.publish({ source, handler: this.name, key, durationMs });
    const message = `the handler ${this.name} blocked the event loop for ${Math.round(durationMs)} ms on ${key}; make it asynchronous or faster`;
    this.#host.onHandlerError(new SlowHandlerError(message), { subscription: this.name, key });
  }

  #checkSynced(): void {
    const version = this.#initialVersion;
    if (this.hasSynced || version === undefined || this.#initialPending > 0 || this.#replay !== undefined) return;
    this.#sync.complete();
    this.onSynced?.(version);
  }
}

/** A handler was removed, or its informer stopped, before it had handled the first list. */
export class SubscriptionRemovedError extends KubeflectError {
  static {
    SubscriptionRemovedError.prototype.name = 'SubscriptionRemovedError';
  }

  constructor(name: string) {
    super('SUBSCRIPTION_REMOVED', `the handler ${name} was removed before it had synced`);
  }
}

/** A synchronous handler blocked the event loop for 50 ms or longer. */
export class SlowHandlerError extends Error {
  static {
    SlowHandlerError.prototype.name = 'SlowHandlerError';
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
