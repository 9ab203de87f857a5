import {
  isConnectionLost,
  isConnectionRefused,
  isExpired,
  isTooLargeResourceVersion,
  isTooManyRequests,
} from '../../meta/errors/error-predicates.js';
import { SilentWatchError } from '../source/open-watch.js';
import type { FailureReason } from './reflector-errors.js';

/** A watch that ends sooner than this is short; without an event it failed. */
export const shortWatchMs = 1_000;
/** This many short watches in a row are reopened at once; each further one waits for the backoff. */
const shortWatchLimit = 3;
/**
 * The limit of `Streaming.silences`, `Watching.broken` and `Watching.unanswered`. Below it the request is repeated at once; at it
 * the reflector lists instead of streaming, relists, or backs off.
 */
const quietLimit = 2;

/** The results of earlier requests that later ones depend on. */
export interface History {
  /** The server does not serve the last resourceVersion (410 Gone, or too large): the next list asks for `''`, the newest. */
  readonly versionUnavailable: boolean;
  /** The number of short watches in a row. */
  readonly shortWatches: number;
  /** A watch fell silent, and no object event has come since. */
  readonly isQuiet: boolean;
}

/** Waits for `run` or `listAndWatch`: the beginning of a round. */
interface Idle {
  readonly name: 'idle';
  readonly history: History;
}

/** A watch-list is open and its initial events are not complete. */
export interface Streaming {
  readonly name: 'streaming';
  readonly history: History;
  /** The number of watch-lists in this round that ended with a SilentWatchError. */
  readonly silences: number;
}

/** A list request is under way. */
export interface Listing {
  readonly name: 'listing';
  readonly history: History;
  /** The page size of the attempt that this one repeats without a resourceVersion; undefined for the first attempt. */
  readonly retriedPageSize: number | undefined;
}

/** The store has the whole collection and a watch keeps it up to date, or is about to be opened. */
export interface Watching {
  readonly name: 'watching';
  readonly history: History;
  /** The number of watches in a row whose connection broke; a watch that received an event starts the count again. */
  readonly broken: number;
  /** The number of watch requests in a row that the server did not answer. */
  readonly unanswered: number;
}

/** Waits for the backoff. */
interface BackingOff {
  readonly name: 'backingOff';
  /** The state after the wait; `idle` begins the next round. */
  readonly resume: Idle | Streaming | Watching;
}

/** The signal has aborted. */
interface Stopped {
  readonly name: 'stopped';
}

/**
 * What a reflector is doing, with the data that its next step depends on.
 *
 * ```
 *   idle ─▶ streaming ──(initial events complete)────────▶ watching ──(closed: reopen at the last resourceVersion)─┐
 *     ▲       │ not supported, refused, failed             ▲   │ ▲                                                │
 *     │       ▼                                            │   │ └────────────────────────────────────────────────┘
 *     │    listing ────────────────────────────────────────┘   │ 410 Gone, broken
 *     │       │ failed                                         ▼
 *     └───────┴──────────────────────────────────────────── backingOff          abort, in any state ─▶ stopped
 * ```
 */
export type ReflectorState = Idle | Streaming | Listing | Watching | BackingOff | Stopped;

/** How a watch ended. */
export interface WatchEnded {
  readonly type: 'watchEnded';
  /** Undefined if the server closed the watch. */
  readonly error: unknown;
  /** The watch failed before the first event: the server refused it or was not reached. */
  readonly atStart: boolean;
  /** Events that were received, bookmarks included. */
  readonly events: number;
  /** Events about objects. */
  readonly objectEvents: number;
  readonly lastedMs: number;
  /** The error is a 500, and `maxInternalErrorRetryMs` allows another watch. */
  readonly mayRetry: boolean;
}

/** The result of performing a state. */
export type Outcome =
  /** A round begins, with a watch-list or a list. */
  | { readonly type: 'started'; readonly mayStream: boolean }
  /** The store has the whole collection. */
  | { readonly type: 'synced' }
  | { readonly type: 'listFailed'; readonly error: unknown; readonly pageSize: number }
  | WatchEnded
  | { readonly type: 'resyncFailed'; readonly error: unknown }
  /** The backoff is over. */
  | { readonly type: 'waited' }
  /** A source threw where it must not, as from `traits`. */
  | { readonly type: 'threw'; readonly error: unknown }
  | { readonly type: 'aborted' };

/** A failure to count and report. */
export interface Failure {
  readonly error: unknown;
  readonly reason: FailureReason;
  /** The list or the watch request failed: `listAndWatch` rejects with the error instead of reporting it. */
  readonly rejects?: boolean;
}

/** The result of {@link next}. */
export interface Transition {
  readonly state: ReflectorState;
  readonly failure?: Failure;
  /** A watch stayed open for a second: earlier failures no longer count. */
  readonly isHealthy?: boolean;
}

const noHistory: History = { versionUnavailable: false, shortWatches: 0, isQuiet: false };

export const initialState: ReflectorState = { name: 'idle', history: noHistory };

/** Decides what a reflector does next. Has no effects: the reflector performs the state that this returns. */
export function next(state: ReflectorState, outcome: Outcome): Transition {
  if (outcome.type === 'aborted') return { state: { name: 'stopped' } };
  if (outcome.type === 'threw') {
    return nextRound(historyOf(state), { error: outcome.error, reason: 'watch', rejects: true });
  }
  switch (state.name) {
    case 'idle':
      if (outcome.type === 'started') return started(state, outcome);
      break;
    case 'streaming':
      if (outcome.type === 'synced') return { state: watching(state.history) };
      if (outcome.type === 'watchEnded') return afterStream(state, outcome);
      break;
    case 'listing':
      if (outcome.type === 'synced') return { state: watching(state.history) };
      if (outcome.type === 'listFailed') return afterFailedList(state, outcome);
      break;
    case 'watching':
      if (outcome.type === 'watchEnded') return afterWatch(state, outcome);
      if (outcome.type === 'resyncFailed') return nextRound(state.history, { error: outcome.error, reason: 'resync' });
      break;
    case 'backingOff':
      if (outcome.type === 'waited') return { state: state.resume };
      // The next round begins right after the wait: `idle` is not entered in between.
      if (outcome.type === 'started' && state.resume.name === 'idle') return started(state.resume, outcome);
  }
  throw new TypeError(`a reflector cannot go on from ${state.name} with ${outcome.type}`);
}

function started({ history }: Idle, { mayStream }: { readonly mayStream: boolean }): Transition {
  return { state: mayStream ? { name: 'streaming', history, silences: 0 } : listing(history) };
}

function afterStream(state: Streaming, { error, objectEvents, lastedMs }: WatchEnded): Transition {
  const history = { ...state.history, isQuiet: state.history.isQuiet && objectEvents === 0 };
  const again = { ...state, history };
  // Closed before the initial events were complete.
  if (error === undefined) return { state: reopened(again, lastedMs) };
  if (error instanceof SilentWatchError && state.silences + 1 < quietLimit) {
    // A new connection may help. A proxy that buffers responses would stall every watch-list, but no list.
    return { state: { ...again, silences: state.silences + 1 } };
  }
  if (isConnectionRefused(error) || isTooManyRequests(error)) {
    return { state: { name: 'backingOff', resume: again }, failure: { error, reason: 'unavailable' } };
  }
  if (isVersionUnavailable(error) && !history.versionUnavailable) {
    return { state: { ...again, history: { ...history, versionUnavailable: true } } };
  }
  return { state: listing(history), failure: { error, reason: 'stream' } };
}

function afterFailedList(
  state: Listing,
  { error, pageSize }: { readonly error: unknown; readonly pageSize: number },
): Transition {
  const isUnavailable = isVersionUnavailable(error);
  const history = { ...state.history, versionUnavailable: state.history.versionUnavailable || isUnavailable };
  if (isUnavailable && state.retriedPageSize === undefined) {
    return { state: { ...state, history, retriedPageSize: pageSize } };
  }
  return nextRound(history, { error, reason: 'list', rejects: true });
}

function afterWatch(
  state: Watching,
  { error, atStart, events, objectEvents, lastedMs, mayRetry }: WatchEnded,
): Transition {
  const silence = error instanceof SilentWatchError ? error : undefined;
  const again: Watching = {
    name: 'watching',
    history: { ...state.history, isQuiet: silence !== undefined || (state.history.isQuiet && objectEvents === 0) },
    broken: events > 0 ? 0 : state.broken,
    unanswered: silence?.answered === false ? state.unanswered + 1 : 0,
  };
  if (silence?.answered === false) {
    // One connection may be dead. A server that does not answer on another one either is unavailable.
    if (again.unanswered < quietLimit) return { state: again };
    return { state: { name: 'backingOff', resume: again }, failure: { error, reason: 'unavailable' } };
  }
  // Silence is no failure: the watch is reopened at its last resourceVersion, like one that the server closed.
  if (error === undefined || silence !== undefined) {
    return { state: reopened(again, lastedMs), isHealthy: lastedMs >= shortWatchMs };
  }
  if (isTooManyRequests(error) || (atStart && isConnectionRefused(error))) {
    return { state: { name: 'backingOff', resume: again }, failure: { error, reason: 'unavailable' } };
  }
  // The connection of an open watch broke, or an HTTP/2 ping was not answered.
  if (isConnectionLost(error) && lastedMs >= shortWatchMs) {
    const failure: Failure = { error, reason: 'silent' };
    const broken = again.broken + 1;
    return broken < quietLimit ? { state: { ...again, broken }, failure } : nextRound(again.history, failure);
  }
  if (atStart)
    return nextRound(again.history, { error, reason: isExpired(error) ? 'expired' : 'watch', rejects: true });
  if (isExpired(error)) return nextRound(again.history, { error, reason: 'expired' });
  if (mayRetry) return { state: reopened(again, lastedMs), failure: { error, reason: 'internal' } };
  return nextRound(again.history, { error, reason: 'broken' });
}

function listing(history: History): Listing {
  return { name: 'listing', history, retriedPageSize: undefined };
}

function watching(history: History): Watching {
  return { name: 'watching', history: { ...history, versionUnavailable: false }, broken: 0, unanswered: 0 };
}

/** Backs off, then begins another round: the relist. */
function nextRound(history: History, failure: Failure): Transition {
  return { state: { name: 'backingOff', resume: { name: 'idle', history } }, failure };
}

/** Opens the same watch again: at once, or after the backoff if the last ones were all short. */
function reopened(state: Streaming | Watching, lastedMs: number): ReflectorState {
  const shortWatches = lastedMs < shortWatchMs ? state.history.shortWatches + 1 : 0;
  const again = { ...state, history: { ...state.history, shortWatches } };
  return shortWatches > shortWatchLimit ? { name: 'backingOff', resume: again } : again;
}

function historyOf(state: ReflectorState): History {
  if (state.name === 'stopped') return noHistory;
  return state.name === 'backingOff' ? state.resume.history : state.history;
}

function isVersionUnavailable(error: unknown): boolean {
  return isExpired(error) || isTooLargeResourceVersion(error);
}
