import { isNotFound } from '../../meta/error-predicates.js';
import type { ReflectorStatus } from '../reflector/reflector.js';
import { noSkippedObjects, type SkippedObjects } from '../reflector/unread-keys.js';

/** How an informer is doing. */
export interface InformerStatus {
  /**
   * `waitingForResource`: the server does not serve it (yet), as for a custom resource that is not installed; `backingOff`:
   * something failed, `lastError` says what.
   */
  readonly state: 'idle' | 'waitingForResource' | 'listing' | 'watching' | 'backingOff' | 'stopped';
  /** How far it has come; empty before the first list. */
  readonly resourceVersion: string;
  /** For how long nothing has confirmed that the cache is up to date; 0 while a watch is open. */
  readonly stalenessMs: number;
  /** In ms since 1970. */
  readonly lastEventAt: number | undefined;
  readonly lastBookmarkAt: number | undefined;
  readonly consecutiveFailures: number;
  readonly lastError: Error | undefined;
  /** How many objects of the list under way, or of the last one, have come so far: the progress of a long sync. */
  readonly listed: number;
  /** What the server has and the cache could not read. */
  readonly skipped: SkippedObjects;
}

/** An informer before its start. */
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

/** What a reflector says, in the words of an informer. */
export function informerStatus(status: ReflectorStatus, stopped: boolean): InformerStatus {
  return { ...status, state: stopped ? 'stopped' : stateOf(status) };
}

function stateOf({ state, lastError }: ReflectorStatus): InformerStatus['state'] {
  if (state === 'streaming') return 'listing';
  return state === 'backingOff' && isNotFound(lastError) ? 'waitingForResource' : state;
}
