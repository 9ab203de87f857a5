import { type ListOptions, type SelectorOptions, selectorNames } from '../../client/options.js';
import { type ObjectWithMeta, objectAccessor } from '../../meta/accessor.js';
import { isForbidden, isUnauthorized } from '../../meta/error-predicates.js';
import { isStatus, KubeflectError, StatusError } from '../../meta/errors.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/known-options.js';
import type { Abortable, KubernetesList } from '../../meta/objects.js';
import { requireFunction } from '../../meta/validate.js';
import type { WatchEvent, WireEvent } from '../../meta/watch-event.js';
import type { Clock } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';
import { abortable, type LinkedSignal, linkSignals } from '../../time/signals.js';
import { ListWatch } from '../source/list-watch.js';
import { InformerWatcher, type ReadableStore } from './informer-watcher.js';
import { RetryWatcher, type Watchable } from './retry-watcher.js';

/** Says of an event whether what is waited for has come. What it throws ends the wait. */
export type WatchCondition<T> = (event: WatchEvent<T>) => boolean | Promise<boolean>;

/** One condition, or several that have to come true one after the other; one event may make several of them true. */
type WatchConditions<T> = WatchCondition<T> | readonly WatchCondition<T>[];

/** A collection that can be listed and watched: `client.core.v1.pods('default')` is one. */
interface Collection<T> extends Watchable<T> {
  list(options: ListOptions): Promise<KubernetesList<T>>;
}

/** For how long to wait. */
interface UntilLimits extends Abortable {
  /** Rejects with an {@link UntilTimeoutError} after this long. @default never */
  readonly timeoutMs?: number | undefined;
  /** @default realClock */
  readonly clock?: Clock | undefined;
}

const limitNames: OptionNames<UntilLimits> = { ...abortableNames, timeoutMs: true, clock: true };

/** Which objects are meant. */
interface UntilSelection extends SelectorOptions {
  /** The one of this name. @default all that the selectors leave */
  readonly name?: string | undefined;
}

/** Options of {@link until}. */
export interface UntilOptions extends UntilLimits, UntilSelection {
  /** Events after this version: that of the object or list that was looked at before. */
  readonly resourceVersion: string;
}

const untilNames: OptionNames<UntilOptions> = { ...limitNames, ...selectorNames, name: true, resourceVersion: true };

/** Options of {@link untilWithSync}. */
export interface UntilWithSyncOptions<T> extends UntilLimits, UntilSelection {
  /** Asked once, when everything that exists is known; true ends the wait before it begins. @default not asked */
  readonly precondition?: ((store: ReadableStore<T>) => boolean | Promise<boolean>) | undefined;
}

const untilWithSyncNames: OptionNames<UntilWithSyncOptions<never>> = {
  ...limitNames,
  ...selectorNames,
  name: true,
  precondition: true,
};

/** What was waited for has not come in time. */
export class UntilTimeoutError extends KubeflectError {
  static {
    UntilTimeoutError.prototype.name = 'UntilTimeoutError';
  }

  /** The last event that was looked at; undefined if there was none. */
  readonly lastEvent: WatchEvent<unknown> | undefined;

  constructor(message: string, lastEvent: WatchEvent<unknown> | undefined, options?: ErrorOptions) {
    super('UNTIL_TIMEOUT', message, options);
    this.lastEvent = lastEvent;
  }
}

/** A watch ended before what was waited for had come. */
export class WatchClosedError extends KubeflectError {
  static {
    WatchClosedError.prototype.name = 'WatchClosedError';
  }

  constructor() {
    super('WATCH_CLOSED', 'the watch closed before the condition held: watch again, or wait with `until`');
  }
}

/**
 * @internal Reads events until the conditions have held, one after the other, and returns the event that made the last one hold;
 * undefined if there are no conditions. An ERROR event and the end of the events are failures.
 *
 * Each condition is first shown the event that made the one before hold. On abort it rejects with the signal's reason.
 */
export async function untilWithoutRetry<T>(
  events: AsyncIterable<WireEvent<T>>,
  conditions: WatchConditions<NoInfer<T>>,
  limits: UntilLimits = {},
): Promise<WatchEvent<T> | undefined> {
  const link = linkLimits(checkOptions('untilWithoutRetry', limits, limitNames));
  try {
    return await follow(events, conditions, link.signal, limits);
  } finally {
    link.release();
  }
}

/**
 * Watches from a version on until the conditions have held, whatever becomes of the connection meanwhile. Rejects when the
 * version has become too old (`isExpired`): `untilWithSync` does not mind.
 *
 * @example
 * const pod = await pods.create(template);
 * await until(pods, podReady, { name: pod.metadata.name, resourceVersion: pod.metadata.resourceVersion, timeoutMs: 60_000 });
 */
export async function until<T extends ObjectWithMeta>(
  collection: Watchable<T>,
  conditions: WatchConditions<NoInfer<T>>,
  options: UntilOptions,
): Promise<WatchEvent<T> | undefined> {
  const link = linkLimits(checkOptions('until', options, untilNames));
  try {
    const { resourceVersion, clock } = options;
    const watcher = new RetryWatcher(collection, {
      ...selectorsOf(options),
      resourceVersion,
      clock,
      signal: link.signal,
    });
    return await follow(watcher, conditions, link.signal, options);
  } finally {
    link.abort();
  }
}

/**
 * Lists and watches until the conditions have held: what exists already is shown to them as ADDED. Nothing but the limits
 * and a refusal (401, 403) ends it early. Resolves to undefined if the precondition held.
 *
 * @example
 * await untilWithSync(client.core.v1.pods('default'), deleted, { name: 'web-0', precondition: absent, timeoutMs: 60_000 });
 */
export async function untilWithSync<T extends ObjectWithMeta>(
  collection: Collection<T>,
  conditions: WatchConditions<NoInfer<T>>,
  options: UntilWithSyncOptions<NoInfer<T>> = {},
): Promise<WatchEvent<T> | undefined> {
  const { clock, precondition } = checkOptions('untilWithSync', options, untilWithSyncNames);
  if (precondition !== undefined) requireFunction('precondition', precondition);
  const link = linkLimits(options);
  const { signal } = link;
  let lastFailure: Error | undefined;
  const watcher = new InformerWatcher<T>({
    listWatch: listWatchOf(collection, options),
    accessor: objectAccessor,
    typeDescription: 'what is waited for',
    clock,
    signal,
    onError(error) {
      lastFailure = error;
      if (isUnauthorized(error) || isForbidden(error)) link.abort(error);
    },
  });
  try {
    if (precondition !== undefined) {
      await abortable(watcher.whenSynced(), signal);
      if (await abortable(Promise.resolve(precondition(watcher.store)), signal)) return undefined;
    }
    return await follow(watcher, conditions, signal, options);
  } catch (error) {
    const isLate = error instanceof UntilTimeoutError || timedOut(error, signal, options);
    if (watcher.hasSynced || !isLate) throw error;
    const why = lastFailure === undefined ? '' : `: ${lastFailure.message}`;
    const message = `unable to sync within ${options.timeoutMs} ms, so that no condition could be looked at${why}`;
    throw new UntilTimeoutError(message, undefined, { cause: lastFailure });
  } finally {
    link.abort();
    await watcher.done;
  }
}

async function follow<T>(
  events: AsyncIterable<WireEvent<T>>,
  conditions: WatchConditions<T>,
  signal: AbortSignal,
  limits: UntilLimits,
): Promise<WatchEvent<T> | undefined> {
  const wanted = typeof conditions === 'function' ? [conditions] : conditions;
  const iterator = events[Symbol.asyncIterator]();
  let last: WatchEvent<T> | undefined;
  let held = 0;
  try {
    for (const condition of wanted) {
      const holds = (event: WatchEvent<T>): Promise<boolean> => abortable(Promise.resolve(condition(event)), signal);
      if (last === undefined || !(await holds(last))) {
        do last = await nextObjectEvent(iterator, signal);
        while (!(await holds(last)));
      }
      held++;
    }
    return last;
  } catch (error) {
    if (!timedOut(error, signal, limits)) throw error;
    const seen = last === undefined ? 'there was no event' : `the last event was ${describeEvent(last)}`;
    const which = `condition ${held + 1} of ${wanted.length}`;
    throw new UntilTimeoutError(`${which} did not hold within ${limits.timeoutMs} ms; ${seen}`, last);
  } finally {
    // Not awaited: a source that is in the midst of something answers when that has ended.
    iterator.return?.().then(undefined, () => {});
  }
}

async function nextObjectEvent<T>(iterator: AsyncIterator<WireEvent<T>>, signal: AbortSignal): Promise<WatchEvent<T>> {
  for (;;) {
    const { done, value: event } = await abortable(iterator.next(), signal);
    // A source that ends because it was told to is not one that has closed.
    if (done === true) {
      signal.throwIfAborted();
      throw new WatchClosedError();
    }
    if (event.type === 'ERROR') {
      if (isStatus(event.object)) throw new StatusError(event.object, { verb: 'watch' });
      throw new WatchClosedError();
    }
    if (event.type !== 'BOOKMARK') return event;
  }
}

function linkLimits({ signal, timeoutMs, clock = realClock }: UntilLimits): LinkedSignal {
  signal?.throwIfAborted();
  return linkSignals([signal], { timeoutMs, clock, what: 'waiting for a condition' });
}

/** Whether an error is our own timeout; the caller's signal may have run out of time as well, and then speaks for itself. */
function timedOut(error: unknown, signal: AbortSignal, limits: UntilLimits): boolean {
  return (
    signal.aborted &&
    error === signal.reason &&
    limits.signal?.aborted !== true &&
    (error as Error | undefined)?.name === 'TimeoutError'
  );
}

function selectorsOf({ name, labelSelector, fieldSelector }: UntilSelection): SelectorOptions {
  const fields = [name === undefined ? '' : `metadata.name=${name}`, fieldSelector ?? ''].filter((part) => part !== '');
  return { labelSelector, fieldSelector: fields.length === 0 ? undefined : fields.join(',') };
}

function listWatchOf<T>(collection: Collection<T>, selection: UntilSelection): ListWatch<T> {
  const selectors = selectorsOf(selection);
  return new ListWatch<T>({
    list: (options, signal) => collection.list({ ...options, ...selectors, signal }),
    watch: (options, signal) => collection.watch({ ...options, ...selectors, signal }),
  });
}

function describeEvent({ type, object }: WatchEvent<unknown>): string {
  const item = object as ObjectWithMeta;
  // Events of one's own need not be of objects with metadata.
  if (!(item as Partial<ObjectWithMeta> | undefined)?.metadata) return type;
  return `${type} ${objectAccessor.key(item)} at version ${objectAccessor.resourceVersion(item)}`;
}
