import type { Codec, DecoderOptions, ListDecoder, ListHead, StreamDecoder } from '../../codec/codec.js';
import { DecodeError, UnknownFieldError } from '../../codec/decode-error.js';
import { DecodeFlow } from '../../codec/decode-flow.js';
import type { Raw } from '../../codec/raw.js';
import { SlabArena } from '../../codec/slab.js';
import type { BatchSink, Flow, WatchSink } from '../../codec/watch-source.js';
import { StatusError } from '../../meta/errors/errors.js';
import type { Status } from '../../meta/errors/status.js';
import { internal } from '../../meta/errors/status.js';
import type { Abortable, KubernetesList, ListMeta } from '../../meta/objects.js';
import { abortableNames, type OptionNames } from '../../meta/options/known-options.js';
import type { WatchEventOrBookmark, WireEvent } from '../../meta/watch-event.js';
import { Ring } from '../../structures/ring.js';
import type { Clock } from '../../time/clock.js';
import { abortError, onAbort } from '../../time/signals.js';
import { ConnectionLostError, RequestError } from '../http/request-errors.js';
import type { ResponseHandler } from '../http/transport.js';
import type { RunningCall } from './call.js';
import type { Request } from './request.js';
import type { CallMode } from './retry.js';

/** Sends a list request and pushes the items into the sink. The `Content-Type` of the response decides how it is decoded. */
export function flowList<T>(
  request: Request,
  options: DecoderOptions,
  sink: BatchSink<Raw<T>>,
  clock: Clock,
  signal: AbortSignal | undefined,
): Flow<ListHead> {
  let decoder: ListDecoder<T> | undefined;
  const decoderOf = (codec: Codec): ListDecoder<T> => {
    decoder = codec.listDecoder<T>({ ...options, isStrict: () => request.isStrict(codec) });
    return decoder;
  };
  const flow = openFlow('do', request, decoderOf, sink, clock, signal);
  const done = flow.done.then(
    () => (decoder as ListDecoder<T>).head,
    (error) => {
      throw error instanceof DecodeError ? undecodedResponse(request, error) : error;
    },
  );
  return { resume: () => flow.resume(), done };
}

/** A watch under way. */
interface WatchFlow extends Flow<void> {
  /** Ends the request; nothing more is pushed, and `done` rejects with the reason. */
  cancel(reason: unknown): void;
}

/**
 * Sends a watch request and pushes the events into the sink. A body that ends in the middle of an event resolves `done` like
 * any other end; bytes that are no events are pushed as one ERROR event first. A broken connection rejects `done`.
 *
 * @param onOpen called when the head of a success has come, before any event
 */
export function flowWatch<T>(
  request: Request,
  options: DecoderOptions,
  sink: WatchSink<Raw<T>>,
  clock: Clock,
  signal: AbortSignal | undefined,
  onOpen?: () => void,
): WatchFlow {
  let heads = 0;
  const decoderOf = (codec: Codec): StreamDecoder<WireEvent<Raw<T>>> => {
    heads++;
    onOpen?.();
    return codec.watchDecoder<T>({ ...options, isStrict: () => request.isStrict(codec) });
  };
  const flow = openFlow('watch', request, decoderOf, sink, clock, signal);
  const done = flow.done.catch((error) => {
    if (!(error instanceof DecodeError)) throw error;
    if (error instanceof UnknownFieldError) throw undecodedResponse(request, error);
    if (!error.truncated) sink.batch([{ type: 'ERROR', object: undecodable(error) }]);
  });
  return {
    resume: () => flow.resume(),
    cancel: (reason) => flow.cancel(reason),
    done,
    get received() {
      return heads + flow.received;
    },
  };
}

function openFlow<E>(
  mode: CallMode,
  request: Request,
  decoderOf: (codec: Codec) => StreamDecoder<E>,
  sink: BatchSink<E>,
  clock: Clock,
  signal: AbortSignal | undefined,
): DecodeFlow<E> {
  let call: RunningCall | undefined;
  const flow = new DecodeFlow<E>({
    sink,
    clock,
    name: `decode ${request.asked.resource}`,
    onDrain: () => call?.resume(),
  });
  const handler: ResponseHandler = {
    head(_status, headers) {
      flow.decodeWith(decoderOf(request.codecOf(headers)));
      return flow;
    },
    end: () => flow.end(),
    fail: (error) => flow.fail(error),
  };
  // After an abort the sink gets nothing more, even if the response is complete and waits to be decoded.
  const undoAbort = onAbort(signal, () => flow.cancel(signal?.reason));
  call = request.sendNegotiated(mode, handler, { signal });
  // If decoding failed, the rest of the response is not read. After an end the call has nothing left to cancel.
  const release = (): void => {
    undoAbort();
    call.cancel();
  };
  flow.done.then(release, release);
  return flow;
}

/** The error of a response that cannot be decoded. With unknown fields the next request of its resource is made in JSON. */
function undecodedResponse(request: Request, error: DecodeError): RequestError {
  if (!(error instanceof UnknownFieldError)) return new RequestError(request.asked, error);
  request.abandonFormat();
  return new RequestError(request.asked, new ConnectionLostError(error.message, { cause: error }));
}

function undecodable(error: DecodeError): Status {
  const status = internal(`unable to decode an event from the watch stream: ${error.message}`);
  const causes = [
    { reason: 'UnexpectedServerResponse', message: error.message },
    { reason: 'ClientWatchDecoding', message: `unable to decode an event from the watch stream: ${error.message}` },
  ];
  return { ...status, details: { ...status.details, causes } };
}

/** Reads a whole list into plain objects, decoding in slices; a list with unknown fields is read again as JSON. */
export async function readList<T>(
  request: Request,
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
  const options = { arena: new SlabArena() };
  const read = (): Promise<ListHead> => flowList(request, options, sink, clock, signal).done;
  const { kind, apiVersion, metadata } = await read().catch((error: unknown) => {
    if (!hasUnknownFields(error)) throw error;
    items.length = 0;
    return read();
  });
  return { kind, apiVersion, metadata: metadata ?? ({ resourceVersion: '' } satisfies ListMeta), items };
}

function hasUnknownFields(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof ConnectionLostError && cause.cause instanceof UnknownFieldError;
}

/** Options of {@link readWatch}. */
export interface ReadWatchOptions extends Abortable {
  /** Whether BOOKMARK events are yielded. @default true */
  readonly bookmarks?: boolean | undefined;
}

export const readWatchNames: OptionNames<ReadWatchOptions> = { ...abortableNames, bookmarks: true };

/** Reads a watch as plain objects, one event at a time; the request is sent at the first `next()`. */
export function readWatch<T>(
  request: Request,
  clock: Clock,
  options: ReadWatchOptions,
): AsyncIterableIterator<WatchEventOrBookmark<T>> {
  return new WatchIterator<T>(request, clock, options);
}

/** A pending `next()`. */
interface Waiter<T> {
  resolve(result: IteratorResult<WatchEventOrBookmark<T>>): void;
  reject(error: unknown): void;
}

/** The events of a watch as plain objects; each is decoded when it is taken. */
class WatchIterator<T> implements AsyncIterableIterator<WatchEventOrBookmark<T>>, WatchSink<Raw<T>> {
  readonly #request: Request;
  readonly #clock: Clock;
  readonly #options: ReadWatchOptions;
  readonly #events = new Ring<WireEvent<Raw<T>>>();
  readonly #waiters: Waiter<T>[] = [];
  #flow: WatchFlow | undefined;
  #end: { readonly error?: unknown } | undefined;

  constructor(request: Request, clock: Clock, options: ReadWatchOptions) {
    this.#request = request;
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
    this.#close();
    this.#serve();
    return Promise.resolve({ done: true, value: undefined });
  }

  batch(events: readonly WireEvent<Raw<T>>[]): boolean {
    const { bookmarks = true } = this.#options;
    for (const event of events) if (bookmarks || event.type !== 'BOOKMARK') this.#events.push(event);
    this.#serve();
    return this.#events.length === 0;
  }

  #open(): WatchFlow {
    const flow = flowWatch<T>(this.#request, { arena: new SlabArena() }, this, this.#clock, this.#options.signal);
    flow.done.then(
      () => this.#finish({}),
      (error: unknown) => this.#finish({ error }),
    );
    return flow;
  }

  #finish(end: { readonly error?: unknown }): void {
    this.#end ??= end;
    this.#serve();
  }

  #close(): void {
    this.#flow?.cancel(abortError('the watch was closed by its reader'));
  }

  #serve(): void {
    while (this.#waiters.length > 0) {
      const event = this.#events.shift();
      if (event === undefined && this.#end === undefined) {
        this.#flow?.resume();
        return;
      }
      const waiter = this.#waiters.shift() as Waiter<T>;
      if (event === undefined) this.#settleAtEnd(waiter);
      else if (event.type === 'ERROR') this.#rejectAndClose(waiter, new StatusError(event.object, this.#request.asked));
      else this.#resolve(waiter, event);
    }
  }

  /** Resolves a waiting `next()`. An object that cannot be decoded ends the watch, since leaving it out would hide a change. */
  #resolve(waiter: Waiter<T>, event: Exclude<WireEvent<Raw<T>>, { type: 'ERROR' }>): void {
    let value: WatchEventOrBookmark<T>;
    try {
      value = plain(event);
    } catch (error) {
      this.#rejectAndClose(waiter, new RequestError(this.#request.asked, error));
      return;
    }
    waiter.resolve({ done: false, value });
  }

  /** Rejects one `next()` with the error; later ones are done. */
  #settleAtEnd(waiter: Waiter<T>): void {
    const end = this.#end;
    this.#end = {};
    if (end !== undefined && 'error' in end) waiter.reject(end.error);
    else waiter.resolve({ done: true, value: undefined });
  }

  #rejectAndClose(waiter: Waiter<T>, error: Error): void {
    this.#end = {};
    this.#events.clear();
    this.#close();
    waiter.reject(error);
  }
}

function plain<T>(event: Exclude<WireEvent<Raw<T>>, { type: 'ERROR' }>): WatchEventOrBookmark<T> {
  return event.type === 'BOOKMARK' ? event : { type: event.type, object: event.object.decode() };
}
