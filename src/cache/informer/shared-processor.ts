import { DeletedFinalStateUnknown } from '../../meta/key.js';
import { channels, type InformerSource } from '../../observe/channels.js';
import type { Clock } from '../../time/clock.js';
import type { ItemView } from '../store/item-view.js';
import type { ItemHandler } from './delta-processor.js';
import { ItemAdd, ItemDelete, type ItemEvent, ItemUpdate } from './informer-event.js';
import type { HandlerSubscription } from './subscription.js';

/** The shortest resync period. */
const shortestResyncMs = 1_000;

/**
 * Makes one event of each change of the store and pushes it to all subscriptions.
 *
 * An update without a change (a resync, or an object that a relist found unchanged) goes only to subscriptions whose resync is
 * due, and to those that `shouldResync` has not checked yet.
 */
export class SharedProcessor<I, T> implements ItemHandler<I> {
  readonly #clock: Clock;
  readonly #view: ItemView<I, T>;
  readonly #source: InformerSource;
  readonly #subscriptions = new Set<HandlerSubscription<I, T>>();
  /** Running calls of handlers that were removed. */
  readonly #ending = new Set<Promise<void>>();
  readonly #defaultResyncMs: number;
  #checkMs: number;

  constructor(clock: Clock, view: ItemView<I, T>, source: InformerSource, resyncMs: number) {
    this.#clock = clock;
    this.#view = view;
    this.#source = source;
    this.#defaultResyncMs = resyncMs;
    this.#checkMs = resyncMs;
  }

  /** How often `shouldResync` has to be called; 0 for never. */
  get checkMs(): number {
    return this.#checkMs;
  }

  /**
   * The resync period of a new subscription. Before the start a shorter period makes the informer check more often; after it,
   * the period is at least that of the checks. An informer with `resyncMs: 0` never resyncs.
   */
  resyncFor(requestedMs: number | undefined, started: boolean): number {
    const wanted = requestedMs ?? this.#defaultResyncMs;
    if (wanted === 0 || this.#checkMs === 0) return 0;
    const period = Math.max(wanted, shortestResyncMs);
    if (!started) this.#checkMs = Math.min(this.#checkMs, period);
    return Math.max(period, this.#checkMs);
  }

  add(subscription: HandlerSubscription<I, T>): void {
    subscription.nextResyncAt = this.#clock.monotonicNow() + subscription.resyncMs;
    this.#subscriptions.add(subscription);
  }

  remove(subscription: HandlerSubscription<I, T>): void {
    this.#subscriptions.delete(subscription);
    const { running } = subscription;
    if (running === undefined) return;
    this.#ending.add(running);
    void running.then(() => this.#ending.delete(running));
  }

  /** The subscriptions that are in place. */
  get subscriptions(): Iterable<HandlerSubscription<I, T>> {
    return this.#subscriptions;
  }

  /** Marks the subscriptions whose resync is due. Returns whether there is any. */
  shouldResync(): boolean {
    const now = this.#clock.monotonicNow();
    let any = false;
    for (const subscription of this.#subscriptions) {
      subscription.resyncing = subscription.resyncMs > 0 && now >= subscription.nextResyncAt;
      if (!subscription.resyncing) continue;
      any = true;
      subscription.nextResyncAt = now + subscription.resyncMs;
    }
    return any;
  }

  onAdd(item: I, isInInitialList: boolean): void {
    this.#distribute(new ItemAdd(this.#view, item, isInInitialList));
  }

  onUpdate(old: I, item: I, isFromList: boolean): void {
    const { accessor } = this.#view;
    const isResync = old === item || accessor.resourceVersion(old) === accessor.resourceVersion(item);
    const event = new ItemUpdate(this.#view, old, item, isResync, isFromList);
    if (!isResync) {
      this.#distribute(event);
      return;
    }
    this.#stamp(event);
    for (const subscription of this.#subscriptions) if (subscription.resyncing) subscription.push(event);
  }

  onDelete(item: I | DeletedFinalStateUnknown<I>, old: I | undefined, isReleased = false): void {
    // No handler has got an event for an object that was not in the store.
    if (old === undefined) return;
    const last = item instanceof DeletedFinalStateUnknown ? undefined : item;
    this.#distribute(new ItemDelete(this.#view, old, last ?? old, last !== undefined, isReleased));
  }

  /** The informer has synced with a list of this version. */
  synced(resourceVersion: string): void {
    for (const subscription of this.#subscriptions) subscription.informerSynced(resourceVersion);
  }

  /** Removes all subscriptions; resolves when the running calls of their handlers have ended. */
  async stop(): Promise<void> {
    for (const subscription of this.#subscriptions) void subscription.remove();
    await Promise.all(this.#ending);
  }

  #stamp(event: ItemEvent<I, T>): void {
    if (channels.handlerLag.hasSubscribers || channels.handlerCall.hasSubscribers)
      event.queuedAt = this.#clock.monotonicNow();
  }

  #distribute(event: ItemEvent<I, T>): void {
    this.#stamp(event);
    if (channels.storeChange.hasSubscribers) channels.storeChange.publish({ source: this.#source, event });
    for (const subscription of this.#subscriptions) subscription.push(event);
  }
}
