import type { Codec, ListDecoder, ListHead, WatchDecoder } from '../../codec/codec.js';
import { DecodeError } from '../../codec/decode-error.js';
import { DecodeFlow } from '../../codec/decode-flow.js';
import type { Raw } from '../../codec/raw.js';
import { SlabArena } from '../../codec/slab.js';
import type { BatchSink, Flow, WatchSink } from '../../codec/watch-source.js';
import { StatusError } from '../../meta/errors.js';
import { abortableNames, type OptionNames } from '../../meta/known-options.js';
import type { Abortable, KubernetesList, ListMeta } from '../../meta/objects.js';
import type { Status } from '../../meta/status.js';
import { internal } from '../../meta/status.js';
import type { WatchEventOrBookmark, WireEvent } from '../../meta/watch-event.js';
import { Ring } from '../../structures/ring.js';
import type { Clock } from '../../time/clock.js';
import { type LinkedSignal, linkSignals, onAbort } from '../../time/signals.js';
import { RequestError } from '../http/request-errors.js';
import type { Exchange, ResponseHandler } from '../http/transport.js';
import type { Request } from './request.js';
import type { CallMode } from './retry.js';

/** Sends a list request and pushes the items into the sink. */
export function flowList<T>(
  request: Request,
  decoder: ListDecoder<T>,
  sink: BatchSink<Raw<T>>,
  clock: Clock,
  signal: AbortSignal | undefined,
): Flow<ListHead> {
  const flow = openFlow('do', request, decoder, sink, clock, signal);
  const done = flow.done.then(
    () => decoder.head,
    (error) => {
      throw error instanceof DecodeError ? new RequestError(request.asked, error) : error;
    },
  );
  return { resume: () => flow.resume(), done };
}

/**
 * Sends a watch request and pushes the events into the sink. Bytes that end in the middle of an event are an end like any
 * other; bytes that are no events become one ERROR event, and then the end. A connection that breaks rejects `done`.
 *
 * @param onOpen called when the server has agreed to the watch, before any event
 */
export function flowWatch<T>(
  request: Request,
  decoder: WatchDecoder<T>,
  sink: WatchSink<Raw<T>>,
  clock: Clock,
  signal: AbortSignal | undefined,
  onOpen?: () => void,
): Flow<void> {
  let received = 0;
  const flow = openFlow('watch', request, decoder, sink, clock, signal, (isHead) => {
    received++;
    if (isHead) onOpen?.();
  });
  const done = flow.done.catch((error) => {
    if (!(error instanceof DecodeError)) throw error;
    if (!error.truncated) sink.batch([{ type: 'ERROR', object: undecodable(error) }]);
  });
  return {
    resume: () => flow.resume(),
    done,
    get received() {
      return received;
    },
  };
}

function openFlow<E>(
  mode: CallMode,
  request: Request,
  decoder: ListDecoder<unknown> | WatchDecoder<unknown>,
  sink: BatchSink<E>,
  clock: Clock,
  signal: AbortSignal | undefined,
  onReceived?: (isHead: boolean) => void,
): DecodeFlow<E> {
  let exchange: Exchange | undefined;
  const link = linkSignals([signal]);
  const flow = new DecodeFlow<E>({
    decoder: decoder as never,
    sink,
    clock,
    name: `decode ${request.asked.resource}`,
    onDrain: () => exchange?.resume(),
  });
  const handler: ResponseHandler = {
    head: () => onReceived?.(true),
    chunk: (bytes) => {
      onReceived?.(false);
      return flow.chunk(bytes);
    },
    end: () => flow.end(),
    fail: (error) => flow.fail(error),
  };
  // Whoever gave up wants nothing more of what is already here, even if the answer is complete and only waits.
  const undoAbort = onAbort(signal, () => flow.cancel(signal?.reason));
  // When decoding fails the answer is of no use any more; when all is well there is nothing left to abort.
  const release = (): void => {
    undoAbort();
    link.abort();
  };
  flow.done.then(release, release);
  exchange = request.send(mode, handler, { signal: link.signal });
  return flow;
}

function undecodable(error: DecodeError): Status {
  const status = internal(`unable to decode an event from the watch stream: ${error.message}`);
  const causes = [
    { reason: 'UnexpectedServerResponse', message: error.message },
    { reason: 'ClientWatchDecoding', message: `unable to decode an event from the watch stream: ${error.message}` },
  ];
  return { ...status, details: { ...status.details, causes } };
}

/** Reads a whole list into plain objects, decoding in slices. */
export async function readList<T>(
  request: Request,
  codec: Codec,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<KubernetesList<T>> {
  const items: T[] = [];
  const sink: BatchSink<Raw<T>> = {
    batch(raws) {
      for (const raw of raws) items.push(raw.decode());
      return true;
    },
  };
  const decoder = codec.listDecoder<T>({ arena: new SlabArena() });
  const { kind, apiVersion, metadata } = await flowList(request, decoder, sink, clock, signal).done;
  return { kind, apiVersion, metadata: metadata ?? ({ resourceVersion: '' } satisfies ListMeta), items };
}

/** Options of {@link readWatch}. */
export interface ReadWatchOptions extends Abortable {
  /** Whether bookmarks are yielded, should the server send any. @default true */
  readonly bookmarks?: boolean | undefined;
}

export const readWatchNames: OptionNames<ReadWatchOptions> = { ...abortableNames, bookmarks: true };

/** Reads a watch as plain objects, one event at a time; the request is sent at the first `next()`. */
export function readWatch<T>(
  request: Request,
  codec: Codec,
  clock: Clock,
  options: ReadWatchOptions,
): AsyncIterableIterator<WatchEventOrBookmark<T>> {
  return new WatchIterator<T>(request, codec, clock, options);
}

interface Waiter<T> {
  resolve(result: IteratorResult<WatchEventOrBookmark<T>>): void;
  reject(error: unknown): void;
}

class WatchIterator<T> implements AsyncIterableIterator<WatchEventOrBookmark<T>>, WatchSink<Raw<T>> {
  readonly #request: Request;
  readonly #codec: Codec;
  readonly #clock: Clock;
  readonly #options: ReadWatchOptions;
  readonly #events = new Ring<WireEvent<Raw<T>>>();
  readonly #waiters: Waiter<T>[] = [];
  #link: LinkedSignal | undefined;
  #flow: Flow<void> | undefined;
  #end: { readonly error?: unknown } | undefined;

  constructor(request: Request, codec: Codec, clock: Clock, options: ReadWatchOptions) {
    this.#request = request;
    this.#codec = codec;
    this.#clock = clock;
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<WatchEventOrBookmark<T>>> {
    if (this.#end === undefined) this.#flow ??= this.#open();
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#serve();
    });
  }

  return(): Promise<IteratorResult<WatchEventOrBookmark<T>>> {
    this.#finish({});
    this.#events.clear();
    this.#link?.abort();
    this.#serve();
    return Promise.resolve({ done: true, value: undefined });
  }

  batch(events: readonly WireEvent<Raw<T>>[]): boolean {
    const { bookmarks = true } = this.#options;
    for (const event of events) if (bookmarks || event.type !== 'BOOKMARK') this.#events.push(event);
    this.#serve();
    return this.#events.length === 0;
  }

  #open(): Flow<void> {
    const decoder = this.#codec.watchDecoder<T>({ arena: new SlabArena() });
    // Only now: an iterator that nobody reads leaves nothing on the signal.
    this.#link = linkSignals([this.#options.signal]);
    const flow = flowWatch(this.#request, decoder, this, this.#clock, this.#link.signal);
    flow.done.then(
      () => this.#finish({}),
      (error: unknown) => this.#finish({ error }),
    );
    return flow;
  }

  #finish(end: { readonly error?: unknown }): void {
    this.#end ??= end;
    this.#link?.release();
    this.#serve();
  }

  #serve(): void {
    while (this.#waiters.length > 0) {
      const event = this.#events.shift();
      if (event === undefined && this.#end === undefined) {
        this.#flow?.resume();
        return;
      }
      const waiter = this.#waiters.shift() as Waiter<T>;
      if (event === undefined) this.#tellEnd(waiter);
      else if (event.type === 'ERROR') this.#tellError(waiter, new StatusError(event.object, this.#request.asked));
      else this.#tell(waiter, event);
    }
  }

  /** An object that cannot be read ends the watch: to leave it out would be to hide a change. */
  #tell(waiter: Waiter<T>, event: Exclude<WireEvent<Raw<T>>, { type: 'ERROR' }>): void {
    let value: WatchEventOrBookmark<T>;
    try {
      value = plain(event);
    } catch (error) {
      this.#tellError(waiter, new RequestError(this.#request.asked, error));
      return;
    }
    waiter.resolve({ done: false, value });
  }

  /** An error is thrown once; the iterator is at its end then, as all iterators are. */
  #tellEnd(waiter: Waiter<T>): void {
    const end = this.#end;
    this.#end = {};
    if (end !== undefined && 'error' in end) waiter.reject(end.error);
    else waiter.resolve({ done: true, value: undefined });
  }

  #tellError(waiter: Waiter<T>, error: Error): void {
    this.#end = {};
    this.#events.clear();
    this.#link?.abort();
    waiter.reject(error);
  }
}

function plain<T>(event: Exclude<WireEvent<Raw<T>>, { type: 'ERROR' }>): WatchEventOrBookmark<T> {
  return event.type === 'BOOKMARK' ? event : { type: event.type, object: event.object.decode() };
}
