import { Readable } from 'node:stream';
import type { Codec } from '../../codec/codec.js';
import { asError } from '../../meta/errors.js';
import { abortableNames, checkOptions } from '../../meta/known-options.js';
import type { Abortable, KubernetesList } from '../../meta/objects.js';
import type { GroupVersion, GroupVersionResource } from '../../meta/resource.js';
import { printGroupResource } from '../../meta/resource.js';
import { requireInteger, requireNumber } from '../../meta/validate.js';
import type { WatchEventOrBookmark } from '../../meta/watch-event.js';
import { linkSignals, onAbort } from '../../time/signals.js';
import { type AskedRequest, InvalidRequestError, RequestError } from '../http/request-errors.js';
import type { Exchange, RequestHeaders, ResponseHandler, ResponseHeaders } from '../http/transport.js';
import { type CallContext, type CallSpec, startCall } from './call.js';
import { readList, readWatch, readWatchNames } from './read-objects.js';
import { pathOf, queryOf, type RequestPath, segmentError } from './request-path.js';
import type { CallMode } from './retry.js';
import type { WarningHandler } from './warnings.js';

/** The methods of HTTP that Kubernetes uses. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The ways to say what is to change. */
export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** One of {@link patchTypes}. */
export type PatchType = keyof typeof patchTypes;

/** What a parameter of a query may be; undefined and empty ones are left out. */
type ParamValue = string | number | boolean | readonly string[] | undefined;

/** A whole answer, not decoded. */
interface RawAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array;
}

/** What a client gives to each of its requests. */
export interface RequestDefaults {
  readonly context: CallContext;
  readonly codec: Codec;
  readonly groupVersion: GroupVersion;
  /** The path of the server's URL, without a slash at its end. */
  readonly basePath: string;
  readonly headers: RequestHeaders;
  readonly timeoutMs: number | undefined;
  readonly maxRetries: number;
  readonly onWarning: WarningHandler;
  /** Whether answers to lists may come packed. */
  readonly gzip: boolean;
  /** The longest answer that `do` and `doRaw` read, unpacked. */
  readonly maxAnswerBytes: number;
}

/** What Kubernetes calls each method, for a single object and for a collection. */
const verbs: Readonly<Record<HttpMethod, readonly [string, string]>> = {
  GET: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * One request, put together piece by piece. The first thing that is wrong is remembered; what follows is ignored, and
 * sending rejects with it.
 *
 * @example
 * const pod = await rest.get().namespace('default').resource('pods').name('web-0').do<Pod>({ signal });
 */
export class Request {
  readonly #defaults: RequestDefaults;
  readonly #method: HttpMethod;
  readonly #path: Mutable<RequestPath>;
  readonly #params = new Map<string, string[]>();
  readonly #headers: Record<string, string | readonly string[]> = {};
  #body: Uint8Array | undefined;
  #timeoutMs: number | undefined;
  #maxRetries: number;
  #maxAnswerBytes: number;
  #onWarning: WarningHandler;
  #error: Error | undefined;

  /** @internal Made by {@link RestClient}. */
  constructor(defaults: RequestDefaults, method: HttpMethod) {
    this.#defaults = defaults;
    this.#method = method;
    this.#path = { groupVersion: defaults.groupVersion };
    this.#maxRetries = defaults.maxRetries;
    this.#maxAnswerBytes = defaults.maxAnswerBytes;
    this.#onWarning = defaults.onWarning;
  }

  /** The namespace; an empty one says that there is none, which a request for a single object cannot say. */
  namespace(namespace: string): this {
    return this.#set('namespace', namespace);
  }

  /** The resource: a name within the client's group and version, or one that says its own. */
  resource(resource: string | GroupVersionResource): this {
    if (typeof resource === 'string') return this.#set('resource', resource);
    if (this.#error === undefined) {
      this.#path.groupVersion = { group: resource.group, version: resource.version };
    }
    return this.#set('resource', resource.resource);
  }

  name(name: string): this {
    if (name === '') return this.#fail('the name of the object must not be empty');
    return this.#set('name', name);
  }

  /** `status`, `scale`, `log`; or several segments, as `proxy` and a path. */
  subresource(...segments: readonly string[]): this {
    if (this.#path.subresource !== undefined) return this.#fail('the subresource has been set already');
    if (!this.#check('the subresource', segments)) return this;
    this.#path.subresource = segments;
    return this;
  }

  /** More segments, after everything else. */
  suffix(...segments: readonly string[]): this {
    if (!this.#check('the suffix', segments)) return this;
    this.#path.suffix = [...(this.#path.suffix ?? []), ...segments];
    return this;
  }

  /** A path of its own below the server's base path, such as `/healthz`; it takes the place of all other parts. */
  absPath(...segments: readonly string[]): this {
    if (this.#error === undefined) this.#path.absolute = segments.join('/');
    return this;
  }

  /** Adds one parameter to the query. */
  param(name: string, value: ParamValue): this {
    // A null is not in the types, but in many an options object.
    if (this.#error !== undefined || value === undefined || value === null || value === '') return this;
    const values = typeof value === 'object' ? value : [String(value)];
    this.#params.set(name, [...(this.#params.get(name) ?? []), ...values]);
    return this;
  }

  /** Adds the fields of an options object to the query. */
  params(options: object): this {
    for (const [name, value] of Object.entries(options)) this.param(name, value as ParamValue);
    return this;
  }

  /** Replaces a header. */
  header(name: string, value: string | readonly string[]): this {
    this.#headers[name.toLowerCase()] = value;
    return this;
  }

  /** What is sent: bytes as they are, anything else as the client's codec writes it. */
  body(value: unknown): this {
    if (this.#error !== undefined) return this;
    try {
      this.#body = value instanceof Uint8Array ? value : this.#defaults.codec.encode(value);
    } catch (error) {
      this.#error = asError(error);
    }
    this.#headers['content-type'] ??= this.#defaults.codec.mediaType;
    return this;
  }

  /** For PATCH: how the body is meant. */
  patchType(type: 'json' | 'merge' | 'strategic' | 'apply'): this {
    return this.header('content-type', patchTypes[type]);
  }

  /** The longest the request may take, the reading of its answer included. The server is told too. */
  timeout(ms: number): this {
    this.#timeoutMs = requireNumber('ms', ms, 1);
    return this;
  }

  /** How often it is sent again when the rules allow it. @default 10, as the client says */
  maxRetries(count: number): this {
    this.#maxRetries = requireInteger('count', count);
    return this;
  }

  /** The longest answer that `do` and `doRaw` read, unpacked; a longer one rejects. @default 134217728, as the client says */
  maxAnswerBytes(bytes: number): this {
    this.#maxAnswerBytes = requireInteger('bytes', bytes, 1);
    return this;
  }

  /** Takes the warnings of this request's answer instead of the client's handler. */
  onWarning(handler: WarningHandler): this {
    this.#onWarning = handler;
    return this;
  }

  /** Path and query, as they go over the wire. @throws what was wrong with a part */
  get target(): string {
    const spec = this.#spec('do');
    return `${spec.path}${spec.query}`;
  }

  /** @internal What errors call this request. */
  get asked(): AskedRequest {
    const { namespace, name, resource, groupVersion, subresource = [], absolute } = this.#path;
    const server = this.#defaults.context.transport.server;
    if (absolute !== undefined) return { verb: this.#method, resource: absolute, server };
    const printed = resource === undefined ? '' : printGroupResource({ group: groupVersion.group, resource });
    return {
      verb: this.#verb,
      resource: [printed, ...subresource].join('/'),
      objectName: name,
      namespace: namespace || undefined,
      server,
    };
  }

  /** Sends it and decodes the answer, which is yours. An answer without a body is an error: `doRaw` takes those. */
  async do<T>(options: Abortable = {}): Promise<T> {
    const { body } = await this.doRaw(checkOptions('do', options, abortableNames));
    try {
      if (body.length === 0) throw new Error('the answer is empty');
      return this.#defaults.codec.decode<T>(body);
    } catch (error) {
      throw new RequestError(this.asked, error);
    }
  }

  /** Sends it and reads the whole answer, if it is no longer than {@link maxAnswerBytes} allows. */
  async doRaw(options: Abortable = {}): Promise<RawAnswer> {
    checkOptions('doRaw', options, abortableNames);
    const limit = this.#maxAnswerBytes;
    const link = linkSignals([options.signal]);
    const answer = new Promise<RawAnswer>((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      let length = 0;
      let status = 0;
      let headers: ResponseHeaders = {};
      const handler: ResponseHandler = {
        head(code, fields) {
          status = code;
          headers = fields;
        },
        chunk: (bytes) => {
          length += bytes.length;
          if (length > limit) {
            chunks.length = 0;
            const why = `the answer is longer than ${limit} bytes: raise maxAnswerBytes, or read it with list(), watch() or stream()`;
            const error = new RequestError(this.asked, new Error(why));
            // The rest of a packed answer may be here already, where no abort stops it.
            reject(error);
            link.abort(error);
          } else chunks.push(Buffer.from(bytes));
          return true;
        },
        end: () => resolve({ status, headers, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }),
        fail: reject,
      };
      this.send('do', handler, { signal: link.signal });
    });
    return answer.finally(() => link.release());
  }

  /** Sends it and decodes a list item by item, in slices: for lists that `do` would hold the event loop for. */
  list<T>(options: Abortable = {}): Promise<KubernetesList<T>> {
    const { codec, context } = this.#defaults;
    return readList<T>(this, codec, context.clock, checkOptions('list', options, abortableNames).signal);
  }

  /**
   * Watches: the events, decoded, one by one. Ends when the server ends it; an ERROR event is thrown as a StatusError, a
   * broken connection as a RequestError, and on abort the signal's reason. Leaving the loop, or `return()` at any time,
   * closes the watch.
   *
   * @param options `bookmarks: false` leaves out BOOKMARK events
   */
  watch<T>(
    options: Abortable & { readonly bookmarks?: boolean | undefined } = {},
  ): AsyncIterableIterator<WatchEventOrBookmark<T>> {
    const { codec, context } = this.#defaults;
    this.#params.set('watch', ['true']);
    return readWatch<T>(this, codec, context.clock, checkOptions('watch', options, readWatchNames));
  }

  /** The body as a stream of bytes, as it comes: logs, and whatever else is no object. */
  stream(options: Abortable = {}): Readable {
    checkOptions('stream', options, abortableNames);
    let exchange: Exchange | undefined;
    const abort = new AbortController();
    const stream = new Readable({
      read: () => exchange?.resume(),
      destroy(error, callback) {
        abort.abort(error ?? undefined);
        callback(error);
      },
    });
    const handler: ResponseHandler = {
      head() {},
      chunk: (bytes) => stream.push(Buffer.from(bytes)),
      end: () => stream.push(null),
      fail: (error) => stream.destroy(asError(error)),
    };
    const { signal } = options;
    stream.once(
      'close',
      onAbort(signal, () => abort.abort(signal?.reason)),
    );
    exchange = this.send('stream', handler, { signal: abort.signal });
    return stream;
  }

  /**
   * @internal Sends it and pushes the answer to a handler: what the other forms are made of. Errors and retries are dealt
   * with before the handler hears of anything; `mode` decides what is worth another attempt.
   */
  send(mode: CallMode, handler: ResponseHandler, options: Abortable = {}): Exchange {
    checkOptions('send', options, abortableNames);
    let spec: CallSpec;
    try {
      spec = this.#spec(mode);
    } catch (error) {
      queueMicrotask(() => handler.fail(error));
      return { resume() {} };
    }
    return startCall(this.#defaults.context, spec, handler, options.signal);
  }

  #spec(mode: CallMode): CallSpec {
    this.#preflight();
    const { basePath, headers, codec, gzip } = this.#defaults;
    const params = new Map<string, readonly string[]>(this.#params);
    const timeoutMs = this.#timeoutMs ?? (mode === 'do' ? this.#defaults.timeoutMs : undefined);
    if (timeoutMs !== undefined) params.set('timeout', [`${Math.ceil(timeoutMs / 1000)}s`]);
    const isList = this.#verb === 'list' && mode === 'do';
    return {
      mode,
      method: this.#method,
      verb: this.#verb,
      path: pathOf(basePath, this.#path),
      query: queryOf(params),
      headers: {
        accept: mode === 'watch' ? `${codec.watchMediaType}, ${codec.mediaType}` : `${codec.mediaType}, */*`,
        // Single objects are too small to gain by it.
        ...(isList && gzip ? { 'accept-encoding': 'gzip' } : {}),
        ...headers,
        ...this.#headers,
      },
      body: this.#body,
      timeoutMs,
      maxRetries: this.#maxRetries,
      onWarning: this.#onWarning,
      asked: this.asked,
    };
  }

  get #verb(): string {
    const { name, absolute } = this.#path;
    if (absolute !== undefined) return '';
    const [one, many] = verbs[this.#method];
    if (this.#method === 'GET' && this.#params.get('watch')?.[0] === 'true') return 'watch';
    return name === undefined ? many : one;
  }

  #preflight(): void {
    if (this.#error !== undefined) throw this.#error;
    const { namespace, name, resource, absolute } = this.#path;
    if (absolute !== undefined) return;
    if (resource === undefined) throw new InvalidRequestError('a request needs a resource, or a path of its own');
    if (namespace !== '') return;
    if (this.#method === 'POST') throw new InvalidRequestError('an object cannot be created in an empty namespace');
    if (name !== undefined) {
      throw new InvalidRequestError(`the namespace of ${resource} ${JSON.stringify(name)} must not be empty`);
    }
  }

  #set(part: 'namespace' | 'resource' | 'name', value: string): this {
    if (this.#error !== undefined) return this;
    const before = this.#path[part];
    if (before !== undefined)
      return this.#fail(`the ${part} is ${JSON.stringify(before)} already, not ${JSON.stringify(value)}`);
    if (this.#check(`the ${part}`, [value])) this.#path[part] = value;
    return this;
  }

  #check(what: string, segments: readonly string[]): boolean {
    for (const segment of segments) {
      const problem = segmentError(what, segment);
      if (problem !== undefined) this.#fail(problem);
    }
    return this.#error === undefined;
  }

  #fail(message: string): this {
    this.#error ??= new InvalidRequestError(message);
    return this;
  }
}
