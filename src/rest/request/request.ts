import { Readable } from 'node:stream';
import type { Codec } from '../../codec/codec.js';
import { UnknownFieldError } from '../../codec/decode-error.js';
import { jsonCodec } from '../../codec/json/json-codec.js';
import { asError } from '../../meta/errors/errors.js';
import type { Abortable, KubernetesList } from '../../meta/objects.js';
import { abortableNames, checkOptions } from '../../meta/options/known-options.js';
import { requireInteger, requireNumber } from '../../meta/options/validate.js';
import type { GroupVersion, GroupVersionResource } from '../../meta/resource.js';
import { printGroupResource } from '../../meta/resource.js';
import type { WatchEventOrBookmark } from '../../meta/watch-event.js';
import { type AskedRequest, InvalidRequestError, RequestError } from '../http/request-errors.js';
import type { BodySink, RequestHeaders, ResponseHandler, ResponseHeaders } from '../http/transport.js';
import { type CallContext, type CallSpec, type RunningCall, startCall } from './call.js';
import { readList, readWatch, readWatchNames } from './read-objects.js';
import { pathOf, queryOf, type RequestPath, segmentError } from './request-path.js';
import type { CallMode } from './retry.js';
import type { WarningHandler } from './warnings.js';
import { acceptHeader } from './wire-formats.js';

/** The methods of HTTP that Kubernetes uses. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The content types of patches. */
export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** One of {@link patchTypes}. */
export type PatchType = keyof typeof patchTypes;

/** A query parameter; undefined and empty ones are left out. */
type ParamValue = string | number | boolean | readonly string[] | undefined;

/** A whole response, not decoded. */
interface RawAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array;
}

/** What a client passes to each of its requests. */
export interface RequestDefaults {
  readonly context: CallContext;
  readonly groupVersion: GroupVersion;
  /** The path of the server's URL, without a trailing slash. */
  readonly basePath: string;
  readonly headers: RequestHeaders;
  readonly timeoutMs: number | undefined;
  readonly maxRetries: number;
  readonly onWarning: WarningHandler;
  /** Whether lists may be compressed with gzip. */
  readonly gzip: boolean;
  /** The largest response that `do` and `doRaw` read, decompressed. */
  readonly maxAnswerBytes: number;
}

/** The body of a request and its format, if it has one. */
type EncodedBody =
  | { readonly bytes: Uint8Array; readonly codec: Codec }
  | { readonly bytes: undefined; readonly codec: undefined };

/** The Kubernetes verb of each method, for one object and for a collection. */
const verbs: Readonly<Record<HttpMethod, readonly [string, string]>> = {
  GET: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Builds and sends a request. The first invalid part is kept as an error, with which sending rejects.
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
  #body: unknown;
  /** Asks for PartialObjectMetadata, or for a list of it. */
  #metadata: 'object' | 'list' | undefined;
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

  /** The namespace; an empty one means all, which a request for a single object does not allow. */
  namespace(namespace: string): this {
    return this.#set('namespace', namespace);
  }

  /** The resource: a name in the client's group and version, or a resource of any group. */
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

  /** The subresource, such as `status` or `log`; or several segments, such as `proxy` and a path. */
  subresource(...segments: readonly string[]): this {
    if (this.#path.subresource !== undefined) return this.#fail('the subresource is already set');
    if (!this.#check('the subresource', segments)) return this;
    this.#path.subresource = segments;
    return this;
  }

  /** Adds segments at the end of the path. */
  suffix(...segments: readonly string[]): this {
    if (!this.#check('the suffix', segments)) return this;
    this.#path.suffix = [...(this.#path.suffix ?? []), ...segments];
    return this;
  }

  /** A path below the server's base path, such as `/healthz`; it replaces all other parts. */
  absPath(...segments: readonly string[]): this {
    if (this.#error === undefined) this.#path.absolute = segments.join('/');
    return this;
  }

  /** Adds one parameter to the query. */
  param(name: string, value: ParamValue): this {
    // Options objects contain null, although the types do not allow it.
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

  /**
   * The body: bytes as they are, which are JSON unless a `content-type` header says otherwise. Anything else is encoded when the
   * request is sent, in the format that the client prefers for its kind.
   */
  body(value: unknown): this {
    this.#body = value;
    return this;
  }

  /** @internal Asks for PartialObjectMetadata instead of the whole object, or for a list of it. */
  metadataOnly(of: 'object' | 'list'): this {
    this.#metadata = of;
    return this;
  }

  /** The content type of a PATCH, whose body is JSON. */
  patchType(type: 'json' | 'merge' | 'strategic' | 'apply'): this {
    return this.header('content-type', patchTypes[type]);
  }

  /** The longest that the request may take, including reading the response. Also sent to the server as `timeout`. */
  timeout(ms: number): this {
    this.#timeoutMs = requireNumber('ms', ms, 1);
    return this;
  }

  /** How often it may be retried. @default 10, or the client's `maxRetries` */
  maxRetries(count: number): this {
    this.#maxRetries = requireInteger('count', count);
    return this;
  }

  /** The largest response, decompressed, that `do` and `doRaw` read; a larger one rejects. @default 134217728, or the client's */
  maxAnswerBytes(bytes: number): this {
    this.#maxAnswerBytes = requireInteger('bytes', bytes, 1);
    return this;
  }

  /** Receives the warnings of the response, instead of the client's handler. */
  onWarning(handler: WarningHandler): this {
    this.#onWarning = handler;
    return this;
  }

  /** Path and query, percent-encoded. @throws InvalidRequestError if a part is invalid */
  get target(): string {
    const spec = this.#spec('do', false);
    return `${spec.path}${spec.query}`;
  }

  /** @internal Names the request in errors. */
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

  /** Sends the request and decodes the response. An empty body is an error: use `doRaw` for those. */
  async do<T>(options: Abortable = {}): Promise<T> {
    const { headers, body } = await this.#read(true, checkOptions('do', options, abortableNames));
    try {
      if (body.length === 0) throw new Error('the response has no body');
      const codec = this.codecOf(headers);
      return codec.decode<T>(body, { isStrict: () => this.#method === 'GET' && this.isStrict(codec) });
    } catch (error) {
      if (error instanceof UnknownFieldError) {
        this.abandonFormat();
        return this.do<T>(options);
      }
      throw new RequestError(this.asked, error);
    }
  }

  /** Sends the request and reads the whole response, up to {@link maxAnswerBytes}. Objects come as JSON. */
  async doRaw(options: Abortable = {}): Promise<RawAnswer> {
    return this.#read(false, checkOptions('doRaw', options, abortableNames));
  }

  #read(isNegotiated: boolean, options: Abortable): Promise<RawAnswer> {
    const limit = this.#maxAnswerBytes;
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      let length = 0;
      let status = 0;
      let headers: ResponseHeaders = {};
      const sink: BodySink = {
        chunk: (bytes) => {
          length += bytes.length;
          if (length <= limit) chunks.push(Buffer.from(bytes));
          else {
            chunks.length = 0;
            const why = `the response has more than ${limit} bytes: raise maxAnswerBytes, or read it with list(), watch() or stream()`;
            const error = new RequestError(this.asked, new Error(why));
            // At once: cancelling does not stop the decompression of bytes that have come.
            reject(error);
            call.cancel(error);
          }
          return true;
        },
      };
      const handler: ResponseHandler = {
        head(code, fields) {
          status = code;
          headers = fields;
          return sink;
        },
        end: () => resolve({ status, headers, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }),
        fail: reject,
      };
      const call = this.#send('do', handler, options, isNegotiated);
    });
  }

  /** Sends the request and decodes a list item by item, in slices; `do` would block the event loop for a large one. */
  list<T>(options: Abortable = {}): Promise<KubernetesList<T>> {
    return readList<T>(this, this.#defaults.context.clock, checkOptions('list', options, abortableNames).signal);
  }

  /**
   * Watches: yields decoded events. It ends when the server ends the watch; it throws an ERROR event as a StatusError, a
   * broken connection as a RequestError, and `signal.reason` on an abort. Leaving the loop, or `return()` at any time, closes
   * the watch.
   *
   * @param options `bookmarks: false` leaves out BOOKMARK events
   */
  watch<T>(
    options: Abortable & { readonly bookmarks?: boolean | undefined } = {},
  ): AsyncIterableIterator<WatchEventOrBookmark<T>> {
    this.#params.set('watch', ['true']);
    return readWatch<T>(this, this.#defaults.context.clock, checkOptions('watch', options, readWatchNames));
  }

  /**
   * Sends the request and returns the body as a stream of bytes, for logs and other responses that are no objects. The stream
   * emits `response` when the server has accepted the request.
   */
  stream(options: Abortable = {}): Readable {
    checkOptions('stream', options, abortableNames);
    let call: RunningCall | undefined;
    const stream = new Readable({
      read: () => call?.resume(),
      destroy(error, callback) {
        call?.cancel(error ?? undefined);
        callback(error);
      },
    });
    const sink: BodySink = { chunk: (bytes) => stream.push(Buffer.from(bytes)) };
    const handler: ResponseHandler = {
      head: () => {
        stream.emit('response');
        return sink;
      },
      end: () => stream.push(null),
      fail: (error) => stream.destroy(asError(error)),
    };
    call = this.send('stream', handler, options);
    return stream;
  }

  /**
   * @internal Sends the request and pushes the response to a handler. Retries and error responses are handled before the
   * handler is called; `mode` decides what is retried. Objects come as JSON.
   */
  send(mode: CallMode, handler: ResponseHandler, options: Abortable = {}): RunningCall {
    return this.#send(mode, handler, checkOptions('send', options, abortableNames), false);
  }

  /** @internal As `send`; objects come in a format that the client and the server agree on: see {@link codecOf}. */
  sendNegotiated(mode: CallMode, handler: ResponseHandler, options: Abortable): RunningCall {
    return this.#send(mode, handler, options, true);
  }

  /** @internal The codec of the response to this request. */
  codecOf(headers: ResponseHeaders): Codec {
    return this.#defaults.context.formats.of(headers['content-type']);
  }

  /** @internal Whether unknown fields in a response are an error. */
  isStrict(codec: Codec): boolean {
    return this.#defaults.context.formats.isStrict(codec);
  }

  /** @internal A response had fields that its codec does not know: the resource is requested as JSON from now on. */
  abandonFormat(): void {
    const { groupVersion, resource = '' } = this.#path;
    this.#defaults.context.formats.abandon({ ...groupVersion, resource });
  }

  #send(mode: CallMode, handler: ResponseHandler, options: Abortable, isNegotiated: boolean): RunningCall {
    let spec: CallSpec;
    try {
      spec = this.#spec(mode, isNegotiated);
    } catch (error) {
      queueMicrotask(() => handler.fail(error));
      return { resume() {}, cancel() {} };
    }
    return startCall(this.#defaults.context, spec, handler, options.signal);
  }

  /** @param isNegotiated whether the response may have any format that the client knows; JSON otherwise */
  #spec(mode: CallMode, isNegotiated: boolean): CallSpec {
    this.#preflight();
    const { basePath, headers, gzip } = this.#defaults;
    // A write is answered in JSON: it could not be repeated if its response had fields that another codec does not know.
    const isRead = isNegotiated && this.#method === 'GET';
    const codecs = isRead ? this.#codecs() : [jsonCodec];
    const loading = this.#defaults.context.formats.load(this.#gvr());
    const params = new Map<string, readonly string[]>(this.#params);
    const timeoutMs = this.#timeoutMs ?? (mode === 'do' ? this.#defaults.timeoutMs : undefined);
    if (timeoutMs !== undefined) params.set('timeout', [`${Math.ceil(timeoutMs / 1000)}s`]);
    const body = this.#encode();
    const isList = this.#verb === 'list' && mode === 'do';
    const isJson = codecs.length === 1 && (body.codec ?? jsonCodec) === jsonCodec;
    return {
      mode,
      method: this.#method,
      verb: this.#verb,
      path: pathOf(basePath, this.#path),
      query: queryOf(params),
      headers: {
        accept: acceptHeader(codecs, mode, this.#metadata),
        // Single objects are too small to gain from compression.
        ...(isList && gzip ? { 'accept-encoding': 'gzip' } : {}),
        ...headers,
        ...(body.codec === undefined ? {} : { 'content-type': body.codec.mediaType }),
        ...this.#headers,
      },
      body: body.bytes,
      timeoutMs,
      maxRetries: this.#maxRetries,
      onWarning: this.#onWarning,
      asked: this.asked,
      // A write does not wait, and is sent as JSON: its body is encoded before the caller can change it.
      whenLoaded: isRead ? loading?.then(() => this.#spec(mode, isNegotiated)) : undefined,
      inJson: isJson
        ? undefined
        : () => {
            this.#defaults.context.formats.refuse(this.#path.groupVersion.group);
            // Not the value: the caller may have changed it since.
            if (body.codec !== undefined) this.#body = jsonCodec.encode(body.codec.decode(body.bytes));
            return this.#spec(mode, isNegotiated);
          },
    };
  }

  #codecs(): readonly [Codec, ...Codec[]] {
    return this.#defaults.context.formats.accepted(this.#gvr());
  }

  /** Undefined for a path outside of the API. */
  #gvr(): GroupVersionResource | undefined {
    const { groupVersion, resource, absolute } = this.#path;
    return absolute === undefined && resource !== undefined ? { ...groupVersion, resource } : undefined;
  }

  #encode(): EncodedBody {
    const body = this.#body;
    if (body === undefined) return { bytes: undefined, codec: undefined };
    if (body instanceof Uint8Array) return { bytes: body, codec: jsonCodec };
    // A patch has a content type of its own, and is JSON.
    const [codec] = this.#headers['content-type'] === undefined ? this.#codecs() : [jsonCodec];
    const bytes = codec.encode(body);
    return bytes === undefined ? { bytes: jsonCodec.encode(body), codec: jsonCodec } : { bytes, codec };
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
    if (resource === undefined)
      throw new InvalidRequestError('the request has no resource: call resource() or absPath()');
    if (namespace !== '') return;
    if (this.#method === 'POST') throw new InvalidRequestError('the namespace of a new object must not be empty');
    if (name !== undefined) {
      throw new InvalidRequestError(`the namespace of ${resource} ${JSON.stringify(name)} must not be empty`);
    }
  }

  #set(part: 'namespace' | 'resource' | 'name', value: string): this {
    if (this.#error !== undefined) return this;
    const before = this.#path[part];
    if (before !== undefined)
      return this.#fail(`the ${part} is already ${JSON.stringify(before)} and cannot be ${JSON.stringify(value)}`);
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
