import type { Flow, WatchSink } from '../../codec/watch-source.js';
import { isConnectionLost } from '../../meta/errors/error-predicates.js';
import { asError, StatusError } from '../../meta/errors/errors.js';
import type { WatchParameters } from '../../meta/options/parameters.js';
import { type BookmarkObject, isInitialEventsEnd, type WireEvent } from '../../meta/watch-event.js';
import type { Clock } from '../../time/clock.js';
import { type LinkedSignal, linkSignals } from '../../time/signals.js';
import type { ListerWatcher } from '../source/list-watch.js';
import { openWatch } from '../source/open-watch.js';
import type { FailureRecord } from './failure-record.js';
import { type Expectation, UnexpectedObjectError, whyUnexpected } from './object-check.js';
import type { WatchEnded } from './reflector-state.js';
import type { ObjectEvent, StoreWriter } from './store-writer.js';
import { UnreadKeys } from './unread-keys.js';

/** How a {@link WatchSession} ended. */
export type SessionEnd = Omit<WatchEnded, 'type' | 'mayRetry'>;

/** The initial events of a watch-list were complete, and have replaced the contents of the store. */
export interface InitialEventsEnd {
  readonly items: number;
  readonly resourceVersion: string;
}

/** Options of a {@link WatchSession}. */
export interface WatchSessionOptions<T> extends Expectation<T> {
  readonly clock: Clock;
  readonly listWatch: ListerWatcher<T>;
  readonly writer: StoreWriter<T>;
  readonly failures: FailureRecord;
  readonly watch: WatchParameters;
}

/**
 * One watch, from its request to its end: writes the events to the store, in order. A watch-list first collects its initial
 * events and then replaces the contents of the store.
 */
export class WatchSession<T> implements WatchSink<T> {
  /** Resolves when the watch has ended. Never rejects. */
  readonly ended: Promise<SessionEnd>;
  /** Resolves when the initial events are complete; never for a watch without them, or one that ends before. */
  readonly synced: Promise<InitialEventsEnd>;
  readonly startedAt: number;

  readonly #options: WatchSessionOptions<T>;
  readonly #link: LinkedSignal;
  readonly #flow: Flow<void>;
  /** Collects the initial events; undefined when they are complete, or if there are none. */
  #initial: InitialEvents<T> | undefined;
  #resolveSynced: (end: InitialEventsEnd) => void = () => {};
  /**
   * Whether the resourceVersion of an event is progress. Those of synthetic ADDED events, which a watch from `''` or `'0'`
   * begins with, are in the past and in no order.
   */
  #isProgress: boolean;
  #events = 0;
  #objectEvents = 0;
  #batchAt = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: WatchSessionOptions<T>, signal: AbortSignal) {
    const { clock, watch, listWatch, what, writer } = options;
    this.#options = options;
    this.startedAt = clock.monotonicNow();
    if (watch.sendInitialEvents === true) {
      this.#initial = new InitialEvents();
      writer.listed = 0;
    }
    const { resourceVersion = '' } = watch;
    this.#isProgress = resourceVersion !== '' && resourceVersion !== '0' && this.#initial === undefined;
    this.synced = new Promise((resolve) => {
      this.#resolveSynced = resolve;
    });
    this.#link = linkSignals([signal]);
    const silence = { clock, what, onSilent: (error: Error) => this.stop(error) };
    this.#flow = openWatch(listWatch, watch, this, this.#link.signal, silence);
    this.ended = this.#flow.done.then(
      () => this.#end(undefined),
      (error: unknown) => this.#end({ error }),
    );
  }

  /** When an event was last received, on the monotonic clock. */
  get lastEventAt(): number | undefined {
    return this.#events === 0 ? undefined : this.#batchAt;
  }

  /** Ends the watch with this error. */
  stop(error: unknown): void {
    if (this.#link.signal.aborted) return;
    this.#failure = { error };
    this.#link.abort(error);
  }

  batch(events: readonly WireEvent<T>[]): boolean {
    const { signal } = this.#link;
    if (signal.aborted) return false;
    const { clock } = this.#options;
    this.#batchAt = clock.monotonicNow();
    const now = clock.now();
    for (const event of events) {
      this.#apply(event, now);
      if (signal.aborted) return false;
    }
    return this.#hasRoom();
  }

  #apply(event: WireEvent<T>, now: number): void {
    const { failures, what, writer } = this.#options;
    let version: string | undefined;
    switch (event.type) {
      case 'ERROR':
        this.stop(errorOf(event.object, what));
        return;
      case 'BOOKMARK':
        version = this.#applyBookmark(event.object, now);
        break;
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        version = this.#applyObject(event, now);
        break;
      default: {
        const { type, object } = event as { readonly type: string; readonly object: T };
        failures.skip(new UnexpectedObjectError(`an event of ${what} has the unknown type ${JSON.stringify(type)}`));
        version = this.#versionIfAny(object);
      }
    }
    if (version === undefined) return;
    this.#events++;
    if (this.#isProgress && version !== '' && this.#initial === undefined) writer.advance(version);
  }

  /** Returns the object's resourceVersion; undefined if it is of another kind and was left out. */
  #applyObject(event: ObjectEvent<T>, now: number): string | undefined {
    const { accessor, failures, writer } = this.#options;
    const { type, object } = event;
    const problem = whyUnexpected(object, this.#options);
    if (problem !== undefined) failures.skip(problem);
    if (problem instanceof UnexpectedObjectError) return undefined;
    if (type !== 'ADDED') this.#isProgress = true;
    const version = this.#versionIfAny(object);
    try {
      if (this.#initial !== undefined) {
        writer.listed++;
        if (problem === undefined) this.#initial.take(event, accessor.key(object));
        else this.#initial.takeUnreadable(type, problem.key);
      } else if (problem === undefined) writer.write(event);
      else writer.writeUnreadable(type, problem.key, this.#isProgress ? version : '');
    } catch (error) {
      failures.skip(asError(error));
    }
    this.#objectEvents++;
    writer.noteEvent(now);
    // It is not known which object has changed, and the next list has the state of all that can be read.
    if (problem !== undefined && problem.key === undefined && this.#initial === undefined) this.stop(problem);
    return version;
  }

  /** Returns the bookmark's resourceVersion; undefined if it has none and was left out. */
  #applyBookmark(object: BookmarkObject, now: number): string | undefined {
    const { failures, what, writer } = this.#options;
    const resourceVersion = (object as Partial<BookmarkObject> | undefined)?.metadata?.resourceVersion;
    if (!resourceVersion) {
      // An empty resourceVersion would make the next watch begin anywhere.
      failures.skip(new UnexpectedObjectError(`a bookmark of ${what} has no resourceVersion; it is left out`));
      return undefined;
    }
    this.#isProgress = true;
    if (this.#initial === undefined) writer.bookmark(resourceVersion, now);
    else if (isInitialEventsEnd(object)) this.#finishInitial(this.#initial, resourceVersion);
    return resourceVersion;
  }

  /** Replaces the store's contents at once: the next event of the same batch is about the new contents. */
  #finishInitial({ items, unread }: InitialEvents<T>, resourceVersion: string): void {
    this.#initial = undefined;
    const list = [...items.values()];
    const { length } = list;
    try {
      this.#options.writer.replace(list, resourceVersion, unread);
    } catch (error) {
      this.stop(error);
      return;
    }
    this.#resolveSynced({ items: length, resourceVersion });
  }

  #versionIfAny(object: T): string {
    try {
      return this.#options.accessor.resourceVersion(object);
    } catch {
      return '';
    }
  }

  #hasRoom(): boolean {
    const { store } = this.#options.writer;
    // A store without `onDrain` cannot pause the watch.
    if (store.isFull !== true || store.onDrain === undefined) return true;
    let isPaused = true;
    // May call back at once.
    store.onDrain(() => {
      isPaused = false;
      this.#flow.resume();
    });
    return !isPaused;
  }

  #end(rejection: { readonly error: unknown } | undefined): SessionEnd {
    this.#link.abort();
    const { startedAt } = this;
    const events = this.#events;
    const { error } = this.#failure ?? rejection ?? { error: undefined };
    const isFailure = this.#failure === undefined && rejection !== undefined;
    // A connection that breaks after events is a watch that ended: the next one continues at the last resourceVersion.
    const isClosed = isFailure && events > 0 && isConnectionLost(error);
    return {
      error: isClosed ? undefined : error,
      atStart: isFailure && events === 0,
      events,
      objectEvents: this.#objectEvents,
      lastedMs: this.#options.clock.monotonicNow() - startedAt,
    };
  }
}

/** The initial events of a watch-list, until they are complete. */
class InitialEvents<T> {
  readonly items = new Map<string, T>();
  readonly unread = new UnreadKeys();

  take({ type, object }: ObjectEvent<T>, key: string): void {
    this.unread.delete(key);
    if (type === 'DELETED') this.items.delete(key);
    else this.items.set(key, object);
  }

  takeUnreadable(type: ObjectEvent<T>['type'], key: string | undefined): void {
    if (type === 'DELETED' && key !== undefined) {
      this.unread.delete(key);
      this.items.delete(key);
    } else this.unread.add(key);
  }
}

function errorOf(object: unknown, what: string): Error {
  const status = object as { readonly kind?: unknown; readonly apiVersion?: unknown; readonly status?: unknown };
  if (typeof object === 'object' && object !== null && (status.kind === 'Status' || status.status === 'Failure')) {
    return new StatusError(object as never, { verb: 'watch', resource: what });
  }
  return new UnexpectedObjectError(`an ERROR event of ${what} carries no Status`);
}
