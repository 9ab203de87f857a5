import type { Duplex } from 'node:stream';
import type { Codec } from '../../codec/codec.js';
import { jsonCodec } from '../../codec/json/json-codec.js';
import { type FailedRequest, StatusError } from '../../meta/errors/errors.js';
import { channels } from '../../observe/channels.js';
import type { Clock, Timer } from '../../time/clock.js';
import { type LinkedSignal, linkSignals, timeoutError } from '../../time/signals.js';
import type { Credentials } from '../http/connection-config.js';
import { GunzipBody } from '../http/gunzip.js';
import { HttpsServerError, messageOf, RequestError } from '../http/request-errors.js';
import { setDeadline } from '../http/silence.js';
import type {
  BodySink,
  Exchange,
  RequestHeaders,
  ResponseHandler,
  ResponseHeaders,
  Transport,
  TransportRequest,
} from '../http/transport.js';
import { type CallMode, retryAfterFailure, retryAfterMs, retryAfterResponse } from './retry.js';
import { reportWarnings, type WarningHandler } from './warnings.js';
import type { WireFormats } from './wire-formats.js';

/** Limits the rate of requests. `TokenBucket` is one. */
export interface RequestLimiter {
  /** Takes a token if there is one. */
  tryTake(): boolean;
  /** Resolves when it has taken a token; rejects with `signal.reason`. */
  wait(options: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/** What all requests of a client share. */
export interface CallContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly formats: WireFormats;
  readonly limiter: RequestLimiter | undefined;
  readonly credentials: Credentials | undefined;
  /** The user and where it is configured, for the error of a 401. */
  readonly identity?: string | undefined;
  /** Abort when the client, or the client that it was made from with `through`, is closed. */
  readonly closing: readonly AbortSignal[];
  /** A response has to begin within this time, and an error response to end; 0 sets no limit. */
  readonly answerTimeoutMs: number;
}

/** A request, ready to be sent. */
export interface CallSpec {
  readonly mode: CallMode;
  readonly method: string;
  /** The Kubernetes verb, such as `list`; empty for paths outside of the API. */
  readonly verb: string;
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHeaders;
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxRetries: number;
  readonly onWarning: WarningHandler;
  /** Names the request in errors. */
  readonly asked: FailedRequest;
  /** The same request once the formats that it may use are loaded; undefined if they are, or if it does not need them. */
  readonly whenLoaded: Promise<CallSpec> | undefined;
  /** The same request in JSON, after the server refused its format with 406 or 415; undefined if it is in JSON. */
  readonly inJson: (() => CallSpec) | undefined;
}

/** The end of an attempt that brought no success: an error response, or no response. */
type Outcome =
  | { readonly status: number; readonly headers: ResponseHeaders; readonly body: Uint8Array }
  | { readonly error: unknown };

/** Limit of an error body. A Status is small; a proxy's error page may not be. */
const MAX_ERROR_BODY_BYTES = 1024 * 1024;
const NO_HEADERS: Readonly<Record<string, string>> = {};

/** A request under way, with its attempts. */
export interface RunningCall extends Exchange {
  /** Stops waiting, retrying and reading; does nothing after the end. The handler fails with the reason. */
  cancel(reason?: unknown): void;
}

/**
 * Sends a request until it has a response for `handler`: waits for the limiter, adds credentials, retries, reports warnings.
 *
 * `handler` gets the head of a success, and what it returns for it gets the body, directly from the connection. Otherwise
 * `handler.fail` is called with a StatusError, a RequestError or `signal.reason`. Only what fails before the head of a success
 * is sent again.
 */
export function startCall(
  context: CallContext,
  spec: CallSpec,
  handler: ResponseHandler,
  signal?: AbortSignal,
): RunningCall {
  const call = new Call(context, spec, handler, signal);
  void call.run();
  return call;
}

class Call implements RunningCall, AttemptOwner {
  readonly #context: CallContext;
  #spec: CallSpec;
  readonly #handler: ResponseHandler;
  readonly #signal: AbortSignal | undefined;
  /** Aborts what the call waits for: the limiter, credentials, a delay or the transport. */
  #link: LinkedSignal;
  #timeout: Timer | undefined;
  #attempt: Attempt | undefined;
  #number = 1;
  #previous: unknown;
  #isOver = false;

  constructor(context: CallContext, spec: CallSpec, handler: ResponseHandler, signal: AbortSignal | undefined) {
    this.#context = context;
    this.#spec = spec;
    this.#handler = handler;
    this.#signal = signal;
    this.#link = linkSignals([signal, ...context.closing]);
  }

  resume(): void {
    this.#attempt?.resume();
  }

  cancel(reason?: unknown): void {
    this.#link.abort(reason);
  }

  async run(): Promise<void> {
    try {
      if (this.#spec.whenLoaded !== undefined) this.#spec = await this.#spec.whenLoaded;
      // A watch is not throttled: it is one request for hours of events.
      await (this.#spec.mode === 'watch' ? undefined : this.#throttle());
      this.#link.signal.throwIfAborted();
      this.#startTimeout();
      const outcome = await this.#untilSuccess();
      if (outcome !== undefined) throw this.#errorOf(outcome);
    } catch (error) {
      this.#fail(error);
    }
  }

  opened(status: number, headers: ResponseHeaders): BodySink {
    return this.#handler.head(status, headers);
  }

  upgraded(headers: ResponseHeaders, connection: Duplex): void {
    this.#release();
    this.#handler.upgraded?.(headers, connection);
  }

  over(failure: { readonly error: unknown } | undefined): void {
    if (failure !== undefined) this.#fail(failure.error);
    else {
      this.#release();
      this.#handler.end();
    }
  }

  abandon(reason?: unknown): void {
    const link = this.#link;
    // The next attempt needs a signal that has not aborted.
    if (!this.#isOver) this.#link = linkSignals([this.#signal, ...this.#context.closing]);
    link.abort(reason);
  }

  #startTimeout(): void {
    const { timeoutMs } = this.#spec;
    if (timeoutMs === undefined) return;
    this.#timeout = this.#context.clock.setTimer(timeoutMs, () =>
      this.cancel(timeoutError(`the request took more than ${timeoutMs} ms`)),
    );
  }

  /** Resolves to undefined when a success has begun; else to how the last attempt ended. */
  async #untilSuccess(): Promise<Outcome | undefined> {
    let mayAuthenticateAgain = true;
    for (;;) {
      const credentials = await this.#context.credentials?.headers(this.#link.signal);
      this.#link.signal.throwIfAborted();
      const outcome = await this.#tryOnce(credentials ?? NO_HEADERS);
      const { signal } = this.#link;
      if (outcome === undefined || signal.aborted) return outcome;
      if ('status' in outcome && outcome.status === 401 && mayAuthenticateAgain && credentials !== undefined) {
        mayAuthenticateAgain = false;
        if (await this.#context.credentials?.onUnauthorized?.(credentials, signal)) continue;
      }
      if ('status' in outcome && (outcome.status === 406 || outcome.status === 415) && this.#spec.inJson) {
        this.#spec = this.#spec.inJson();
        continue;
      }
      const delayMs = this.#delayBeforeRetry(outcome);
      if (delayMs === undefined) return outcome;
      this.#previous = this.#errorOf(outcome);
      this.#number++;
      this.#publishRetry(outcome, delayMs);
      await this.#context.clock.sleep(delayMs, { signal });
      await this.#throttle();
    }
  }

  #delayBeforeRetry(outcome: Outcome): number | undefined {
    const { maxRetries, mode, method } = this.#spec;
    if (this.#number > maxRetries) return undefined;
    return 'status' in outcome
      ? retryAfterResponse(outcome.status, outcome.headers)
      : retryAfterFailure(mode, method, outcome.error);
  }

  async #throttle(): Promise<void> {
    const { limiter, clock, transport } = this.#context;
    if (limiter === undefined || limiter.tryTake()) return;
    const startedAt = clock.monotonicNow();
    await limiter.wait({ signal: this.#link.signal });
    if (!channels.restThrottle.hasSubscribers) return;
    const { method, path } = this.#spec;
    const waitedMs = clock.monotonicNow() - startedAt;
    channels.restThrottle.publish({ method, host: hostOf(transport), path, waitedMs });
  }

  #tryOnce(credentials: RequestHeaders): Promise<Outcome | undefined> {
    const { mode, method, path, query, headers, body } = this.#spec;
    return new Promise((resolve) => {
      const attempt = new Attempt(this.#context, this.#spec, this, resolve);
      this.#attempt = attempt;
      attempt.start({
        method,
        target: `${path}${query}`,
        // Headers of the request override those of the credentials.
        headers: { ...credentials, ...headers },
        body,
        isLongRunning: mode !== 'do',
        upgrade: mode === 'upgrade' ? 'websocket' : undefined,
        signal: this.#link.signal,
      });
    });
  }

  #release(): void {
    this.#isOver = true;
    this.#timeout?.cancel();
    this.#link.release();
  }

  #fail(error: unknown): void {
    const reason = this.#signal?.aborted ? this.#signal.reason : this.#wrap(error);
    this.#release();
    this.#handler.fail(reason);
  }

  #errorOf(outcome: Outcome): unknown {
    if ('error' in outcome) return this.#wrap(outcome.error);
    const { status, headers } = outcome;
    const { asked } = this.#spec;
    const body = textOf(this.#context.formats.of(headers['content-type']), outcome.body);
    const https = HttpsServerError.fromAnswer(status, body);
    if (https !== undefined) return this.#wrap(https);
    const identity = status === 401 ? this.#context.identity : undefined;
    return StatusError.fromResponse(status, body, { ...asked, identity, retryAfterMs: retryAfterMs(headers) });
  }

  #wrap(error: unknown): unknown {
    if (error instanceof StatusError || error instanceof RequestError) return error;
    const { server } = this.#context.transport;
    return new RequestError(
      { ...this.#spec.asked, server, attempt: this.#number, previous: this.#previousUnless(error) },
      error,
    );
  }

  /** The error of the attempt before, if it was another one: both help to find the reason. */
  #previousUnless(error: unknown): unknown {
    const previous = this.#previous;
    return previous === undefined || messageOf(previous).includes(messageOf(error)) ? undefined : previous;
  }

  #publishRetry(outcome: Outcome, delayMs: number): void {
    if (!channels.restRetry.hasSubscribers) return;
    const { method, path } = this.#spec;
    channels.restRetry.publish({
      method,
      host: hostOf(this.#context.transport),
      path,
      attempt: this.#number,
      delayMs,
      status: 'status' in outcome ? outcome.status : undefined,
      ...('error' in outcome ? { error: outcome.error } : {}),
    });
  }
}

interface AttemptOwner {
  /** A success begins; returns what receives its body. */
  opened(status: number, headers: ResponseHeaders): BodySink;
  /** The server has switched to another protocol. */
  upgraded(headers: ResponseHeaders, connection: Duplex): void;
  /** The success has ended. */
  over(failure: { readonly error: unknown } | undefined): void;
  /** Aborts this attempt; the call may make another one. */
  abandon(reason?: unknown): void;
}

/** One request to the transport: distinguishes success from error, and decompresses the body. */
class Attempt implements ResponseHandler, Exchange {
  readonly #context: CallContext;
  readonly #spec: CallSpec;
  readonly #owner: AttemptOwner;
  /** Called once: with undefined when a success begins, or with how the attempt ended. */
  readonly #settle: (outcome: Outcome | undefined) => void;
  readonly #startedAt: number;
  #exchange: Exchange | undefined;
  #gunzip: GunzipBody | undefined;
  #deadline: Timer | undefined;
  #hasHead = false;
  /** Undefined for a success. */
  #errorBody: ErrorBody | undefined;

  constructor(
    context: CallContext,
    spec: CallSpec,
    owner: AttemptOwner,
    settle: (outcome: Outcome | undefined) => void,
  ) {
    this.#context = context;
    this.#spec = spec;
    this.#owner = owner;
    this.#settle = settle;
    this.#startedAt = context.clock.monotonicNow();
  }

  start(request: TransportRequest): void {
    const { answerTimeoutMs, clock, transport } = this.#context;
    // The server sends no head of a followed log before its first line, which may take long.
    if (answerTimeoutMs > 0 && this.#spec.mode !== 'stream') {
      this.#deadline = setDeadline(clock, answerTimeoutMs, () => {
        const what = this.#hasHead ? 'the server sent an error response that did not end' : 'no response began';
        this.#owner.abandon(
          timeoutError(
            `${what} within ${answerTimeoutMs} ms (answerTimeoutMs): the server or the network does not respond`,
          ),
        );
      });
    }
    this.#exchange = transport.send(request, this);
  }

  resume(): void {
    if (this.#gunzip !== undefined) this.#gunzip.resume();
    else this.#exchange?.resume();
  }

  head(status: number, headers: ResponseHeaders): BodySink {
    this.#hasHead = true;
    this.#publish(status, undefined);
    reportWarnings(headers['warning'], this.#spec.onWarning);
    const sink = this.#sinkOf(status, headers);
    if (headers['content-encoding']?.toLowerCase() !== 'gzip') return sink;
    this.#gunzip = new GunzipBody(sink, {
      resume: () => this.#exchange?.resume(),
      stop: () => this.#owner.abandon(),
      end: () => this.#over(undefined),
      fail: (error) => this.#over({ error }),
    });
    return this.#gunzip;
  }

  end(): void {
    this.#deadline?.cancel();
    if (this.#gunzip !== undefined) this.#gunzip.end();
    else this.#over(undefined);
  }

  upgraded(headers: ResponseHeaders, connection: Duplex): void {
    this.#deadline?.cancel();
    this.#publish(101, undefined);
    reportWarnings(headers['warning'], this.#spec.onWarning);
    this.#settle(undefined);
    this.#owner.upgraded(headers, connection);
  }

  fail(error: unknown): void {
    this.#deadline?.cancel();
    if (!this.#hasHead) {
      this.#publish(undefined, error);
      this.#settle({ error });
    } else if (this.#gunzip !== undefined) this.#gunzip.fail(error);
    else this.#over({ error });
  }

  #sinkOf(status: number, headers: ResponseHeaders): BodySink {
    const isSuccess = status >= 200 && status <= 206;
    if (isSuccess) {
      this.#deadline?.cancel();
      this.#settle(undefined);
      return this.#owner.opened(status, headers);
    }
    this.#errorBody = new ErrorBody(status, headers);
    return this.#errorBody;
  }

  #over(failure: { readonly error: unknown } | undefined): void {
    if (this.#errorBody === undefined) this.#owner.over(failure);
    else this.#settle(failure ?? this.#errorBody.outcome());
  }

  #publish(status: number | undefined, error: unknown): void {
    if (!channels.restRequest.hasSubscribers) return;
    const { method, verb, path } = this.#spec;
    const durationMs = this.#context.clock.monotonicNow() - this.#startedAt;
    const host = hostOf(this.#context.transport);
    channels.restRequest.publish({
      method,
      host,
      path,
      verb,
      status,
      durationMs,
      ...(error === undefined ? {} : { error }),
    });
  }
}

/** Collects the body of an error response, usually a Status. */
class ErrorBody implements BodySink {
  readonly #status: number;
  readonly #headers: ResponseHeaders;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(status: number, headers: ResponseHeaders) {
    this.#status = status;
    this.#headers = headers;
  }

  chunk(bytes: Uint8Array): boolean {
    if (this.#length < MAX_ERROR_BODY_BYTES) this.#chunks.push(Buffer.from(bytes));
    this.#length += bytes.length;
    return true;
  }

  outcome(): Outcome {
    return { status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) };
  }
}

/** An error body as text: a Status in another format than JSON is printed as JSON. */
function textOf(codec: Codec, body: Uint8Array): string {
  if (codec !== jsonCodec) {
    try {
      return JSON.stringify(codec.decode(body));
    } catch {
      // Something between the server and this client answered: the HTTP status is all that is known.
    }
  }
  return Buffer.from(body).toString();
}

/** Host and port of a transport's server. */
export function hostOf(transport: Transport): string {
  return transport.server.replace(/^\w+:\/\//, '');
}
