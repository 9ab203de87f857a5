import { ListPager, type Page } from '../../client/list-pager.js';
import type { Accessor } from '../../meta/accessor.js';
import { callSite } from '../../meta/call-site.js';
import {
  isConnectionLost,
  isConnectionRefused,
  isExpired,
  isInvalid,
  isReason,
  isTooLargeResourceVersion,
  isTooManyRequests,
} from '../../meta/error-predicates.js';
import { asError, KubeflectError } from '../../meta/errors.js';
import { checkOptions, type OptionNames } from '../../meta/known-options.js';
import type { ListParameters, WatchParameters } from '../../meta/parameters.js';
import { requireFunction, requireInteger, requireNumber } from '../../meta/validate.js';
import { channels, type InformerSource } from '../../observe/channels.js';
import { messageOf } from '../../rest/http/request-errors.js';
import { SilenceWatch } from '../../rest/http/silence.js';
import { Backoff, type BackoffOptions, reflectorBackoff, withDefaults } from '../../time/backoff.js';
import type { Clock, Timer } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';
import { RetryWithDeadline } from '../../time/retry-with-deadline.js';
import { abortable, linkSignals, timeoutError } from '../../time/signals.js';
import type { ListerWatcher } from '../source/list-watch.js';
import type { ReflectorStore } from '../store/store.js';
import { InitialEventsWatchdog } from './initial-events-watchdog.js';
import { ListError, ResyncError, reasonOf, reportFailure, VeryShortWatchError, warn } from './reflector-errors.js';
import { type SkippedObjects, UnreadKeys } from './unread-keys.js';
import {
  type Expectation,
  SilentWatchError,
  UnexpectedObjectError,
  UnreadableObjectError,
  WatchSession,
  whyUnexpected,
} from './watch-session.js';

/** Where a reflector is in its life. */
type ReflectorState = 'idle' | 'listing' | 'streaming' | 'watching' | 'backingOff' | 'stopped';

/** How a reflector is doing. */
export interface ReflectorStatus {
  readonly state: ReflectorState;
  /** How far it has come; empty before the first list. */
  readonly resourceVersion: string;
  /** When something was last heard, in ms since 1970. */
  readonly lastEventAt: number | undefined;
  readonly lastBookmarkAt: number | undefined;
  /** Since when nothing confirms that what is known is all there is. 0 while that is certain enough: a watch is open. */
  readonly stalenessMs: number;
  /** 0 as soon as something has come, or a watch has stayed open for a second. */
  readonly consecutiveFailures: number;
  readonly lastError: Error | undefined;
  /** How many objects of the list under way, or of the last one, have come so far. */
  readonly listed: number;
  readonly skipped: SkippedObjects;
}

/** What went wrong, in one word; whether and how it is retried follows from it. */
export type FailureReason =
  /** The collection could not be listed: listed again after a while. */
  | 'list'
  /** A stream of the whole collection failed: listed at once instead. Or it keeps us waiting, and nothing happens yet. */
  | 'stream'
  /** A watch could not be begun: after a while everything starts over. */
  | 'watch'
  /** The server is too busy or not there: the watch is tried again after a while, nothing is listed. */
  | 'unavailable'
  /** The version is too old to go on from: listed again after a while. */
  | 'expired'
  /** The server failed inside: watched again at once, for as long as that is allowed. */
  | 'internal'
  /** The connection is dead: watched again at once. */
  | 'silent'
  /** Anything else that ended a watch: listed again after a while. */
  | 'broken'
  /** One object or event was left out, and counted in `status.skipped`; nothing else happened. */
  | 'skipped'
  /** A resync failed: everything starts over. */
  | 'resync';

/** Hears of every failure; nothing it does changes what happens next. */
export type WatchErrorHandler = (
  error: Error,
  context: {
    readonly reason: FailureReason;
    readonly reflector: string;
    /** Which object was left out, where that could be read. */
    readonly key?: string | undefined;
  },
) => void;

/** Options of a {@link Reflector}. */
export interface ReflectorOptions<T> {
  readonly listWatch: ListerWatcher<T>;
  readonly store: ReflectorStore<T>;
  readonly accessor: Accessor<T>;
  /** For messages and metrics. @default where it was made: file:line */
  readonly name?: string | undefined;
  /** What it reflects, in messages. @default the expected kind, or `<unspecified>` */
  readonly typeDescription?: string | undefined;
  /** Objects of another kind are left out. @default any */
  readonly expected?: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** Times watches, resyncs and waits. @default realClock */
  readonly clock?: Clock | undefined;
  /** How often the store is told to show everything again; 0 never. @default 0 */
  readonly resyncMs?: number | undefined;
  /** Asked each time before that. @default `() => true` */
  readonly shouldResync?: (() => boolean) | undefined;
  /** A watch lasts this long to twice as long; less than five minutes is ignored. @default 300_000 */
  readonly minWatchTimeoutMs?: number | undefined;
  /** Items per page of a list; 0 lets the reflector decide: 500, or all where the server can answer from its cache. @default 0 */
  readonly pageSize?: number | undefined;
  /**
   * Waits after failures; fields that are not given are as in the default.
   * @default 800 ms doubled up to 30 s, plus up to as much at random; back to 800 ms after two minutes without a failure
   */
  readonly backoff?: Partial<BackoffOptions> | undefined;
  /** Whether to ask for the collection as the beginning of the watch. @default true if the server supports it */
  readonly useWatchList?: boolean | undefined;
  /** How long failures inside the server are answered by watching again at once. @default 0: not at all */
  readonly maxInternalErrorRetryMs?: number | undefined;
  /** @default process.emitWarning, except for 410 Gone and silent connections */
  readonly onError?: WatchErrorHandler | undefined;
  /** Called on every change of state. @default none */
  readonly onState?: ((state: ReflectorState) => void) | undefined;
  /** Which informer this works for, on diagnostics channels. @default none */
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
const defaultPageSize = 500;
/** A watch that ends sooner than this, with nothing to show for it, failed. */
const veryShortMs = 1_000;
/** So many watches in a row may end that soon, with something to show for it, before each further one has to wait. */
const quickWatches = 3;
/** A list that brings nothing for this long is dead; servers themselves give up on requests after a minute. */
const silentListMs = 90_000;
/** So many watches in a row may break before they bring anything, or so many streams fall silent, until a list is due. */
const quietTries = 2;

/**
 * Keeps a store equal to a collection on a server: reads all of it, watches it from there, and starts over whenever it
 * cannot go on. It never gives up, and tells of every failure.
 *
 * ```
 *   idle ─▶ streaming ──(the whole collection, then)──▶ watching ──(closed: again from the last version)──┐
 *     ▲       │ not possible                            ▲   │ ▲                                            │
 *     │       ▼                                         │   │ └────────────────────────────────────────────┘
 *     │    listing ─────────────────────────────────────┘   │ 410 Gone, broken
 *     │       │ failed                                       ▼
 *     └───────┴─────────────────────────────────────── backingOff          abort, anywhere ─▶ stopped
 * ```
 */
export class Reflector<T> {
  readonly name: string;
  readonly #what: string;
  readonly #listWatch: ListerWatcher<T>;
  readonly #store: ReflectorStore<T>;
  readonly #options: ReflectorOptions<T>;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #internalRetry: RetryWithDeadline;
  readonly #minTimeoutMs: number;
  readonly #source: InformerSource;

  #state: ReflectorState = 'idle';
  #resourceVersion = '';
  /** The last version is too old or unknown to the server: ask for the newest state instead. */
  #versionUnavailable = false;
  /** A list from the cache came in pages, so there is no cache to spare. */
  #paginated = false;
  #lastEventAt: number | undefined;
  #lastBookmarkAt: number | undefined;
  #certainUntil: number | undefined;
  #failures = 0;
  #lastError: Error | undefined;
  #lastReason: FailureReason | undefined;
  /** How many watches in a row broke before they brought anything. */
  #brokenWatches = 0;
  /** A watch fell silent, and no event has come since. */
  #isQuiet = false;
  /** How many watches in a row the server left unanswered. */
  #unanswered = 0;
  #listed = 0;
  #skipped = 0;
  readonly #unread = new UnreadKeys();
  /** What the list under way could not read so far. */
  #listUnread = new UnreadKeys();
  #quickWatches = 0;
  #watchStartedAt = 0;
  #running = false;

  constructor(options: ReflectorOptions<T>) {
    const { clock = realClock, expected } = checkOptions('new Reflector', options, reflectorNames);
    this.#options = options;
    this.#listWatch = options.listWatch;
    this.#store = options.store;
    this.#clock = clock;
    this.name = options.name ?? callSite();
    this.#what =
      options.typeDescription ?? (expected === undefined ? '<unspecified>' : `${expected.apiVersion} ${expected.kind}`);
    this.#backoff = new Backoff(clock, withDefaults(options.backoff, reflectorBackoff));
    this.#internalRetry = new RetryWithDeadline(clock, {
      maxMs: requireNumber('maxInternalErrorRetryMs', options.maxInternalErrorRetryMs ?? 0),
      retriable: (error) => isReason(error, 'InternalError'),
    });
    this.#minTimeoutMs = Math.max(
      requireNumber('minWatchTimeoutMs', options.minWatchTimeoutMs ?? 0),
      shortestWatchTimeoutMs,
    );
    requireNumber('resyncMs', options.resyncMs ?? 0);
    requireInteger('pageSize', options.pageSize ?? 0);
    if (options.shouldResync !== undefined) requireFunction('shouldResync', options.shouldResync);
    if (options.onError !== undefined) requireFunction('onError', options.onError);
    if (options.onState !== undefined) requireFunction('onState', options.onState);
    this.#source = options.source ?? { name: this.name, group: '', version: '', resource: this.#what };
  }

  /** How far it has come: ahead of what the consumer of a queue behind it has seen. */
  get lastSyncResourceVersion(): string {
    return this.#resourceVersion;
  }

  get typeDescription(): string {
    return this.#what;
  }

  get status(): ReflectorStatus {
    const now = this.#clock.monotonicNow();
    const isWatching = this.#state === 'watching';
    const certain = isWatching ? now : this.#certainUntil;
    // A watch that nobody has refused by now is open: in a quiet collection that is all there is to hear.
    const isOpen = isWatching && now - this.#watchStartedAt >= veryShortMs;
    return {
      state: this.#state,
      resourceVersion: this.#resourceVersion,
      lastEventAt: this.#lastEventAt,
      lastBookmarkAt: this.#lastBookmarkAt,
      stalenessMs: certain === undefined ? 0 : now - certain,
      consecutiveFailures: isOpen ? 0 : this.#failures,
      lastError: this.#lastError,
      listed: this.#listed,
      skipped: { total: this.#skipped, keys: this.#unread.keys, withoutKey: this.#unread.withoutKey },
    };
  }

  /** Reflects until the signal aborts; then ends what it has open and resolves. Never rejects. Runs once. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new Error(`the reflector ${this.name} runs already; it cannot run twice`);
    this.#running = true;
    while (!signal.aborted) {
      try {
        await this.listAndWatch(signal);
      } catch (error) {
        if (!signal.aborted) this.#fail(error, reasonOf(error));
      }
      if (!signal.aborted) await this.#backOff(signal);
    }
    this.#enter('stopped');
  }

  /**
   * One round: fills the store, then watches for as long as that goes well. Resolves when a round is over and the next is
   * due; rejects when the collection could not be listed or a watch not begun.
   */
  async listAndWatch(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#tellRelist();
    const session = this.#mayStream() ? await this.#stream(signal) : undefined;
    if (signal.aborted) return;
    if (session === undefined) await this.#list(signal);
    if (signal.aborted) return;
    await this.#watch(session, signal);
  }

  // ── the whole collection ───────────────────────────────────────────────────────────────────────────────────────────

  #mayStream(): boolean {
    const { listWatch } = this.#options;
    return (
      (this.#options.useWatchList ?? true) &&
      listWatch.supportsWatchList &&
      listWatch.traits.mayStream(this.#clock.monotonicNow())
    );
  }

  /** A session that has brought the whole collection; undefined where a list is needed instead. */
  async #stream(signal: AbortSignal): Promise<WatchSession<T> | undefined> {
    this.#enter('streaming');
    let silences = 0;
    for (;;) {
      this.#listed = 0;
      const session = this.#open(
        {
          ...this.#watchOptions(this.#versionUnavailable ? '' : this.#resourceVersion),
          sendInitialEvents: true,
          resourceVersionMatch: 'NotOlderThan',
        },
        signal,
      );
      const watchdog = new InitialEventsWatchdog({
        clock: this.#clock,
        warn: (message) => this.#report(new KubeflectError('SLOW_STREAM', message), 'stream'),
        lastEventAt: () => session.lastEventAt,
      });
      const end = await Promise.race([session.initialDone, session.ended]);
      watchdog.stop();
      if (end === undefined) return session;
      if (signal.aborted) return undefined;
      const error = end.error ?? this.#tooShort(session);
      // Its connection may be dead: a new one tells. A proxy that holds back what it gets would stop every stream, but no list.
      if (error instanceof SilentWatchError && ++silences < quietTries) continue;
      // Closed before it was complete: once more, from the beginning.
      if (error === undefined) {
        await this.#pace(session, signal);
        if (signal.aborted) return undefined;
        this.#enter('streaming');
        continue;
      }
      this.#tellList('watchList', 0, session.startedAt, error);
      if (isConnectionRefused(error) || isTooManyRequests(error)) {
        this.#fail(error, 'unavailable');
        await this.#backOff(signal);
        if (signal.aborted) return undefined;
        this.#enter('streaming');
      } else if ((isExpired(error) || isTooLargeResourceVersion(error)) && !this.#versionUnavailable) {
        this.#versionUnavailable = true;
      } else {
        // Only a refusal as such says something about the server; a failure says something about this moment.
        if (isReason(error, 'BadRequest') || isInvalid(error)) {
          this.#listWatch.traits.noteStreamRefused(this.#clock.monotonicNow());
        }
        this.#fail(error, 'stream');
        return undefined;
      }
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    this.#enter('listing');
    const startedAt = this.#clock.monotonicNow();
    let version = this.#listVersion();
    const pager = new ListPager<T>((options, pageSignal) => this.#listPage(options, pageSignal), {
      pageSize: this.#pageSize(version),
    });
    const attempt = (resourceVersion: string) => pager.list({ resourceVersion }, { signal });
    try {
      const list = await attempt(version).catch((error: unknown) => {
        if (signal.aborted || !(isExpired(error) || isTooLargeResourceVersion(error))) throw error;
        this.#versionUnavailable = true;
        version = this.#listVersion();
        return attempt(version);
      });
      if (signal.aborted) return;
      if (version === '0' && list.paginated) this.#paginated = true;
      this.#replace(list.items, list.metadata.resourceVersion, this.#listUnread);
      this.#tellList('list', list.items.length, startedAt, undefined);
    } catch (error) {
      if (signal.aborted) return;
      this.#tellList('list', 0, startedAt, error);
      throw error instanceof ListError
        ? error
        : new ListError(`failed to list ${this.#what}: ${messageOf(error)}`, error);
    }
  }

  #listVersion(): string {
    if (this.#versionUnavailable) return '';
    // "0" is whatever the server has at hand: the first list need not be the newest, the watch brings the rest.
    return this.#resourceVersion === '' ? '0' : this.#resourceVersion;
  }

  #pageSize(version: string): number {
    if (this.#options.pageSize) return this.#options.pageSize;
    if (this.#paginated) return defaultPageSize;
    // A version that is known can be answered from the server's cache, but not in pages.
    return version === '' || version === '0' ? defaultPageSize : 0;
  }

  async #listPage(options: ListParameters, signal: AbortSignal): Promise<Page<T>> {
    const items: T[] = [];
    if (!options.continue) {
      this.#listed = 0;
      this.#listUnread = new UnreadKeys();
    }
    // Items of a list need not name their kind: the list does.
    const expectation: Expectation<T> = { what: this.#what, accessor: this.#options.accessor, expected: undefined };
    const sink = {
      batch: (entries: readonly T[]) => {
        for (const entry of entries) {
          const problem = whyUnexpected(entry, expectation);
          if (problem === undefined) items.push(entry);
          else this.#skip(problem);
          if (problem instanceof UnreadableObjectError) this.#listUnread.add(problem.key);
        }
        this.#listed += entries.length;
        return true;
      },
    };
    const { kind, apiVersion, metadata } = await this.#whileAlive(
      () => this.#listed,
      signal,
      (linked) => this.#listWatch.list(options, sink, linked).done,
    );
    if (kind === 'Table' && apiVersion.startsWith('meta.k8s.io/')) {
      throw new UnexpectedObjectError(`unsupported list gvk: ${this.#what} came as a ${apiVersion} Table`);
    }
    if (metadata === undefined)
      throw new UnexpectedObjectError(`the list of ${this.#what} has no metadata, so no version to watch from`);
    return { items, metadata: { ...metadata, resourceVersion: metadata.resourceVersion ?? '' } };
  }

  /** Gives up on a list that has ceased to bring anything: nothing else would ever end it. */
  async #whileAlive<R>(
    progress: () => number,
    signal: AbortSignal,
    list: (signal: AbortSignal) => Promise<R>,
  ): Promise<R> {
    const link = linkSignals([signal]);
    const silence = new SilenceWatch(
      this.#clock,
      () => silentListMs,
      progress,
      (silentMs) =>
        link.abort(
          timeoutError(`nothing has come for ${Math.round(silentMs / 1000)} s: the server, or the way there, is stuck`),
        ),
    );
    try {
      return await abortable(list(link.signal), link.signal);
    } finally {
      silence.stop();
      link.release();
    }
  }

  #replace(items: T[], resourceVersion: string, unread: UnreadKeys): void {
    try {
      this.#store.replace(items, resourceVersion, unread.isEmpty ? undefined : (key) => unread.mayInclude(key));
    } catch (error) {
      throw new ListError(`unable to sync list result of ${this.#what}: ${messageOf(error)}`, error);
    }
    this.#unread.replaceWith(unread);
    this.#versionUnavailable = false;
    this.#brokenWatches = 0;
    this.#lastEventAt = this.#clock.now();
    this.#certainUntil = this.#clock.monotonicNow();
    this.#recordVersion(resourceVersion);
  }

  // ── from there on ──────────────────────────────────────────────────────────────────────────────────────────────────

  async #watch(first: WatchSession<T> | undefined, signal: AbortSignal): Promise<void> {
    let session = first;
    let resyncFailure: ResyncError | undefined;
    const stopResync = this.#startResync((error) => {
      resyncFailure = new ResyncError(error);
      session?.stop(resyncFailure);
    });
    try {
      for (;;) {
        if (signal.aborted) return;
        if (resyncFailure !== undefined) {
          this.#fail(resyncFailure.cause, 'resync');
          return;
        }
        this.#enter('watching');
        const version = this.#resourceVersion;
        session ??= this.#open(this.#watchOptions(version), signal);
        this.#watchStartedAt = session.startedAt;
        const end = await session.ended;
        // Silence is no failure: the watch goes on from its last resourceVersion, as one does that the server closed.
        const silence = end.error instanceof SilentWatchError ? end.error : undefined;
        const failure = silence === undefined ? end.error : undefined;
        const ended = session;
        const { counted, startedAt } = ended;
        session = undefined;
        this.#certainUntil = this.#clock.monotonicNow();
        if (channels.reflectorWatch.hasSubscribers) {
          const durationMs = this.#clock.monotonicNow() - startedAt;
          channels.reflectorWatch.publish({
            source: this.#source,
            resourceVersion: version,
            events: counted,
            durationMs,
            error: failure,
          });
        }
        if (signal.aborted) return;
        if (counted > 0) this.#brokenWatches = 0;
        if (silence !== undefined) this.#isQuiet = true;
        if (silence === undefined || silence.answered) this.#unanswered = 0;
        const error = failure ?? this.#tooShort(ended);
        this.#internalRetry.after(error);
        if (silence?.answered === false) await this.#afterNoAnswer(silence, signal);
        else if (error === undefined) {
          if (!this.#wasShort(ended)) this.#failures = 0;
          await this.#pace(ended, signal);
        } else if (!(await this.#goOn(error, ended, end.atStart, signal))) return;
      }
    } finally {
      stopResync();
      session?.stop();
    }
  }

  /** One connection may be dead; a server that answers no watch on another one either is a failure. */
  async #afterNoAnswer(silence: SilentWatchError, signal: AbortSignal): Promise<void> {
    if (++this.#unanswered < quietTries) return;
    this.#fail(silence, 'unavailable');
    await this.#backOff(signal);
  }

  #tooShort(session: WatchSession<T>): VeryShortWatchError | undefined {
    return session.counted === 0 && this.#wasShort(session) ? new VeryShortWatchError(this.name) : undefined;
  }

  #wasShort(session: WatchSession<T>): boolean {
    return this.#clock.monotonicNow() - session.startedAt < veryShortMs;
  }

  /** A watch that has ended is taken up again at once; if that is the end of it each time, not quite at once. */
  async #pace(session: WatchSession<T>, signal: AbortSignal): Promise<void> {
    if (!this.#wasShort(session)) this.#quickWatches = 0;
    else if (++this.#quickWatches > quickWatches) await this.#backOff(signal);
  }

  /** Whether the watch can be taken up again without another list. Waits, where waiting is called for. */
  async #goOn(error: unknown, session: WatchSession<T>, atStart: boolean, signal: AbortSignal): Promise<boolean> {
    if (isTooManyRequests(error) || (atStart && isConnectionRefused(error))) {
      this.#fail(error, 'unavailable');
      await this.#backOff(signal);
      return true;
    }
    // A connection that was quiet until it broke, or until its ping was not answered.
    if (isConnectionLost(error) && !this.#wasShort(session)) {
      this.#fail(error, 'silent');
      return ++this.#brokenWatches < quietTries;
    }
    // The round has failed: whoever began it reports that.
    if (atStart) throw error;
    if (isExpired(error)) {
      this.#fail(error, 'expired');
      return false;
    }
    if (isReason(error, 'InternalError') && this.#internalRetry.shouldRetry()) {
      this.#fail(error, 'internal');
      await this.#pace(session, signal);
      return true;
    }
    // A failed resync is reported by the loop, which also meets it when there is no watch to end.
    if (error instanceof ResyncError) return true;
    this.#fail(error, 'broken');
    return false;
  }

  #watchOptions(resourceVersion: string): WatchParameters {
    // Servers send a bookmark shortly before a watch ends. A quiet one would be reopened before any other bookmark came, each
    // time from the same resourceVersion, until that is too old.
    const timeoutMs = Math.min(
      this.#minTimeoutMs * (1 + this.#clock.random()),
      this.#isQuiet ? Math.max(this.#listWatch.traits.silenceMs, 1000) : Number.POSITIVE_INFINITY,
    );
    return { resourceVersion, timeoutSeconds: Math.floor(timeoutMs / 1000), allowWatchBookmarks: true };
  }

  #open(watch: WatchParameters, signal: AbortSignal): WatchSession<T> {
    const { accessor, expected } = this.#options;
    const startedAt = this.#clock.monotonicNow();
    return new WatchSession<T>(
      {
        what: this.#what,
        clock: this.#clock,
        accessor,
        listWatch: this.#listWatch,
        store: this.#store,
        expected,
        watch,
        unread: this.#unread,
        observer: {
          onVersion: (version) => this.#recordVersion(version),
          onEvent: (now) => {
            this.#lastEventAt = now;
            this.#isQuiet = false;
            if (this.#state === 'streaming') this.#listed++;
            this.#failures = 0;
          },
          onBookmark: (now) => {
            this.#lastBookmarkAt = now;
            this.#failures = 0;
          },
          onInitialEvents: (items, version, unread) => {
            const count = items.length;
            this.#replace(items, version, unread);
            this.#tellList('watchList', count, startedAt, undefined);
          },
          onSkipped: (error) => this.#skip(error),
        },
      },
      signal,
    );
  }

  #startResync(onError: (error: unknown) => void): () => void {
    const { resyncMs = 0, shouldResync } = this.#options;
    if (resyncMs === 0) return () => {};
    let timer: Timer;
    const fire = () => {
      try {
        if (shouldResync?.() ?? true) this.#store.resync();
      } catch (error) {
        onError(error);
        return;
      }
      timer = this.#clock.setTimer(resyncMs, fire, { keepAlive: false });
    };
    timer = this.#clock.setTimer(resyncMs, fire, { keepAlive: false });
    return () => timer.cancel();
  }

  // ── the books ──────────────────────────────────────────────────────────────────────────────────────────────────────

  #recordVersion(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
    try {
      this.#store.updateResourceVersion?.(resourceVersion);
    } catch (error) {
      this.#skip(asError(error));
    }
  }

  #enter(state: ReflectorState): void {
    const previous = this.#state;
    if (previous === state) return;
    this.#state = state;
    if (channels.reflectorStatus.hasSubscribers)
      channels.reflectorStatus.publish({ source: this.#source, state, previous });
    try {
      this.#options.onState?.(state);
    } catch (error) {
      warn(`${this.name}: the state listener failed: ${messageOf(error)}`);
    }
  }

  async #backOff(signal: AbortSignal): Promise<void> {
    this.#enter('backingOff');
    const delayMs = this.#backoff.next();
    if (channels.reflectorBackoff.hasSubscribers) {
      channels.reflectorBackoff.publish({
        source: this.#source,
        delayMs,
        failures: this.#failures,
        error: this.#lastError,
      });
    }
    await this.#clock.sleep(delayMs, { signal }).catch(() => {});
  }

  #fail(error: unknown, reason: FailureReason): void {
    this.#failures++;
    this.#lastReason = reason;
    this.#lastError = asError(error);
    this.#report(this.#lastError, reason);
  }

  /** One object or event is left out. */
  #skip(error: Error): void {
    this.#skipped++;
    const key = error instanceof UnreadableObjectError ? error.key : undefined;
    if (channels.reflectorSkipped.hasSubscribers)
      channels.reflectorSkipped.publish({ source: this.#source, key, error });
    this.#report(error, 'skipped', key);
  }

  #report(error: Error, reason: FailureReason, key?: string): void {
    const context = { reason, reflector: this.name };
    reportFailure(this.#options.onError, error, key === undefined ? context : { ...context, key });
  }

  #tellRelist(): void {
    if (this.#resourceVersion === '' || !channels.reflectorRelist.hasSubscribers) return;
    const reason = this.#lastReason ?? 'asked for';
    channels.reflectorRelist.publish({ source: this.#source, reason, resourceVersion: this.#resourceVersion });
  }

  #tellList(how: 'list' | 'watchList', items: number, startedAt: number, error: unknown): void {
    if (!channels.reflectorList.hasSubscribers) return;
    const durationMs = this.#clock.monotonicNow() - startedAt;
    const resourceVersion = error === undefined ? this.#resourceVersion : '';
    channels.reflectorList.publish({ source: this.#source, how, items, resourceVersion, durationMs, error });
  }
}
