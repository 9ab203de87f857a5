import { DeletedFinalStateUnknown } from '../../meta/key.js';
import { channels } from '../../observe/channels.js';
import type { Clock } from '../../time/clock.js';
import type { ItemView } from '../store/item-view.js';
import type { ItemHandler } from './delta-processor.js';
import { ItemAdd, ItemDelete, type ItemEvent, ItemUpdate } from './informer-event.js';
import type { Listener } from './listener.js';

/** The shortest resync period: anything below would be nothing but resyncs. */
const shortestResyncMs = 1_000;

/**
 * Tells every listener what became of the store. One event object serves all of them.
 *
 * An update that changes nothing (a resync, or an object that a relist found as it was) goes only to those listeners whose
 * resync is due, and to those that have never been asked.
 */
export class SharedProcessor<I, T> implements ItemHandler<I> {
  readonly #clock: Clock;
  readonly #view: ItemView<I, T>;
  readonly #listeners = new Set<Listener<I, T>>();
  /** Calls of listeners that were removed in the midst of them. */
  readonly #ending = new Set<Promise<void>>();
  readonly #defaultResyncMs: number;
  #checkMs: number;

  constructor(clock: Clock, view: ItemView<I, T>, resyncMs: number) {
    this.#clock = clock;
    this.#view = view;
    this.#defaultResyncMs = resyncMs;
    this.#checkMs = resyncMs;
  }

  get listeners(): ReadonlySet<Listener<I, T>> {
    return this.#listeners;
  }

  /** How often somebody may want a resync; 0 if nobody ever does. */
  get checkMs(): number {
    return this.#checkMs;
  }

  /**
   * The period a new listener gets. Before the start a shorter one makes the informer look more often; afterwards it is
   * lengthened to what the informer does. An informer without resyncs has none for anybody.
   */
  resyncFor(requestedMs: number | undefined, started: boolean): number {
    const wanted = requestedMs ?? this.#defaultResyncMs;
    if (wanted === 0 || this.#checkMs === 0) return 0;
    const period = Math.max(wanted, shortestResyncMs);
    if (!started) this.#checkMs = Math.min(this.#checkMs, period);
    return Math.max(period, this.#checkMs);
  }

  add(listener: Listener<I, T>): void {
    listener.nextResyncAt = this.#clock.monotonicNow() + listener.resyncMs;
    this.#listeners.add(listener);
  }

  remove(listener: Listener<I, T>): void {
    this.#listeners.delete(listener);
    const { running } = listener;
    if (running === undefined) return;
    this.#ending.add(running);
    void running.then(() => this.#ending.delete(running));
  }

  /** Marks the listeners whose resync is due; whether there is any. */
  shouldResync(): boolean {
    const now = this.#clock.monotonicNow();
    let any = false;
    for (const listener of this.#listeners) {
      listener.syncing = listener.resyncMs > 0 && now >= listener.nextResyncAt;
      if (!listener.syncing) continue;
      any = true;
      listener.nextResyncAt = now + listener.resyncMs;
    }
    return any;
  }

  onAdd(item: I, isInInitialList: boolean): void {
    this.#distribute(new ItemAdd(this.#view, item, isInInitialList));
  }

  onUpdate(old: I, item: I): void {
    const { accessor } = this.#view;
    const isResync = old === item || accessor.resourceVersion(old) === accessor.resourceVersion(item);
    const event = new ItemUpdate(this.#view, old, item, isResync);
    if (!isResync) {
      this.#distribute(event);
      return;
    }
    this.#stamp(event);
    for (const listener of this.#listeners) if (listener.syncing) listener.push(event);
  }

  onDelete(item: I | DeletedFinalStateUnknown<I>, old: I | undefined): void {
    // What the store did not have, nobody was told of.
    if (old === undefined) return;
    const last = item instanceof DeletedFinalStateUnknown ? undefined : item;
    this.#distribute(new ItemDelete(this.#view, old, last ?? old, last !== undefined));
  }

  /** The informer has synced, with a list of this version. */
  synced(resourceVersion: string): void {
    for (const listener of this.#listeners) listener.upstreamSynced(resourceVersion);
  }

  /** Nobody is told anything any more; resolves when the calls under way have ended. */
  async stop(): Promise<void> {
    for (const listener of this.#listeners) void listener.remove();
    await Promise.all(this.#ending);
  }

  #stamp(event: ItemEvent<I, T>): void {
    if (channels.handlerLag.hasSubscribers) event.toldAt = this.#clock.monotonicNow();
  }

  #distribute(event: ItemEvent<I, T>): void {
    this.#stamp(event);
    for (const listener of this.#listeners) listener.push(event);
  }
}
