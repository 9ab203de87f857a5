import type { Accessor } from '../../meta/accessor.js';
import { callSite } from '../../meta/call-site.js';
import { isInvalid, isReason } from '../../meta/errors/error-predicates.js';
import { KubeflectError } from '../../meta/errors/errors.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import type { WatchParameters } from '../../meta/options/parameters.js';
import { requireFunction, requireInteger, requireNumber } from '../../meta/options/validate.js';
import { channels, type InformerSource } from '../../observe/channels.js';
import { messageOf } from '../../rest/http/request-errors.js';
import { Backoff, type BackoffOptions, reflectorBackoff, withDefaults } from '../../time/backoff.js';
import type { Clock } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';
import { RetryWithDeadline } from '../../time/retry-with-deadline.js';
import type { ListerWatcher } from '../source/list-watch.js';
import { SilentWatchError } from '../source/open-watch.js';
import { warn } from '../source/watch-warning.js';
import type { ReflectorStore } from '../store/store.js';
import { FailureRecord } from './failure-record.js';
import { InitialEventsWatchdog } from './initial-events-watchdog.js';
import { ListPhase } from './list-phase.js';
import { VeryShortWatchError, type WatchErrorHandler } from './reflector-errors.js';
import {
  initialState,
  type Listing,
  next,
  type Outcome,
  type ReflectorState,
  type Streaming,
  shortWatchMs,
  type Transition,
  type Watching,
} from './reflector-state.js';
import { ResyncTimer } from './resync-timer.js';
import { StoreWriter } from './store-writer.js';
import type { SkippedObjects } from './unread-keys.js';
import { type SessionEnd, WatchSession } from './watch-session.js';

export type { FailureReason, WatchErrorHandler } from './reflector-errors.js';

/** The state and counters of a reflector. */
export interface ReflectorStatus {
  readonly state: 'idle' | 'streaming' | 'listing' | 'watching' | 'backingOff' | 'stopped';
  /** The resourceVersion of the last list, event or bookmark; empty before the first list. */
  readonly resourceVersion: string;
  /** When the last list or event was received, in ms since 1970. */
  readonly lastEventAt: number | undefined;
  /** When the last bookmark was received, in ms since 1970. */
  readonly lastBookmarkAt: number | undefined;
  /** How long ago the store was last known to be complete. 0 while a watch is open, and before the first list. */
  readonly stalenessMs: number;
  /** 0 as soon as an event has been received, or a watch has stayed open for a second. */
  readonly consecutiveFailures: number;
  readonly lastError: Error | undefined;
  /** The number of objects received by the current list, or by the last one. */
  readonly listed: number;
  readonly skipped: SkippedObjects;
}

/** Options of a {@link Reflector}. */
export interface ReflectorOptions<T> {
  readonly listWatch: ListerWatcher<T>;
  readonly store: ReflectorStore<T>;
  readonly accessor: Accessor<T>;
  /** For messages and metrics. @default the file:line of the constructor call */
  readonly name?: string | undefined;
  /** Names the collection in messages. @default the expected kind, or `<unspecified>` */
  readonly typeDescription?: string | undefined;
  /** Watch events with objects of another kind are left out. @default any kind */
  readonly expected?: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** Times watches, resyncs and backoffs. @default realClock */
  readonly clock?: Clock | undefined;
  /** Calls `store.resync()` every so many ms while it watches; 0 never. @default 0 */
  readonly resyncMs?: number | undefined;
  /** Called before each resync; false leaves it out. @default `() => true` */
  readonly shouldResync?: (() => boolean) | undefined;
  /** A watch lasts this long to twice as long, at random; less than five minutes counts as five. @default 300_000 */
  readonly minWatchTimeoutMs?: number | undefined;
  /** Items per page of a list; 0: 500, or no pages where the server's watch cache can answer. @default 0 */
  readonly pageSize?: number | undefined;
  /**
   * Waits after failures; fields that are not given are as in the default.
   * @default 800 ms doubled up to 30 s, plus up to as much at random; back to 800 ms after two minutes without a failure
   */
  readonly backoff?: Partial<BackoffOptions> | undefined;
  /** Whether to read the collection with a watch-list. @default true if the server supports it */
  readonly useWatchList?: boolean | undefined;
  /**
   * For how long after the first of a series of 500 InternalErrors a watch is reopened instead of relisting.
   * @default 0: every 500 causes a relist
   */
  readonly maxInternalErrorRetryMs?: number | undefined;
  /** Called with every failure. @default process.emitWarning, except for 410 Gone and lost connections */
  readonly onError?: WatchErrorHandler | undefined;
  /** Called on every change of state. @default none */
  readonly onState?: ((state: ReflectorStatus['state']) => void) | undefined;
  /** The informer that this reflector belongs to, in messages of diagnostics channels. @default none */
  readonly source?: InformerSource | undefined;
}

export const reflectorNames: OptionNames<ReflectorOptions<never>> = {
  listWatch: true,
  store: true,
  accessor: true,
  name: true,
  typeDescription: true,
  expected: true,
  clock: true,
  resyncMs: true,
  shouldResync: true,
  minWatchTimeoutMs: true,
  pageSize: true,
  backoff: true,
  useWatchList: true,
  maxInternalErrorRetryMs: true,
  onError: true,
  onState: true,
  source: true,
};

const shortestWatchTimeoutMs = 300_000;

/**
 * Keeps a store equal to a collection on a server: lists it, watches it from there, and relists when the watch cannot
 * continue. It runs until its signal aborts, and reports every failure.
 *
 * {@link ReflectorState} draws its states. `next` decides which state follows; this class performs them.
 */
export class Reflector<T> {
  readonly name: string;
  readonly #what: string;
  readonly #options: ReflectorOptions<T>;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #internalRetry: RetryWithDeadline;
  readonly #minTimeoutMs: number;
  readonly #source: InformerSource;
  readonly #failures: FailureRecord;
  readonly #writer: StoreWriter<T>;
  readonly #listPhase: ListPhase<T>;
  readonly #resync: ResyncTimer;

  #state: ReflectorState = initialState;
  /** The watch that is open. */
  #session: WatchSession<T> | undefined;
  /** When the store was last known to be complete, on the monotonic clock. */
  #completeAt: number | undefined;
  #running = false;

  constructor(options: ReflectorOptions<T>) {
    const {
      clock = realClock,
      expected,
      store,
      accessor,
      listWatch,
    } = checkOptions('new Reflector', options, reflectorNames);
    this.#options = options;
    this.#clock = clock;
    this.name = options.name ?? callSite();
    const what =
      options.typeDescription ?? (expected === undefined ? '<unspecified>' : `${expected.apiVersion} ${expected.kind}`);
    this.#what = what;
    this.#backoff = new Backoff(clock, withDefaults(options.backoff, reflectorBackoff));
    this.#internalRetry = new RetryWithDeadline(clock, {
      maxMs: requireNumber('maxInternalErrorRetryMs', options.maxInternalErrorRetryMs ?? 0),
      retriable: (error) => isReason(error, 'InternalError'),
    });
    this.#minTimeoutMs = Math.max(
      requireNumber('minWatchTimeoutMs', options.minWatchTimeoutMs ?? 0),
      shortestWatchTimeoutMs,
    );
    const resyncMs = requireNumber('resyncMs', options.resyncMs ?? 0);
    const pageSize = requireInteger('pageSize', options.pageSize ?? 0);
    if (options.shouldResync !== undefined) requireFunction('shouldResync', options.shouldResync);
    if (options.onError !== undefined) requireFunction('onError', options.onError);
    if (options.onState !== undefined) requireFunction('onState', options.onState);
    this.#source = options.source ?? { name: this.name, host: '', group: '', version: '', resource: what };
    const failures = new FailureRecord(this.name, this.#source, options.onError);
    const writer = new StoreWriter<T>({ store, accessor, clock, what, failures });
    this.#failures = failures;
    this.#writer = writer;
    this.#listPhase = new ListPhase<T>({ listWatch, accessor, clock, what, failures, writer, pageSize });
    this.#resync = new ResyncTimer({
      clock,
      resyncMs,
      resync: () => {
        if (options.shouldResync?.() ?? true) store.resync();
      },
      onFailure: (error) => this.#session?.stop(error),
    });
  }

  /** The resourceVersion of the last list, event or bookmark. The consumer of a queue behind it may not have got there. */
  get lastSyncResourceVersion(): string {
    return this.#writer.resourceVersion;
  }

  get typeDescription(): string {
    return this.#what;
  }

  get status(): ReflectorStatus {
    const now = this.#clock.monotonicNow();
    const isWatching = this.#state.name === 'watching';
    const completeAt = isWatching ? now : (this.#completeAt ?? now);
    // A watch that the server has not refused within a second is open, even if nothing changes in the collection.
    const isOpen = isWatching && this.#session !== undefined && now - this.#session.startedAt >= shortWatchMs;
    const { resourceVersion, lastEventAt, lastBookmarkAt, listed, unread } = this.#writer;
    const { consecutive, lastError, skipped } = this.#failures;
    return {
      state: this.#state.name,
      resourceVersion,
      lastEventAt,
      lastBookmarkAt,
      stalenessMs: now - completeAt,
      consecutiveFailures: isOpen ? 0 : consecutive,
      lastError,
      listed,
      skipped: { total: skipped, keys: unread.keys, withoutKey: unread.withoutKey },
    };
  }

  /** Reflects until the signal aborts, then closes the watch and resolves. Rejects only if it is called a second time. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new Error(`the reflector ${this.name} runs already; it cannot run twice`);
    this.#running = true;
    while (!signal.aborted) this.#apply(await this.#step(signal));
    this.#enter({ name: 'stopped' });
  }

  /**
   * One round: fills the store, then watches until a relist is due, and resolves without waiting for the backoff. Rejects
   * if the list failed or the server refused the watch.
   */
  async listAndWatch(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    if (this.#state.name === 'stopped') this.#enter(initialState);
    while (this.#state.name !== 'stopped') {
      const transition = await this.#step(signal);
      const { state, failure } = transition;
      if (state.name === 'backingOff' && state.resume.name === 'idle') {
        this.#enter(state.resume);
        if (failure?.rejects) throw failure.error;
        if (failure !== undefined) this.#failures.add(failure.error, failure.reason);
        return;
      }
      this.#apply(transition);
    }
  }

  async #step(signal: AbortSignal): Promise<Transition> {
    const state = this.#state;
    const outcome = await this.#perform(state, signal).catch((error: unknown): Outcome => ({ type: 'threw', error }));
    return next(state, signal.aborted ? { type: 'aborted' } : outcome);
  }

  #apply({ state, failure, isHealthy }: Transition): void {
    if (isHealthy) this.#failures.clear();
    if (failure !== undefined) this.#failures.add(failure.error, failure.reason);
    this.#enter(state);
  }

  #enter(state: ReflectorState): void {
    const previous = this.#state.name;
    this.#state = state;
    // Resyncs continue while a watch waits for its backoff.
    if (state.name !== 'watching' && !(state.name === 'backingOff' && state.resume.name === 'watching')) {
      this.#resync.stop();
    }
    if (previous === state.name) return;
    if (channels.reflectorStatus.hasSubscribers)
      channels.reflectorStatus.publish({ source: this.#source, state: state.name, previous });
    try {
      this.#options.onState?.(state.name);
    } catch (error) {
      warn(`${this.name}: the state listener failed: ${messageOf(error)}`);
    }
  }

  // ── the work in each state ─────────────────────────────────────────────────────────────────────────────────────────

  async #perform(state: ReflectorState, signal: AbortSignal): Promise<Outcome> {
    switch (state.name) {
      case 'idle':
        return this.#start();
      case 'streaming':
        return this.#stream(state, signal);
      case 'listing':
        return this.#list(state, signal);
      case 'watching':
        return this.#watch(state, signal);
      case 'backingOff':
        await this.#backOff(signal);
        return state.resume.name === 'idle' && !signal.aborted ? this.#start() : { type: 'waited' };
      case 'stopped':
        return { type: 'aborted' };
    }
  }

  #start(): Outcome {
    const { listWatch, useWatchList = true } = this.#options;
    const { resourceVersion } = this.#writer;
    if (resourceVersion !== '' && channels.reflectorRelist.hasSubscribers) {
      const reason = this.#failures.lastReason ?? 'asked for';
      channels.reflectorRelist.publish({ source: this.#source, reason, resourceVersion });
    }
    const mayStream =
      useWatchList && listWatch.supportsWatchList && listWatch.traits.mayStream(this.#clock.monotonicNow());
    return { type: 'started', mayStream };
  }

  async #stream({ history }: Streaming, signal: AbortSignal): Promise<Outcome> {
    const resourceVersion = history.versionUnavailable ? '' : this.#writer.resourceVersion;
    const session = this.#open(
      {
        ...this.#watchParameters(resourceVersion, history.isQuiet),
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
      },
      signal,
    );
    const watchdog = new InitialEventsWatchdog({
      clock: this.#clock,
      warn: (message) => this.#failures.report(new KubeflectError('SLOW_STREAM', message), 'stream'),
      lastEventAt: () => session.lastEventAt,
    });
    const result = await Promise.race([session.synced, session.ended]);
    watchdog.stop();
    if ('items' in result) {
      this.#completeAt = this.#clock.monotonicNow();
      this.#publishList('watchList', session.startedAt, result);
      return { type: 'synced' };
    }
    this.#session = undefined;
    const ended = this.#watchEnded(result);
    const { error } = ended;
    if (error !== undefined && !signal.aborted) {
      this.#publishList('watchList', session.startedAt, { items: 0, resourceVersion: '', error });
      // 400 and 422 mean that the server does not support watch-lists; other errors, that this one failed.
      if (isReason(error, 'BadRequest') || isInvalid(error)) {
        this.#options.listWatch.traits.noteStreamRefused(this.#clock.monotonicNow());
      }
    }
    return ended;
  }

  async #list(state: Listing, signal: AbortSignal): Promise<Outcome> {
    const startedAt = this.#clock.monotonicNow();
    const result = await this.#listPhase.run(state, signal);
    if (result.type === 'synced') {
      this.#completeAt = this.#clock.monotonicNow();
      this.#publishList('list', startedAt, result);
    } else if (!signal.aborted) {
      this.#publishList('list', startedAt, { items: 0, resourceVersion: '', error: result.error });
    }
    return result;
  }

  async #watch({ history }: Watching, signal: AbortSignal): Promise<Outcome> {
    this.#resync.start();
    // A resync may fail while the watch waits for its backoff.
    const failed = this.#resync.failure;
    if (failed !== undefined) return { type: 'resyncFailed', error: failed.error };
    const { resourceVersion } = this.#writer;
    const session = this.#session ?? this.#open(this.#watchParameters(resourceVersion, history.isQuiet), signal);
    const end = await session.ended;
    this.#session = undefined;
    this.#completeAt = this.#clock.monotonicNow();
    if (channels.reflectorWatch.hasSubscribers) {
      const { events, lastedMs: durationMs } = end;
      const error = end.error instanceof SilentWatchError ? undefined : end.error;
      channels.reflectorWatch.publish({ source: this.#source, resourceVersion, events, durationMs, error });
    }
    const { failure } = this.#resync;
    if (failure !== undefined) return { type: 'resyncFailed', error: failure.error };
    this.#internalRetry.after(end.error);
    return this.#watchEnded(end);
  }

  async #backOff(signal: AbortSignal): Promise<void> {
    const delayMs = this.#backoff.next();
    if (channels.reflectorBackoff.hasSubscribers) {
      const { consecutive, lastError } = this.#failures;
      channels.reflectorBackoff.publish({ source: this.#source, delayMs, failures: consecutive, error: lastError });
    }
    await this.#clock.sleep(delayMs, { signal }).catch(() => {});
  }

  #watchParameters(resourceVersion: string, isQuiet: boolean): WatchParameters {
    // Servers send a bookmark shortly before a watch times out. Without it a quiet watch would be reopened at the same
    // resourceVersion again and again, until that is compacted.
    const timeoutMs = Math.min(
      this.#minTimeoutMs * (1 + this.#clock.random()),
      isQuiet ? Math.max(this.#options.listWatch.traits.silenceMs, 1000) : Number.POSITIVE_INFINITY,
    );
    return { resourceVersion, timeoutSeconds: Math.floor(timeoutMs / 1000), allowWatchBookmarks: true };
  }

  #open(watch: WatchParameters, signal: AbortSignal): WatchSession<T> {
    const { accessor, expected, listWatch } = this.#options;
    this.#session = new WatchSession<T>(
      {
        what: this.#what,
        clock: this.#clock,
        accessor,
        expected,
        listWatch,
        writer: this.#writer,
        failures: this.#failures,
        watch,
      },
      signal,
    );
    return this.#session;
  }

  #watchEnded(end: SessionEnd): Outcome & { readonly type: 'watchEnded' } {
    const isVeryShort = end.error === undefined && end.events === 0 && end.lastedMs < shortWatchMs;
    const error = isVeryShort ? new VeryShortWatchError(this.name) : end.error;
    const mayRetry = !end.atStart && isReason(error, 'InternalError') && this.#internalRetry.shouldRetry();
    return { ...end, type: 'watchEnded', error, mayRetry };
  }

  #publishList(
    how: 'list' | 'watchList',
    startedAt: number,
    { items, resourceVersion, error }: { readonly items: number; readonly resourceVersion: string; error?: unknown },
  ): void {
    if (!channels.reflectorList.hasSubscribers) return;
    const durationMs = this.#clock.monotonicNow() - startedAt;
    channels.reflectorList.publish({ source: this.#source, how, items, resourceVersion, durationMs, error });
  }
}
