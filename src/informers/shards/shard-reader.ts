import type { ListerWatcher } from '../../cache/source/list-watch.js';
import type { ServerTraits } from '../../cache/source/server-traits.js';
import type { ListHead } from '../../codec/codec.js';
import { isLeftOut, type Raw } from '../../codec/raw.js';
import type { BatchSink, Flow, WatchSink } from '../../codec/watch-source.js';
import type { ListParameters, WatchParameters } from '../../meta/options/parameters.js';
import { isInitialEventsEnd, type WireEvent } from '../../meta/watch-event.js';
import type { ShardFilter } from './shard-filter.js';
import { shardSelector } from './shard-selector.js';
import type { ShardSupport } from './shard-support.js';

/** Options of a {@link ShardReader}. */
export interface ShardReaderOptions<T> {
  /** Reads the collection; its decoder has the filter. */
  readonly source: ListerWatcher<Raw<T>>;
  readonly filter: ShardFilter;
  readonly support: ShardSupport;
  /** Whether servers with the feature gate echo the selector in lists of this collection: of built-in kinds, as whole objects. */
  readonly hasEcho: boolean;
}

/**
 * Reads the shards that its filter keeps: sends the selector where the server supports it, and takes out what the filter has left
 * out. An object that leaves its shard, because it has another controller now, is a DELETED event. Versions of objects that were
 * left out are passed on as bookmarks, since they are progress of the watch.
 */
export class ShardReader<T> implements ListerWatcher<Raw<T>> {
  readonly #options: ShardReaderOptions<T>;

  constructor(options: ShardReaderOptions<T>) {
    this.#options = options;
  }

  get traits(): ServerTraits {
    return this.#options.source.traits;
  }

  get supportsWatchList(): boolean {
    return this.#options.source.supportsWatchList;
  }

  list(options: ListParameters, sink: BatchSink<Raw<T>>, signal: AbortSignal): Flow<ListHead> {
    const { source, support, hasEcho } = this.#options;
    const inner: BatchSink<Raw<T>> = {
      batch: (items) => {
        const kept = items.filter((item) => !isLeftOut(item));
        return kept.length === 0 || sink.batch(kept);
      },
    };
    return deferred(async () => {
      const selector = await this.#selector(signal);
      const flow = source.list({ ...options, shardSelector: selector }, inner, signal);
      const done = flow.done.then((head) => {
        if (hasEcho && selector !== undefined && head.metadata?.shardInfo === undefined) support.forget();
        return head;
      });
      return { resume: () => flow.resume(), done };
    });
  }

  open(options: WatchParameters, sink: WatchSink<Raw<T>>, signal: AbortSignal): Flow<void> {
    // The versions of initial events are in no order.
    let isInitial = options.sendInitialEvents === true;
    const inner: WatchSink<Raw<T>> = {
      batch: (events) => {
        const kept: WireEvent<Raw<T>>[] = [];
        let leftOut: Raw<T> | undefined;
        for (const event of events) {
          leftOut = undefined;
          if (event.type === 'BOOKMARK' && isInitialEventsEnd(event.object)) isInitial = false;
          if (event.type === 'BOOKMARK' || event.type === 'ERROR') kept.push(event);
          else if (isLeftOut(event.object)) {
            if (event.object.length > 0) kept.push({ type: 'DELETED', object: event.object });
            else leftOut = event.object;
          } else kept.push(event);
        }
        if (leftOut !== undefined && leftOut.resourceVersion !== '' && !isInitial) kept.push(progress(leftOut));
        return kept.length === 0 || sink.batch(kept);
      },
    };
    return deferred(async () => {
      const selector = await this.#selector(signal);
      return this.#options.source.open({ ...options, shardSelector: selector }, inner, signal);
    });
  }

  async #selector(signal: AbortSignal): Promise<string | undefined> {
    const { filter, support } = this.#options;
    // Servers do not select by owners.
    if (filter.by === 'controllerUid') return undefined;
    const selector = shardSelector(filter.by, filter.shards);
    return selector !== undefined && (await support.sends(signal)) ? selector : undefined;
  }
}

function progress({ apiVersion, kind, resourceVersion }: Raw<unknown>): WireEvent<never> {
  return { type: 'BOOKMARK', object: { apiVersion, kind, metadata: { resourceVersion } } };
}

/** A flow that begins later. */
function deferred<R>(start: () => Promise<Flow<R>>): Flow<R> {
  let flow: Flow<R> | undefined;
  const run = async (): Promise<R> => {
    flow = await start();
    return flow.done;
  };
  return {
    resume: () => flow?.resume(),
    done: run(),
    get received() {
      return flow === undefined ? 0 : flow.received;
    },
  };
}
