import { isNotFound } from '../../meta/errors/error-predicates.js';
import type { ReflectorStatus } from '../reflector/reflector.js';
import { noSkippedObjects, type SkippedObjects } from '../reflector/unread-keys.js';

/** The state of an informer. */
export interface InformerStatus {
  /**
   * `waitingForResource`: the server answers 404, as for a custom resource that is not installed yet. `backingOff`: a list or
   * watch failed with `lastError`.
   */
  readonly state: 'idle' | 'waitingForResource' | 'listing' | 'watching' | 'backingOff' | 'stopped';
  /** The last resourceVersion of list or watch; empty before the first list. */
  readonly resourceVersion: string;
  /** Time since the cache was last known to be up to date; 0 while a watch is open. */
  readonly stalenessMs: number;
  /** When the last watch event arrived, in ms since 1970. */
  readonly lastEventAt: number | undefined;
  /** When the last bookmark arrived, in ms since 1970. */
  readonly lastBookmarkAt: number | undefined;
  readonly consecutiveFailures: number;
  readonly lastError: Error | undefined;
  /** The number of objects that the current or last list has returned so far. */
  readonly listed: number;
  /** Objects that the server has and the cache could not read. */
  readonly skipped: SkippedObjects;
}

/** The status of an informer that was not started. */
export const idleStatus: InformerStatus = Object.freeze({
  state: 'idle',
  resourceVersion: '',
  stalenessMs: 0,
  lastEventAt: undefined,
  lastBookmarkAt: undefined,
  consecutiveFailures: 0,
  lastError: undefined,
  listed: 0,
  skipped: noSkippedObjects,
});

/** Makes the status of an informer from that of its reflector. */
export function informerStatus(status: ReflectorStatus, stopped: boolean): InformerStatus {
  return { ...status, state: stopped ? 'stopped' : stateOf(status) };
}

function stateOf({ state, lastError }: ReflectorStatus): InformerStatus['state'] {
  if (state === 'streaming') return 'listing';
  return state === 'backingOff' && isNotFound(lastError) ? 'waitingForResource' : state;
}
