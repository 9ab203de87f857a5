import { type FailedRequest, StatusError } from '../../meta/errors.js';
import { channels } from '../../observe/channels.js';
import type { Clock, Timer } from '../../time/clock.js';
import { type LinkedSignal, linkSignals, timeoutError } from '../../time/signals.js';
import type { Credentials } from '../http/connection-config.js';
import { GunzipHandler } from '../http/gunzip.js';
import { HttpsServerError, messageOf, RequestError } from '../http/request-errors.js';
import { setDeadline } from '../http/silence.js';
import type {
  Exchange,
  RequestHeaders,
  ResponseHandler,
  ResponseHeaders,
  Transport,
  TransportRequest,
} from '../http/transport.js';
import { type CallMode, retryAfterAnswer, retryAfterFailure, retryAfterMs } from './retry.js';
import { tellWarnings, type WarningHandler } from './warnings.js';

/** Lets requests through one by one. `TokenBucket` of the clock is one. */
export interface RequestLimiter {
  /** Takes a permission if there is one. */
  tryTake(): boolean;
  /** Resolves when there is one; rejects with `signal.reason`. */
  wait(options: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/** What all calls of a client have in common. */
export interface CallContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly limiter: RequestLimiter | undefined;
  readonly credentials: Credentials | undefined;
  /** Who asks and where that is written, for the error of a 401. */
  readonly identity?: string | undefined;
  /** One aborts when the client, or one that it goes through, is closed: nobody waits for a limit or a retry any longer then. */
  readonly closing: readonly AbortSignal[];
  /** An answer has to begin within this time, and an error to end; 0 waits for ever. */
  readonly answerTimeoutMs: number;
}

/** One call, ready to be sent. */
export interface CallSpec {
  readonly mode: CallMode;
  readonly method: string;
  /** Kubernetes' word for it; empty outside of the API. */
  readonly verb: string;
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHeaders;
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxRetries: number;
  readonly onWarning: WarningHandler;
  /** For errors. */
  readonly asked: FailedRequest;
}

/** How one attempt ended, unless it began to bring an answer. */
type Outcome =
  | { readonly status: number; readonly headers: ResponseHeaders; readonly body: string }
  | { readonly error: unknown };

/** A failed Status is small; what is longer is somebody's page. */
const MAX_ERROR_BODY_BYTES = 1024 * 1024;
const NO_HEADERS: Readonly<Record<string, string>> = {};

/**
 * Sends a request until there is an answer worth having, and hands that to `handler`: limiter, time limit, credentials,
 * attempts, warnings, errors.
 *
 * `handler` gets the head of a success, its body and its end; or `fail` with a StatusError, a RequestError or the signal's
 * reason. What is sent again is decided before the head: an answer that breaks off is not asked for twice.
 */
export function startCall(
  context: CallContext,
  spec: CallSpec,
  handler: ResponseHandler,
  signal?: AbortSignal,
): Exchange {
  const call = new Call(context, spec, handler, signal);
  void call.run();
  return call;
}

class Call implements Exchange {
  readonly #context: CallContext;
  readonly #spec: CallSpec;
  readonly #handler: ResponseHandler;
  readonly #signal: AbortSignal | undefined;
  #link: LinkedSignal | undefined;
  #timeout: LinkedSignal | undefined;
  #attempt: Attempt | undefined;
  #number = 1;
  #previous: unknown;

  constructor(context: CallContext, spec: CallSpec, handler: ResponseHandler, signal: AbortSignal | undefined) {
    this.#context = context;
    this.#spec = spec;
    this.#handler = handler;
    this.#signal = signal;
  }

  resume(): void {
    this.#attempt?.resume();
  }

  async run(): Promise<void> {
    const { clock, closing } = this.#context;
    const { mode, timeoutMs } = this.#spec;
    this.#link = linkSignals([this.#signal, ...closing]);
    let { signal } = this.#link;
    try {
      // A watch is let through at once: it is one request for hours of events.
      await (mode === 'watch' ? undefined : this.#throttle(signal));
      signal.throwIfAborted();
      if (timeoutMs !== undefined) {
        this.#timeout = linkSignals([signal], { timeoutMs, clock, what: 'the request' });
        signal = this.#timeout.signal;
      }
      const outcome = await this.#untilAnswered(signal);
      if (outcome !== undefined) throw this.#errorOf(outcome);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Undefined when an answer is coming in; else how the last attempt ended. */
  async #untilAnswered(signal: AbortSignal): Promise<Outcome | undefined> {
    let mayAuthenticateAgain = true;
    for (;;) {
      const credentials = await this.#context.credentials?.headers(signal);
      signal.throwIfAborted();
      const outcome = await this.#tryOnce(credentials ?? NO_HEADERS, signal);
      if (outcome === undefined || signal.aborted) return outcome;
      if ('status' in outcome && outcome.status === 401 && mayAuthenticateAgain && credentials !== undefined) {
        mayAuthenticateAgain = false;
        if (await this.#context.credentials?.onUnauthorized?.(credentials, signal)) continue;
      }
      const delayMs = this.#delayBeforeRetry(outcome);
      if (delayMs === undefined) return outcome;
      this.#previous = this.#errorOf(outcome);
      this.#number++;
      this.#publishRetry(outcome, delayMs);
      await this.#context.clock.sleep(delayMs, { signal });
      await this.#throttle(signal);
    }
  }

  #delayBeforeRetry(outcome: Outcome): number | undefined {
    const { maxRetries, mode, method } = this.#spec;
    if (this.#number > maxRetries) return undefined;
    return 'status' in outcome
      ? retryAfterAnswer(outcome.status, outcome.headers)
      : retryAfterFailure(mode, method, outcome.error);
  }

  async #throttle(signal: AbortSignal): Promise<void> {
    const { limiter, clock, transport } = this.#context;
    if (limiter === undefined || limiter.tryTake()) return;
    const startedAt = clock.monotonicNow();
    await limiter.wait({ signal });
    if (!channels.restThrottle.hasSubscribers) return;
    const { method, path } = this.#spec;
    const waitedMs = clock.monotonicNow() - startedAt;
    channels.restThrottle.publish({ method, host: hostOf(transport), path, waitedMs });
  }

  #tryOnce(credentials: RequestHeaders, signal: AbortSignal): Promise<Outcome | undefined> {
    const { mode, method, path, query, headers, body } = this.#spec;
    return new Promise((resolve) => {
      const attempt = new Attempt(this.#context, this.#spec, {
        opened: (): ResponseHandler => {
          resolve(undefined);
          return this.#handler;
        },
        closed: resolve,
        over: (error) => this.#over(error),
      });
      this.#attempt = attempt;
      // What the request itself says of who asks wins.
      const request = {
        method,
        target: `${path}${query}`,
        headers: { ...credentials, ...headers },
        body,
        isLongRunning: mode !== 'do',
      };
      attempt.start(request, signal);
    });
  }

  /** The answer has come to its end. */
  #over(failure: { readonly error: unknown } | undefined): void {
    if (failure === undefined) this.#release();
    else this.#fail(failure.error);
  }

  #release(): void {
    this.#timeout?.release();
    this.#link?.release();
  }

  #fail(error: unknown): void {
    const reason = this.#signal?.aborted ? this.#signal.reason : this.#wrap(error);
    this.#release();
    this.#handler.fail(reason);
  }

  #errorOf(outcome: Outcome): unknown {
    if ('error' in outcome) return this.#wrap(outcome.error);
    const { status, headers, body } = outcome;
    const { asked } = this.#spec;
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

  /** The attempt before failed in another way: whoever looks for the reason wants to know both. */
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
  /** A success begins; returns who takes it. */
  opened(): ResponseHandler;
  /** The attempt has ended without one. */
  closed(outcome: Outcome): void;
  /** The success has ended, with an error or without. */
  over(failure: { readonly error: unknown } | undefined): void;
}

/** One request to the transport: tells success from error, and unpacks what is packed. */
class Attempt implements ResponseHandler, Exchange {
  readonly #context: CallContext;
  readonly #spec: CallSpec;
  readonly #owner: AttemptOwner;
  readonly #startedAt: number;
  #exchange: Exchange | undefined;
  #gunzip: GunzipHandler | undefined;
  /** Who gets the body, as far as it comes unpacked. */
  #body: ResponseHandler | undefined;
  #link: LinkedSignal | undefined;
  #deadline: Timer | undefined;
  #hasHead = false;

  constructor(context: CallContext, spec: CallSpec, owner: AttemptOwner) {
    this.#context = context;
    this.#spec = spec;
    this.#owner = owner;
    this.#startedAt = context.clock.monotonicNow();
  }

  start(request: TransportRequest, signal: AbortSignal): void {
    const { answerTimeoutMs, clock, transport } = this.#context;
    const link = linkSignals([signal]);
    this.#link = link;
    // A log that is followed may have nothing to say for long, and its server then sends no head either.
    if (answerTimeoutMs > 0 && this.#spec.mode !== 'stream') {
      this.#deadline = setDeadline(clock, answerTimeoutMs, () => {
        // Nobody waits for the end of an error for longer than for the beginning of anything else.
        const what = this.#hasHead ? 'the server answered with an error that did not end' : 'no answer began';
        link.abort(timeoutError(`${what} within ${answerTimeoutMs} ms: the server, or the way there, is stuck`));
      });
    }
    this.#exchange = transport.send({ ...request, signal: link.signal }, this);
  }

  resume(): void {
    if (this.#gunzip !== undefined) this.#gunzip.resume();
    else this.#exchange?.resume();
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#hasHead = true;
    this.#publish(status, undefined);
    tellWarnings(headers['warning'], this.#spec.onWarning);
    const isSuccess = (status >= 200 && status <= 206) || status === 101;
    if (isSuccess) this.#deadline?.cancel();
    const taker = isSuccess ? new Success(this.#owner) : new Failure(status, headers, this.#owner);
    if (headers['content-encoding']?.toLowerCase() === 'gzip') {
      this.#gunzip = new GunzipHandler(taker, {
        resume: () => this.#exchange?.resume(),
        stop: () => this.#link?.abort(),
      });
    }
    this.#body = this.#gunzip ?? taker;
    taker.head(status, headers);
  }

  chunk(bytes: Uint8Array): boolean {
    return this.#body?.chunk(bytes) ?? true;
  }

  end(): void {
    this.#deadline?.cancel();
    this.#link?.release();
    this.#body?.end();
  }

  fail(error: unknown): void {
    this.#deadline?.cancel();
    this.#link?.release();
    if (!this.#hasHead) this.#publish(undefined, error);
    if (this.#body === undefined) this.#owner.closed({ error });
    else this.#body.fail(error);
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

/** Hands an answer through to whoever asked. */
class Success implements ResponseHandler {
  readonly #owner: AttemptOwner;
  readonly #handler: ResponseHandler;

  constructor(owner: AttemptOwner) {
    this.#owner = owner;
    this.#handler = owner.opened();
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#handler.head(status, headers);
  }

  chunk(bytes: Uint8Array): boolean {
    return this.#handler.chunk(bytes);
  }

  end(): void {
    this.#owner.over(undefined);
    this.#handler.end();
  }

  fail(error: unknown): void {
    this.#owner.over({ error });
  }
}

/** Reads what a server says about why it did not do it. */
class Failure implements ResponseHandler {
  readonly #status: number;
  readonly #headers: ResponseHeaders;
  readonly #owner: AttemptOwner;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(status: number, headers: ResponseHeaders, owner: AttemptOwner) {
    this.#status = status;
    this.#headers = headers;
    this.#owner = owner;
  }

  head(): void {}

  chunk(bytes: Uint8Array): boolean {
    if (this.#length < MAX_ERROR_BODY_BYTES) this.#chunks.push(Buffer.from(bytes));
    this.#length += bytes.length;
    return true;
  }

  end(): void {
    const body = Buffer.concat(this.#chunks).toString();
    this.#owner.closed({ status: this.#status, headers: this.#headers, body });
  }

  fail(error: unknown): void {
    this.#owner.closed({ error });
  }
}

function hostOf(transport: Transport): string {
  return transport.server.replace(/^\w+:\/\//, '');
}
