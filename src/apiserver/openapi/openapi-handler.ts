import type { Clock } from '../../time/clock.js';
import { promptlyInSlices, type Steps } from '../../time/steps.js';
import type { Registry } from '../resources/registry.js';
import type { ApiRequest, ApiResponse } from '../wire/exchange.js';
import { preferredType } from '../wire/media-types.js';
import { acceptsGzip, compressed, send } from '../wire/response-writer.js';
import { type OpenApiDocument, OpenApiDocuments } from './documents.js';

const JSON_TYPE = 'application/json';
const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** The name that clients before Kubernetes 1.27 ask for. */
const V2_PROTOBUF_OLD = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const NO_CACHE = 'no-cache, private';
const V3 = '/openapi/v3';

/** Answers `/openapi/v2`, `/openapi/v3` and the documents below it. */
export class OpenApiHandler {
  readonly #clock: Clock;
  readonly #documents: OpenApiDocuments;
  /** The time of the Last-Modified header: documents change with the resources only. */
  readonly #started: string;

  constructor(registry: Registry, clock: Clock) {
    this.#clock = clock;
    this.#documents = new OpenApiDocuments(registry);
    this.#started = new Date(clock.now()).toUTCString();
  }

  /** Returns false if there is nothing at the path. */
  async handle(path: string, query: URLSearchParams, request: ApiRequest, response: ApiResponse): Promise<boolean> {
    if (path === '/openapi/v2') await this.#answerV2(request, response);
    else if (path === V3) await this.#answerIndex(response);
    else if (path.startsWith(`${V3}/`)) await this.#answerV3(path.slice(V3.length + 1), query, request, response);
    else return false;
    return true;
  }

  async #answerV2(request: ApiRequest, response: ApiResponse): Promise<void> {
    const vary = 'Accept-Encoding, Accept';
    const type = preferredType(request.headers['accept'], [JSON_TYPE, V2_PROTOBUF_OLD, V2_PROTOBUF]);
    if (type === undefined) return sendHead(response, 406, { 'cache-control': NO_CACHE, vary });
    const isJson = type === JSON_TYPE;
    const document = await this.#run(isJson ? this.#documents.v2() : this.#documents.v2Protobuf());
    const headers = { 'cache-control': NO_CACHE, vary };
    this.#send(request, response, document, isJson ? JSON_TYPE : V2_PROTOBUF, headers, acceptsGzip(request));
  }

  async #answerIndex(response: ApiResponse): Promise<void> {
    const index = await this.#run(this.#documents.index());
    // kube-apiserver's aggregator sets no Content-Type, so that Go guesses one.
    send(response, 200, 'text/plain; charset=utf-8', index, false, { 'last-modified': this.#started });
  }

  async #answerV3(path: string, query: URLSearchParams, request: ApiRequest, response: ApiResponse): Promise<void> {
    const document = await this.#run(this.#documents.v3(path));
    if (document === undefined) return sendHead(response, 404, { 'cache-control': NO_CACHE });
    const vary = 'Accept';
    if (preferredType(request.headers['accept'], [JSON_TYPE]) === undefined) {
      return sendHead(response, 406, { 'cache-control': NO_CACHE, vary });
    }
    const hash = query.get('hash') ?? '';
    if (hash !== '' && hash !== document.etag) {
      const location = `${V3}/${path}?hash=${document.etag}`;
      const headers = {
        'content-type': JSON_TYPE,
        etag: `"${document.etag}"`,
        'cache-control': NO_CACHE,
        vary,
        location,
      };
      return sendHead(response, 301, headers);
    }
    const caching =
      hash === '' ? { 'cache-control': NO_CACHE } : { 'cache-control': 'public, immutable', ...this.#expires() };
    this.#send(request, response, document, JSON_TYPE, { ...caching, vary }, false);
  }

  /** A year from now. Go prints the zone as it calls it, not as HTTP does. */
  #expires(): { expires: string } {
    const date = new Date(this.#clock.now());
    date.setUTCFullYear(date.getUTCFullYear() + 1);
    return { expires: date.toUTCString().replace('GMT', 'UTC') };
  }

  #send(
    request: ApiRequest,
    response: ApiResponse,
    { body, etag }: OpenApiDocument,
    contentType: string,
    headers: Readonly<Record<string, string>>,
    gzip: boolean,
  ): void {
    const tagged = { ...headers, etag: `"${etag}"` };
    if (request.headers['if-none-match'] === tagged.etag) {
      sendHead(response, 304, tagged);
      return;
    }
    const bytes = gzip ? compressed(body) : body;
    response.head(200, {
      ...tagged,
      'content-type': contentType,
      'content-length': String(bytes.length),
      'last-modified': this.#started,
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    });
    response.write(bytes);
    response.end();
  }

  #run<T>(steps: Steps<T>): Promise<T> {
    return promptlyInSlices(this.#clock, 'openapi', steps);
  }
}

function sendHead(response: ApiResponse, status: number, headers: Readonly<Record<string, string>>): void {
  response.head(status, status === 304 ? headers : { ...headers, 'content-length': '0' });
  response.end();
}
