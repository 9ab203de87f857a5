import { type SelectorOptions, selectorNames, type WatchOptions } from '../../client/options.js';
import { type ObjectWithMeta, objectAccessor } from '../../meta/accessor.js';
import { isExpired, isForbidden, isUnauthorized, suggestsClientDelay } from '../../meta/errors/error-predicates.js';
import { isStatus, StatusError } from '../../meta/errors/errors.js';
import type { Abortable } from '../../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { describeValue, optionError, requireFunction, requireSignal } from '../../meta/options/validate.js';
import type { WatchEvent, WireEvent } from '../../meta/watch-event.js';
import { MAX_RETRY_AFTER_MS } from '../../rest/request/retry.js';
import type { Clock } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';
import { abortable, linkSignals } from '../../time/signals.js';
import { UnexpectedObjectError } from '../reflector/object-check.js';

/** A collection that can be watched: `client.core.v1.pods('default')` is one. */
export interface Watchable<T> {
  /**
   * Opens one watch, which ends when `options.signal` aborts. A refused request may reject the promise or throw in the loop;
   * a later error throws in the loop or is an ERROR event.
   */
  watch(options: WatchOptions): AsyncIterable<WireEvent<T>> | Promise<AsyncIterable<WireEvent<T>>>;
}

/** Options of a {@link RetryWatcher}. */
export interface RetryWatcherOptions extends SelectorOptions, Abortable {
  /** Watches from here. `''` and `'0'` are refused: a watch from them begins with synthetic ADDED events. */
  readonly resourceVersion: string;
  /** @default realClock */
  readonly clock?: Clock | undefined;
}

const retryWatcherNames: OptionNames<RetryWatcherOptions> = {
  ...abortableNames,
  ...selectorNames,
  resourceVersion: true,
  clock: true,
};

/** The least time from the start of one watch to the start of the next. */
const restartMs = 1_000;

/**
 * A watch that is reopened at its last resourceVersion when it closes, so that the loop gets every event once. It keeps no
 * objects and never lists; an informer does.
 *
 * The loop ends without an error when the signal aborts. It throws on 410 Gone (`isExpired`), 401, 403, and on an event of
 * unknown type or without a resourceVersion. After any other failure it watches again, at most once a second.
 *
 * @example
 * const { metadata } = await pods.list();
 * for await (const event of new RetryWatcher(pods, { resourceVersion: metadata.resourceVersion, signal })) {
 *   console.log(event.type, event.object.metadata.name);
 * }
 */
export class RetryWatcher<T extends ObjectWithMeta> implements AsyncIterable<WatchEvent<T>> {
  readonly #source: Watchable<T>;
  readonly #options: RetryWatcherOptions;
  readonly #clock: Clock;
  readonly #events: AsyncGenerator<WatchEvent<T>, void, void>;
  #resourceVersion: string;

  constructor(source: Watchable<T>, options: RetryWatcherOptions) {
    const { resourceVersion } = checkOptions('new RetryWatcher', options, retryWatcherNames);
    requireFunction('source.watch', source?.watch);
    requireSignal('signal', options.signal);
    if (typeof resourceVersion !== 'string' || resourceVersion === '' || resourceVersion === '0') {
      throw optionError('resourceVersion', 'the resourceVersion of a list or an object', resourceVersion);
    }
    this.#source = source;
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#resourceVersion = resourceVersion;
    this.#events = this.#run();
  }

  /** The resourceVersion of the last event that the loop has got. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** The events, for one loop. Leaving the loop closes the watch. */
  [Symbol.asyncIterator](): AsyncGenerator<WatchEvent<T>, void, void> {
    return this.#events;
  }

  async *#run(): AsyncGenerator<WatchEvent<T>, void, void> {
    const link = linkSignals([this.#options.signal]);
    const { signal } = link;
    try {
      while (!signal.aborted) {
        const startedAt = this.#clock.monotonicNow();
        let retryAfterMs = 0;
        let isOpen = false;
        try {
          const events = await abortable(this.#open(signal), signal);
          isOpen = true;
          yield* this.#read(events, signal);
        } catch (error) {
          if (signal.aborted) return;
          if (isFinal(error, isOpen)) throw error;
          retryAfterMs = Math.min(suggestsClientDelay(error) ?? 0, MAX_RETRY_AFTER_MS);
        }
        const untilRestart = startedAt + restartMs - this.#clock.monotonicNow();
        await this.#clock.sleep(Math.max(untilRestart, retryAfterMs), { signal }).catch(() => {});
      }
    } finally {
      link.abort();
    }
  }

  async #open(signal: AbortSignal): Promise<AsyncIterable<WireEvent<T>>> {
    const { labelSelector, fieldSelector } = this.#options;
    const { resourceVersion } = this;
    return this.#source.watch({ labelSelector, fieldSelector, resourceVersion, allowWatchBookmarks: true, signal });
  }

  async *#read(events: AsyncIterable<WireEvent<T>>, signal: AbortSignal): AsyncGenerator<WatchEvent<T>, void> {
    for await (const event of events) {
      if (signal.aborted) return;
      if (event.type === 'ERROR') {
        if (isStatus(event.object)) throw new StatusError(event.object, { verb: 'watch' });
        // Without a Status there is nothing to decide on: watch again.
        return;
      }
      const version = versionOf(event);
      if (event.type !== 'BOOKMARK') yield event;
      this.#resourceVersion = version;
      if (signal.aborted) return;
    }
  }
}

/** Whether another attempt would fail in the same way. */
function isFinal(error: unknown, isOpen: boolean): boolean {
  if (error instanceof UnexpectedObjectError || isUnauthorized(error) || isForbidden(error)) return true;
  // A 410 answer to the request may come from a server that has not caught up yet; only one in an open watch is final.
  return isOpen && isExpired(error);
}

function versionOf(event: Exclude<WireEvent<ObjectWithMeta>, { readonly type: 'ERROR' }>): string {
  const { type, object } = event;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      break;
    default:
      throw new UnexpectedObjectError(`an event of a watch has the unknown type ${describeValue(type)}`);
  }
  let version = '';
  try {
    version = objectAccessor.resourceVersion(object as ObjectWithMeta);
  } catch (cause) {
    throw new UnexpectedObjectError(`the object of a ${type} event has no metadata`, { cause });
  }
  if (version === '') throw new UnexpectedObjectError(`the object of a ${type} event has no resourceVersion`);
  return version;
}
