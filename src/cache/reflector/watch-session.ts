import type { Flow, WatchSink } from '../../codec/watch-source.js';
import type { Accessor } from '../../meta/accessor.js';
import { isConnectionLost } from '../../meta/error-predicates.js';
import { asError, KubeflectError, StatusError } from '../../meta/errors.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import type { WatchParameters } from '../../meta/parameters.js';
import { type BookmarkObject, isInitialEventsEnd, type WireEvent } from '../../meta/watch-event.js';
import { ConnectionLostError, messageOf } from '../../rest/http/request-errors.js';
import { SilenceWatch } from '../../rest/http/silence.js';
import type { Clock } from '../../time/clock.js';
import { type LinkedSignal, linkSignals } from '../../time/signals.js';
import { type ListerWatcher, openWatch } from '../source/list-watch.js';
import type { ReflectorStore } from '../store/store.js';
import { UnreadKeys } from './unread-keys.js';

/** Nothing came over a watch for as long as its transport allows. Its connection may be dead, or there was nothing to tell. */
export class SilentWatchError extends ConnectionLostError {
  static {
    SilentWatchError.prototype.name = 'SilentWatchError';
  }

  /** Whether the server had answered the request for the watch. */
  readonly answered: boolean;

  constructor(what: string, silentMs: number, answered: boolean) {
    const state = answered ? 'has been silent' : 'was not answered';
    super(`the watch of ${what} ${state} for ${Math.round(silentMs)} ms: it is reopened`, { silent: true });
    this.answered = answered;
  }
}

/** An object came that is not what was asked for; it was left out. */
export class UnexpectedObjectError extends KubeflectError {
  static {
    UnexpectedObjectError.prototype.name = 'UnexpectedObjectError';
  }

  constructor(message: string, options?: ErrorOptions) {
    super('UNEXPECTED_OBJECT', message, options);
  }
}

/** An object came that cannot be read. What the cache has of it stays as it is, but for a deletion. */
export class UnreadableObjectError extends KubeflectError {
  static {
    UnreadableObjectError.prototype.name = 'UnreadableObjectError';
  }

  /** Undefined if not even that could be read. */
  readonly key: string | undefined;

  constructor(what: string, key: string | undefined, cause: unknown) {
    const named = key === undefined ? 'without a key' : JSON.stringify(key);
    super('UNREADABLE_OBJECT', `an object of ${what} (${named}) cannot be read: ${messageOf(cause)}; it is left out`, {
      cause,
    });
    this.key = key;
  }
}

/** How a watch came to its end. */
export interface WatchEnd {
  /** Why, unless the server closed it in good order. */
  readonly error: unknown;
  /** Whether that happened before the server had agreed to the watch. */
  readonly atStart: boolean;
}

/** An event about an object. */
type ObjectEvent<T> = Extract<WireEvent<T>, { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' }>;

/** What a session tells about what it sees; the reflector keeps the books. */
export interface WatchObserver<T> {
  /** The stream has come to this version. */
  onVersion(resourceVersion: string): void;
  onEvent(now: number): void;
  onBookmark(now: number): void;
  /** Everything that exists has been received, but for what could not be read: take it over. */
  onInitialEvents(items: T[], resourceVersion: string, unread: UnreadKeys): void;
  /** Something was left out. */
  onSkipped(error: Error): void;
}

/** Options of a {@link WatchSession}. */
export interface WatchSessionOptions<T> {
  readonly what: string;
  readonly clock: Clock;
  readonly accessor: Accessor<T>;
  readonly listWatch: ListerWatcher<T>;
  readonly store: ReflectorStore<T>;
  readonly observer: WatchObserver<T>;
  /** Objects that could not be read: kept up to date with what comes after the initial events. */
  readonly unread: UnreadKeys;
  readonly expected: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly watch: WatchParameters;
}

/**
 * One watch, from its request to its end: applies the events to the store, in order, and notices when nothing comes any
 * more. A session that begins with the whole collection gathers it first and hands it over in one piece.
 */
export class WatchSession<T> implements WatchSink<T> {
  /** Settles when the watch has ended, for whatever reason. Never rejects. */
  readonly ended: Promise<WatchEnd>;
  /** Resolves when the initial events are complete; never for a session without them, or one that ends before. */
  readonly initialDone: Promise<void>;
  readonly startedAt: number;

  readonly #options: WatchSessionOptions<T>;
  readonly #link: LinkedSignal;
  readonly #flow: Flow<void>;
  #initial: Map<string, T> | undefined;
  /** Of the initial events, until they are complete. */
  readonly #initialUnread = new UnreadKeys();
  #resolveInitial: () => void = () => {};
  /** Synthetic events for what exists are not progress: their versions lie in the past. */
  #pastInitial: boolean;
  #counted = 0;
  #over = false;
  #failure: { readonly error: unknown } | undefined;
  #paused = false;
  #activeAt: number;
  #heard = 0;
  readonly #silence: SilenceWatch;

  constructor(options: WatchSessionOptions<T>, signal: AbortSignal) {
    const { clock, watch, listWatch } = options;
    this.#options = options;
    this.startedAt = clock.monotonicNow();
    this.#activeAt = this.startedAt;
    this.#initial = watch.sendInitialEvents === true ? new Map() : undefined;
    this.#pastInitial =
      watch.resourceVersion !== undefined &&
      watch.resourceVersion !== '' &&
      watch.resourceVersion !== '0' &&
      !this.#initial;
    this.initialDone = new Promise((resolve) => {
      this.#resolveInitial = resolve;
    });
    this.#link = linkSignals([signal]);
    this.#flow = openWatch(listWatch, watch, this, this.#link.signal);
    this.ended = this.#flow.done.then(
      () => this.#end(undefined, false),
      (error) => this.#end(error, true),
    );
    this.#silence = new SilenceWatch(
      clock,
      () => listWatch.traits.silenceMs,
      () => this.#progress(),
      (silentMs) => this.stop(new SilentWatchError(options.what, silentMs, isAnswered(this.#flow, this.#heard))),
    );
  }

  /** Events that were applied, bookmarks included. */
  get counted(): number {
    return this.#counted;
  }

  /** When something last came, on the monotonic clock. */
  get lastEventAt(): number | undefined {
    return this.#counted === 0 ? undefined : this.#activeAt;
  }

  /** Ends the watch; `ended` settles soon after. With an error, that is what it ends with. */
  stop(error?: unknown): void {
    if (this.#over) return;
    if (error !== undefined) this.#failure ??= { error };
    this.#over = true;
    // An ERROR event may come while the watch is being opened.
    this.#silence?.stop();
    this.#link.abort(error);
  }

  batch(events: readonly WireEvent<T>[]): boolean {
    if (this.#over) return false;
    const { clock } = this.#options;
    this.#heard++;
    this.#activeAt = clock.monotonicNow();
    const now = clock.now();
    for (const event of events) {
      this.#apply(event, now);
      if (this.#over) return false;
    }
    return this.#roomForMore();
  }

  #apply(event: WireEvent<T>, now: number): void {
    const { observer } = this.#options;
    let version: string | undefined;
    switch (event.type) {
      case 'ERROR':
        this.stop(errorOf(event.object, this.#options.what));
        return;
      case 'BOOKMARK':
        version = this.#applyBookmark(event.object);
        if (version === undefined) return;
        break;
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED': {
        const problem = whyUnexpected(event.object, this.#options);
        if (problem !== undefined) observer.onSkipped(problem);
        if (problem instanceof UnexpectedObjectError) return;
        if (event.type !== 'ADDED') this.#pastInitial = true;
        version = this.#versionIfAny(event.object);
        try {
          if (problem !== undefined) this.#leaveOut(event.type, problem.key, version);
          else if (this.#initial !== undefined) this.#gather(this.#initial, event);
          else this.#store(event);
        } catch (error) {
          observer.onSkipped(asError(error));
        }
        observer.onEvent(now);
        break;
      }
      default: {
        const { type, object } = event as { readonly type: string; readonly object: T };
        observer.onSkipped(
          new UnexpectedObjectError(`an event of ${this.#options.what} has the unknown type ${JSON.stringify(type)}`),
        );
        version = this.#versionIfAny(object);
      }
    }
    this.#counted++;
    if (this.#pastInitial && version !== '' && this.#initial === undefined) observer.onVersion(version);
  }

  /** The version of the bookmark; undefined if it has none and was left out. */
  #applyBookmark(object: BookmarkObject): string | undefined {
    const { store, observer, clock, what } = this.#options;
    const resourceVersion = (object as Partial<BookmarkObject> | undefined)?.metadata?.resourceVersion;
    if (!resourceVersion) {
      // To believe it would be to forget how far the watch has come.
      observer.onSkipped(new UnexpectedObjectError(`a bookmark of ${what} has no version; it is left out`));
      return undefined;
    }
    this.#pastInitial = true;
    if (this.#initial !== undefined) {
      if (isInitialEventsEnd(object)) this.#finishInitial(resourceVersion);
      return resourceVersion;
    }
    try {
      store.progress?.(resourceVersion);
    } catch (error) {
      observer.onSkipped(asError(error));
    }
    observer.onBookmark(clock.now());
    return resourceVersion;
  }

  #store({ type, object }: ObjectEvent<T>): void {
    const { store, unread, accessor } = this.#options;
    if (!unread.isEmpty) unread.delete(accessor.key(object));
    if (type === 'ADDED') store.add(object);
    else if (type === 'MODIFIED') store.update(object);
    else store.delete(object);
  }

  /** What cannot be read can still go; else it stays as it was last read. */
  #leaveOut(type: ObjectEvent<T>['type'], key: string | undefined, version: string): void {
    const { store, unread } = this.#options;
    const marks = this.#initial === undefined ? unread : this.#initialUnread;
    const isGone = type === 'DELETED' && key !== undefined;
    if (isGone) marks.delete(key);
    else marks.add(key);
    if (this.#initial !== undefined) {
      if (isGone) this.#initial.delete(key);
    } else if (isGone) store.delete(new DeletedFinalStateUnknown<T>(key, undefined));
    // Who waits for this version need not wait for the next change: all that can be known of it is known.
    else if (this.#pastInitial && version !== '') store.progress?.(version);
  }

  #gather(initial: Map<string, T>, event: ObjectEvent<T>): void {
    const key = this.#options.accessor.key(event.object);
    this.#initialUnread.delete(key);
    if (event.type === 'DELETED') initial.delete(key);
    else initial.set(key, event.object);
  }

  #finishInitial(resourceVersion: string): void {
    const items = Array.from((this.#initial as Map<string, T>).values());
    this.#initial = undefined;
    // Before the next event of the same batch: it belongs to the collection that is taken over here.
    try {
      this.#options.observer.onInitialEvents(items, resourceVersion, this.#initialUnread);
    } catch (error) {
      this.stop(error);
      return;
    }
    this.#resolveInitial();
  }

  #versionIfAny(object: T): string {
    try {
      return this.#options.accessor.resourceVersion(object);
    } catch {
      return '';
    }
  }

  #roomForMore(): boolean {
    const { store } = this.#options;
    // Who cannot say when to go on cannot ask for a pause.
    if (store.isFull !== true || store.onDrain === undefined) return true;
    this.#paused = true;
    store.onDrain(() => {
      this.#paused = false;
      this.#flow.resume();
    });
    // A store may have drained before it was asked.
    return !this.#paused;
  }

  #end(error: unknown, rejected: boolean): WatchEnd {
    this.#over = true;
    this.#silence.stop();
    this.#link.release();
    if (this.#failure !== undefined) return { error: this.#failure.error, atStart: false };
    if (!rejected) return { error: undefined, atStart: false };
    // A stream that breaks is a stream that ends: what was missed is asked for again.
    if (this.#counted > 0 && isConnectionLost(error)) return { error: undefined, atStart: false };
    return { error, atStart: this.#counted === 0 };
  }

  /** What was received counts before it is decoded: one large event may take long. A pause of ours is no silence. */
  #progress(): number {
    if (this.#paused) this.#heard++;
    return this.#heard + (this.#flow.received ?? 0);
  }
}

/** Whether the server has answered the request for a watch, as far as its source can tell. */
export function isAnswered(flow: Flow<void>, heard: number): boolean {
  return heard > 0 || flow.received !== 0;
}

/** What tells an object that was asked for from any other. */
export type Expectation<T> = Pick<WatchSessionOptions<T>, 'what' | 'accessor' | 'expected'>;

/** Why an object is left out: it is of another kind, or cannot be read. Undefined if it is what was asked for. */
export function whyUnexpected<T>(
  object: T,
  { what, accessor, expected }: Expectation<T>,
): UnexpectedObjectError | UnreadableObjectError | undefined {
  try {
    const unreadable = accessor.unreadable?.(object);
    if (unreadable !== undefined) return new UnreadableObjectError(what, keyIfAny(accessor, object), unreadable);
    const kind = accessor.kind(object);
    const isTable = kind === 'Table' && accessor.apiVersion(object).startsWith('meta.k8s.io/');
    if (isTable) return new UnexpectedObjectError(`expected ${what} and got a table; it is left out`);
    if (expected !== undefined && (kind !== expected.kind || accessor.apiVersion(object) !== expected.apiVersion)) {
      const got = `${accessor.apiVersion(object)} ${kind}`;
      return new UnexpectedObjectError(`expected ${what} and got ${got}; it is left out`);
    }
    accessor.key(object);
    return undefined;
  } catch (cause) {
    return new UnreadableObjectError(what, keyIfAny(accessor, object), cause);
  }
}

function keyIfAny<T>(accessor: Accessor<T>, object: T): string | undefined {
  try {
    return accessor.key(object);
  } catch {
    return undefined;
  }
}

function errorOf(object: unknown, what: string): Error {
  const status = object as { readonly kind?: unknown; readonly apiVersion?: unknown; readonly status?: unknown };
  if (typeof object === 'object' && object !== null && (status.kind === 'Status' || status.status === 'Failure')) {
    return new StatusError(object as never, { verb: 'watch', resource: what });
  }
  return new UnexpectedObjectError(`an ERROR event of ${what} carries no Status`);
}
