import { type ListOptions, type SelectorOptions, selectorNames } from '../../client/options.js';
import { type ObjectWithMeta, objectAccessor } from '../../meta/accessor.js';
import { isForbidden, isUnauthorized } from '../../meta/errors/error-predicates.js';
import { KubeflectError } from '../../meta/errors/errors.js';
import type { Abortable, KubernetesList } from '../../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { requireFunction } from '../../meta/options/validate.js';
import type { WatchEvent } from '../../meta/watch-event.js';
import type { Clock } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';
import { abortable, type LinkedSignal, linkSignals } from '../../time/signals.js';
import { ListWatch } from '../source/list-watch.js';
import { InformerWatcher, type ReadableStore } from './informer-watcher.js';
import { RetryWatcher, type Watchable } from './retry-watcher.js';

/** Returns whether an event ends the wait. What it throws rejects the wait. */
export type WatchCondition<T> = (event: WatchEvent<T>) => boolean | Promise<boolean>;

/** One condition, or several that have to hold one after the other; one event may fulfil several of them. */
type WatchConditions<T> = WatchCondition<T> | readonly WatchCondition<T>[];

/** A collection that can be listed and watched: `client.core.v1.pods('default')` is one. */
interface Collection<T> extends Watchable<T> {
  list(options: ListOptions): Promise<KubernetesList<T>>;
}

/** How long to wait. */
interface UntilLimits extends Abortable {
  /** Rejects with an {@link UntilTimeoutError} after this long. @default never */
  readonly timeoutMs?: number | undefined;
  /** @default realClock */
  readonly clock?: Clock | undefined;
}

const limitNames: OptionNames<UntilLimits> = { ...abortableNames, timeoutMs: true, clock: true };

/** Which objects to watch. */
interface UntilSelection extends SelectorOptions {
  /** Only the object with this name. @default all that the selectors match */
  readonly name?: string | undefined;
}

/** Options of {@link until}. */
export interface UntilOptions extends UntilLimits, UntilSelection {
  /** Watches from here: the resourceVersion of an object or list that was read before. */
  readonly resourceVersion: string;
}

const untilNames: OptionNames<UntilOptions> = { ...limitNames, ...selectorNames, name: true, resourceVersion: true };

/** Options of {@link untilWithSync}. */
export interface UntilWithSyncOptions<T> extends UntilLimits, UntilSelection {
  /** Called once, when the first list is in the store; true ends the wait. @default none */
  readonly precondition?: ((store: ReadableStore<T>) => boolean | Promise<boolean>) | undefined;
}

const untilWithSyncNames: OptionNames<UntilWithSyncOptions<never>> = {
  ...limitNames,
  ...selectorNames,
  name: true,
  precondition: true,
};

/** The conditions did not hold within `timeoutMs`. */
export class UntilTimeoutError extends KubeflectError {
  static {
    UntilTimeoutError.prototype.name = 'UntilTimeoutError';
  }

  /** The last event that a condition was called with; undefined if there was none. */
  readonly lastEvent: WatchEvent<unknown> | undefined;

  constructor(message: string, lastEvent: WatchEvent<unknown> | undefined, options?: ErrorOptions) {
    super('UNTIL_TIMEOUT', message, options);
    this.lastEvent = lastEvent;
  }
}

/**
 * Watches from a resourceVersion until the conditions have held, and reopens the watch when it closes. Resolves to the event
 * that made the last condition hold, or to undefined without conditions. Each condition is first called with the event that
 * fulfilled the one before.
 *
 * Rejects with 410 Gone (`isExpired`) if the resourceVersion was compacted; `untilWithSync` lists again then. On abort it
 * rejects with the signal's reason.
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
 * Lists and watches until the conditions have held; they are called with existing objects as ADDED events. Rejects at once
 * only for 401 and 403; other failures are retried until the timeout. Resolves to undefined if the precondition held.
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
    typeDescription: 'the awaited objects',
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
    const message = `unable to sync within ${options.timeoutMs} ms, so no condition was called${why}`;
    throw new UntilTimeoutError(message, undefined, { cause: lastFailure });
  } finally {
    link.abort();
    await watcher.done;
  }
}

async function follow<T extends ObjectWithMeta>(
  events: AsyncIterable<WatchEvent<T>>,
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
        do last = await nextEvent(iterator, signal);
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
    // Not awaited: a generator answers `return` only after the `next` that is pending.
    iterator.return?.().then(undefined, () => {});
  }
}

async function nextEvent<T>(iterator: AsyncIterator<WatchEvent<T>>, signal: AbortSignal): Promise<WatchEvent<T>> {
  const { done, value } = await abortable(iterator.next(), signal);
  if (done !== true) return value;
  signal.throwIfAborted();
  throw new Error('the watch ended before the condition held');
}

function linkLimits({ signal, timeoutMs, clock = realClock }: UntilLimits): LinkedSignal {
  signal?.throwIfAborted();
  return linkSignals([signal], { timeoutMs, clock, what: 'waiting for a condition' });
}

/** Whether an error is that of `timeoutMs`. The caller's signal may abort with a TimeoutError too, which is passed on. */
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

function describeEvent<T extends ObjectWithMeta>({ type, object }: WatchEvent<T>): string {
  return `${type} ${objectAccessor.key(object)} at version ${objectAccessor.resourceVersion(object)}`;
}
