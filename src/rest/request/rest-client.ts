import type { Codec } from '../../codec/codec.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { requireInteger, requireNumber, requireObject, requireOneOf } from '../../meta/options/validate.js';
import type { GroupVersion } from '../../meta/resource.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import { channels } from '../../observe/channels.js';
import type { Clock } from '../../time/clock.js';
import { offClock } from '../../time/off-clock.js';
import { realClock } from '../../time/real-clock.js';
import { abortError } from '../../time/signals.js';
import { TokenBucket, type TokenBucketOptions } from '../../time/token-bucket.js';
import { impersonationHeaders } from '../credentials/impersonation.js';
import type { ConnectionConfig } from '../http/connection-config.js';
import { HttpTransport, type HttpTransportOptions } from '../http/http-transport.js';
import { safeCredentials } from '../http/plain-http.js';
import type { Transport } from '../http/transport.js';
import { hostOf, type RequestLimiter } from './call.js';
import { Request, type RequestDefaults } from './request.js';
import { userAgent } from './user-agent.js';
import { type WarningHandler, warnOnce } from './warnings.js';
import { type ServerRelease, WireFormats } from './wire-formats.js';

/** Options of a {@link RestClient}. */
export interface RestClientOptions {
  /** @default realClock */
  readonly clock?: Clock | undefined;
  /** Sends the requests. It stays open when the client is closed. @default HTTP over sockets, closed with the client */
  readonly transport?: Transport | undefined;
  /** Options of the connections, unless `transport` is set. @default see {@link HttpTransportOptions} */
  readonly http?: Omit<HttpTransportOptions, 'clock'> | undefined;
  /**
   * The format of built-in kinds on the wire. In `protobuf` they are smaller and cost the server a quarter of the work; a server
   * that does not know it answers in JSON. Custom resources are always JSON.
   * @default 'protobuf'
   */
  readonly wire?: 'protobuf' | 'json' | undefined;
  /** @internal Formats that are preferred to JSON, instead of those of `wire`. @default see `wire` */
  readonly codecs?: readonly Codec[] | undefined;
  /** Group and version of resources that are given by name alone. @default the core group's v1 */
  readonly groupVersion?: GroupVersion | undefined;
  /**
   * Limits the requests per second. Usually not needed, since the server's API Priority and Fairness does it;
   * `clientGoRateLimit` is client-go's limit.
   * @default no limit
   */
  readonly rateLimit?: TokenBucketOptions | RequestLimiter | undefined;
  /** How often a request may be retried. @default 10 */
  readonly maxRetries?: number | undefined;
  /** The longest that a request other than a watch or stream may take, unless it has its own timeout. @default no limit */
  readonly timeoutMs?: number | undefined;
  /**
   * The longest that a response may take to begin, or an error response to end; 0 sets no limit. Servers end requests after
   * 60 s.
   * @default 90000
   */
  readonly answerTimeoutMs?: number | undefined;
  /**
   * The largest response, decompressed, that `do` and `doRaw` read, and so every verb but list and watch; a larger one rejects
   * with a RequestError. Lists, watches and streams are read piece by piece and have no such limit.
   * @default 134217728
   */
  readonly maxAnswerBytes?: number | undefined;
  /** Receives the warnings of responses. @default each text once, as a process warning */
  readonly onWarning?: WarningHandler | undefined;
  /** Whether lists may come compressed with gzip. @default true, unless the server is on this machine */
  readonly gzip?: boolean | undefined;
}

export const restClientNames: OptionNames<RestClientOptions> = {
  clock: true,
  transport: true,
  http: true,
  wire: true,
  codecs: true,
  groupVersion: true,
  rateLimit: true,
  maxRetries: true,
  timeoutMs: true,
  maxAnswerBytes: true,
  answerTimeoutMs: true,
  onWarning: true,
  gzip: true,
};

/** client-go's default rate limit: five requests per second after a burst of ten. */
export const clientGoRateLimit: TokenBucketOptions = { qps: 5, burst: 10 };

const CORE_V1: GroupVersion = { group: '', version: 'v1' };

/**
 * Sends requests to one server, with one set of credentials.
 *
 * @example
 * const rest = new RestClient({ server: 'https://127.0.0.1:6443', tls, credentials });
 * const pods = await rest.get().namespace('default').resource('pods').params({ limit: 10 }).list<Pod>({ signal });
 * await rest.close();
 */
export class RestClient implements AsyncDisposable {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly #connection: ConnectionConfig;
  readonly #options: RestClientOptions;
  readonly #closing = new AbortController();
  readonly #closers: AbortSignal[] = [this.#closing.signal];
  readonly #formats: WireFormats;
  readonly #defaults: RequestDefaults;
  readonly #forgetTransport: Undo;
  /** Once: after the failures of its last requests. */
  readonly #forgetHost: Undo;

  constructor(connection: ConnectionConfig, options: RestClientOptions = {}) {
    const { clock = realClock, rateLimit } = checkOptions('new RestClient', options, restClientNames);
    if (rateLimit !== undefined) requireObject('rateLimit', rateLimit, '{ qps, burst } or a limiter');
    this.clock = clock;
    this.transport = options.transport ?? new HttpTransport(connection, { ...options.http, clock });
    this.#connection = connection;
    this.#options = options;
    this.#forgetHost = options.transport === undefined ? noteClient(hostOf(this.transport)) : undoOnce(() => {});
    const wire = requireOneOf('wire', options.wire ?? 'protobuf', ['protobuf', 'json']);
    // It is asked in the background, and again with the next response: a retry would outlive the requests that it is for.
    this.#formats = new WireFormats(options.codecs ?? (wire === 'protobuf' ? loadProtobuf : []), () =>
      this.get().absPath('/version').maxRetries(0).do<ServerRelease>(),
    );
    this.#forgetTransport = this.transport.onConnect(() => this.#formats.noteReconnected());
    this.#defaults = {
      context: {
        closing: this.#closers,
        transport: this.transport,
        clock,
        formats: this.#formats,
        limiter: rateLimit === undefined || 'tryTake' in rateLimit ? rateLimit : new TokenBucket(clock, rateLimit),
        credentials: safeCredentials(connection, this.transport.server),
        identity: connection.identity,
        answerTimeoutMs: requireNumber('answerTimeoutMs', options.answerTimeoutMs ?? 90_000),
      },
      groupVersion: options.groupVersion ?? CORE_V1,
      basePath: basePathOf(connection.server),
      headers: {
        'user-agent': connection.userAgent ?? userAgent(),
        ...(connection.impersonate === undefined ? {} : impersonationHeaders(connection.impersonate)),
      },
      timeoutMs: options.timeoutMs === undefined ? undefined : requireNumber('timeoutMs', options.timeoutMs, 1),
      maxRetries: requireInteger('maxRetries', options.maxRetries ?? 10),
      onWarning: options.onWarning ?? warnOnce,
      gzip: options.gzip ?? !this.transport.isLocal,
      maxAnswerBytes: requireInteger('maxAnswerBytes', options.maxAnswerBytes ?? 128 * 1024 * 1024, 1),
    };
  }

  /** Scheme, host and port of the server. */
  get server(): string {
    return this.transport.server;
  }

  /** @internal Host and port, and the path of the server's URL if it has one: names the cluster in metrics and health. */
  get host(): string {
    return `${hostOf(this.transport)}${this.#defaults.basePath}`;
  }

  /** @internal The server, its TLS and the credentials that it was made with. */
  get connection(): ConnectionConfig {
    return this.#connection;
  }

  /** @internal The option `timeoutMs`. */
  get timeoutMs(): number | undefined {
    return this.#defaults.timeoutMs;
  }

  get(): Request {
    return this.request('GET');
  }

  post(): Request {
    return this.request('POST');
  }

  put(): Request {
    return this.request('PUT');
  }

  patch(): Request {
    return this.request('PATCH');
  }

  delete(): Request {
    return this.request('DELETE');
  }

  request(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'): Request {
    return new Request(this.#defaults, method);
  }

  /**
   * Makes a client whose transport is `wrap` of this one's. They share credentials, connections and rate limit. Closing it
   * leaves the connections open; closing this client fails its requests too.
   */
  through(wrap: (transport: Transport) => Transport): RestClient {
    const rateLimit = this.#defaults.context.limiter;
    const front = new RestClient(this.#connection, { ...this.#options, rateLimit, transport: wrap(this.transport) });
    front.#closers.push(...this.#closers);
    return front;
  }

  /** Fails all requests under way and closes the connections, unless `transport` was set. Idempotent. */
  async close(): Promise<void> {
    this.#forgetTransport();
    this.#closing.abort(abortError(`the client of ${this.server} was closed`));
    if (this.#options.transport !== undefined) return;
    await this.transport.close();
    this.#forgetHost();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Clients with connections of their own that are open, by host. */
const openClients = new Map<string, number>();

/** Counts a client; the undo publishes that the last one of its host is closed. */
function noteClient(host: string): Undo {
  openClients.set(host, (openClients.get(host) ?? 0) + 1);
  return undoOnce(() => {
    const left = (openClients.get(host) ?? 1) - 1;
    if (left > 0) openClients.set(host, left);
    else {
      openClients.delete(host);
      if (channels.restClose.hasSubscribers) channels.restClose.publish({ host });
    }
  });
}

/** Not imported with this module: with its schemas it would take a tenth of the time that importing the package takes. */
async function loadProtobuf(): Promise<readonly Codec[]> {
  const { protobufCodec } = await offClock(import('../../codec/protobuf/protobuf-codec.js'));
  return [protobufCodec];
}

/** The path of the server's URL; empty for a transport in memory, whose address is no URL. */
function basePathOf(server: string): string {
  return URL.canParse(server) ? new URL(server).pathname.replace(/\/+$/, '') : '';
}
