import { asError, KubeflectError } from '../../meta/errors.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/known-options.js';
import type { Abortable } from '../../meta/objects.js';
import { channels, type InformerSource } from '../../observe/channels.js';
import type { Clock } from '../../time/clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../../time/scheduler.js';
import { onAbort } from '../../time/signals.js';
import { SyncState } from '../queue/sync-state.js';
import type { ItemView } from '../store/item-view.js';
import { type InformerEvent, ItemAdd, type ItemEvent } from './informer-event.js';
import { CoalescingRing, type EventRing, isInitial, PlainRing } from './notification-ring.js';

/** How a handler wants to be told. */
export interface SubscribeOptions<T> extends Abortable {
  /** For reports and metrics. @default the name of the function */
  readonly name?: string | undefined;
  /** How often everything is shown again; 0 never. At least a second; see the informer's own period. @default the informer's */
  readonly resyncMs?: number | undefined;
  /** Events for which this returns false are skipped. @default none: the handler gets every event */
  readonly filter?: ((event: InformerEvent<T>) => boolean) | undefined;
  /** What a throw means: the next event comes all the same, or none. Either way it is reported. @default 'continue' */
  readonly onError?: 'continue' | 'stop' | undefined;
  /** Merge what waits by object, so that a slow handler skips what is outdated. @default false */
  readonly coalesce?: boolean | undefined;
  /**
   * With this many events waiting the informer stops reading until half of them are through. The first list is always
   * handed over whole. @default no bound
   */
  readonly maxPending?: number | undefined;
}

/** {@link SubscribeOptions} that do not look at objects. */
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

/** A handler that is being told. */
export interface Subscription extends AsyncDisposable {
  /** Whether the informer has synced and this handler is through with the initial list. */
  readonly hasSynced: boolean;
  /** Rejects with a {@link SubscriptionRemovedError} when the handler is removed, or its informer stopped, before that. */
  whenSynced(options?: Abortable): Promise<void>;
  /**
   * No call starts after this returns; the promise settles when the running one has ended. Awaiting it inside of the
   * handler itself waits for ever.
   */
  remove(): Promise<void>;
}

/** What a listener needs of its informer. */
export interface ListenerHost<I, T> {
  readonly clock: Clock;
  readonly view: ItemView<I, T>;
  readonly source: InformerSource;
  onHandlerError(error: Error, context: { readonly subscription: string; readonly key: string }): void;
  /** Called after each call of the handler, if anybody looks for handlers that change what is everybody's. */
  readonly inspect: ((event: ItemEvent<I, T>, handler: string) => void) | undefined;
  /** Called when the listener has been removed, by whomever; once more if the call that did it goes on. */
  onRemoved(listener: Listener<I, T>): void;
  /** Called when a bounded listener has too much waiting, and when that is over. */
  onPressure(listener: Listener<I, T>, high: boolean): void;
}

/** A synchronous handler that takes longer than this holds everybody up. */
const slowHandlerMs = 50;

/**
 * One handler and the events that wait for it, in order. A handler that returns a promise is awaited before its next
 * event; that delays nobody else. One that throws is reported, and the event counts as delivered.
 */
export class Listener<I, T> implements Subscription {
  readonly name: string;
  /** How often it is shown everything again; 0 never. */
  readonly resyncMs: number;
  nextResyncAt: number;
  /** Whether updates without a change are wanted now. True until the first look, as it is upstream. */
  syncing = true;

  readonly #host: ListenerHost<I, T>;
  readonly #handle: (event: InformerEvent<T>) => unknown;
  readonly #options: SubscribeOptions<T>;
  readonly #ring: EventRing<I, T>;
  readonly #task: Task;
  readonly #maxPending: number;
  #undoAbort: () => void = () => {};
  /** What the store held when this handler joined; told before anything else. */
  #replay: Iterator<I> | undefined;
  #running: Promise<void> | undefined;
  /** When the call before this one ended, in the same step: a look at the clock per call is enough. */
  #endedAt = 0;
  #removed = false;
  #pressed = false;
  /** The version of the initial list; undefined as long as the informer has not synced. */
  #initialVersion: string | undefined;
  #initialPending = 0;
  readonly #sync = new SyncState();
  /** Called once, in order with the events, when the initial list is through. */
  onSynced: ((resourceVersion: string) => void) | undefined;
  /** Called once, when it has been removed. */
  onEnd: (() => void) | undefined;

  constructor(
    host: ListenerHost<I, T>,
    name: string,
    handle: (event: InformerEvent<T>) => unknown,
    options: SubscribeOptions<T>,
    resyncMs: number,
  ) {
    this.#host = host;
    this.name = name;
    this.#handle = handle;
    this.#options = options;
    this.#ring = options.coalesce === true ? new CoalescingRing() : new PlainRing();
    this.#maxPending = options.maxPending ?? Number.POSITIVE_INFINITY;
    this.resyncMs = resyncMs;
    this.nextResyncAt = host.clock.monotonicNow() + resyncMs;
    this.#task = schedulerOf(host.clock).add(`handler ${name}`, (budget) => this.#step(budget));
    // A signal that has aborted already removes it right here.
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

  /** Settles, and never rejects, when the call under way has ended; undefined if there is none. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Events that wait, the replay not counted. */
  get pending(): number {
    return this.#ring.length;
  }

  /** Shows what is stored already, before everything that comes from now on. */
  replay(items: Iterator<I>): void {
    this.#replay = items;
    this.#task.wake();
  }

  /** The informer has synced: once the initial events are through, which are the list of this version, so has this. */
  upstreamSynced(resourceVersion: string): void {
    this.#initialVersion ??= resourceVersion;
    this.#task.wake();
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
    if (event.toldAt >= 0 && channels.handlerLag.hasSubscribers) {
      const lagMs = clock.monotonicNow() - event.toldAt;
      channels.handlerLag.publish({ source, handler: this.name, lagMs });
    }
    try {
      const { filter } = this.#options;
      // A filter is somebody's code too: it may have removed the handler that it is the filter of.
      if ((filter === undefined || filter(event)) && !this.#removed) {
        const result = this.#handle(event);
        if (isThenable(result)) this.#await(result, event);
      }
    } catch (error) {
      this.#failed(error, event);
    }
    this.#host.inspect?.(event, this.name);
    const now = clock.monotonicNow();
    const durationMs = now - this.#endedAt;
    this.#endedAt = now;
    if (durationMs >= slowHandlerMs) this.#tellSlow(event, durationMs);
    this.#tellPending();
  }

  #tellPending(): void {
    if (!channels.handlerPending.hasSubscribers) return;
    const { source } = this.#host;
    channels.handlerPending.publish({ source, handler: this.name, pending: this.#ring.length });
  }

  #await(result: PromiseLike<unknown>, event: ItemEvent<I, T>): void {
    const ended = () => {
      this.#host.inspect?.(event, this.name);
      this.#running = undefined;
      // Back through the scheduler: a promise alone would never give the event loop a turn.
      this.#task.wake();
    };
    this.#running = Promise.resolve(result).then(ended, (error: unknown) => {
      this.#failed(error, event);
      ended();
    });
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

  #tellSlow(event: ItemEvent<I, T>, durationMs: number): void {
    const { key } = event;
    const { source } = this.#host;
    if (channels.handlerSlow.hasSubscribers)
      channels.handlerSlow.publish({ source, handler: this.name, key, durationMs });
    const message = `the handler ${this.name} held the event loop for ${Math.round(durationMs)} ms on ${key}; await something, or do less`;
    this.#host.onHandlerError(new SlowHandlerError(message), { subscription: this.name, key });
  }

  #checkSynced(): void {
    const version = this.#initialVersion;
    if (this.hasSynced || version === undefined || this.#initialPending > 0 || this.#replay !== undefined) return;
    this.#sync.complete();
    this.onSynced?.(version);
  }
}

/** A handler was removed, or its informer stopped, before it was through with the initial list. */
export class SubscriptionRemovedError extends KubeflectError {
  static {
    SubscriptionRemovedError.prototype.name = 'SubscriptionRemovedError';
  }

  constructor(name: string) {
    super('SUBSCRIPTION_REMOVED', `the handler ${name} was removed before it had synced`);
  }
}

/** A synchronous handler took so long that everything else had to wait. */
export class SlowHandlerError extends Error {
  static {
    SlowHandlerError.prototype.name = 'SlowHandlerError';
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
