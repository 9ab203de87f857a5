import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asError } from '../../meta/errors/errors.js';
import type { PageFiles } from '../page-files.js';
import type { ErrorAnswer } from '../protocol.js';
import type { Access } from './access.js';
import { eventText, type Viewers } from './viewers.js';

/** Answers the requests of the page. */
export interface InspectorApi {
  /** The first event of a stream. */
  history(): unknown;
  search(query: string): Promise<unknown>;
  /** Undefined if there is no such object. */
  object(informer: string, key: string): Promise<unknown>;
  controllers(): unknown;
  memory(): Promise<unknown>;
}

/** What the server is made of. */
export interface InspectorServerOptions {
  readonly api: InspectorApi;
  readonly files: PageFiles;
  readonly viewers: Viewers;
  /** Made when the port is known. */
  readonly access: (port: number) => { readonly access: Access; readonly cookie: string };
}

/** Connections at a time: a browser opens up to six for each page, and a stream holds one. */
const mostConnections = 64;
const longestQuery = 4096;

/** No script, style, image or request from elsewhere, and no frame around the page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

/** Serves the page and what it asks for. It does not keep the process alive. */
export class InspectorServer {
  readonly #options: InspectorServerOptions;
  readonly #server: Server;
  #access: ReturnType<InspectorServerOptions['access']> | undefined;

  constructor(options: InspectorServerOptions) {
    this.#options = options;
    this.#server = createServer({ maxHeaderSize: 16_384 }, (request, response) => {
      void this.#answer(request, response).catch((error: unknown) => fail(response, error));
    });
    this.#server.maxConnections = mostConnections;
    this.#server.unref();
  }

  /** Resolves with the port. */
  async listen(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const { port: chosen } = this.#server.address() as AddressInfo;
    this.#access = this.#options.access(chosen);
    return chosen;
  }

  async close(): Promise<void> {
    this.#options.viewers.close();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#access === undefined) return void response.destroy();
    const { access, cookie } = this.#access;
    const { method, url = '/', headers } = request;
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return sendJson(response, 405, { error: 'only GET and HEAD are allowed: the inspector changes nothing' });
    }
    const [path = '', search = ''] = url.split('?', 2);
    if (search.length > longestQuery) return sendJson(response, 414, { error: 'the query is too long' });
    const query = new URLSearchParams(search);
    const token = query.get('token');
    const refusal = access.refusal(token === null ? headers : { ...headers, authorization: `Bearer ${token}` });
    if (refusal !== undefined) return sendJson(response, refusal.status, { error: refusal.error });
    if (token !== null && path === '/' && access.isToken(token)) {
      // The cookie takes the token out of the address, which histories and screenshots show.
      const value = `${cookie}=${token}; HttpOnly; SameSite=Strict; Path=/`;
      response.writeHead(303, { ...securityHeaders, 'set-cookie': value, location: './' });
      return void response.end();
    }
    if (path.startsWith('/api/')) return this.#answerApi(path.slice('/api/'.length), query, response);
    const file = await this.#options.files.get(path.slice(1));
    if (file === undefined) return sendJson(response, 404, { error: `there is nothing at ${path}` });
    send(response, 200, file.type, file.body);
  }

  async #answerApi(name: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
    const { api } = this.#options;
    if (name === 'stream') return this.#stream(response);
    if (name === 'search') return sendJson(response, 200, await api.search(query.get('q') ?? ''));
    if (name === 'controllers') return sendJson(response, 200, api.controllers());
    if (name === 'memory') return sendJson(response, 200, await api.memory());
    if (name !== 'object') return sendJson(response, 404, { error: `there is nothing at /api/${name}` });
    const [informer, key] = [query.get('informer'), query.get('key')];
    if (informer === null || key === null)
      return sendJson(response, 400, { error: 'api/object needs the parameters informer and key' });
    const found = await api.object(informer, key);
    if (found !== undefined) return sendJson(response, 200, found);
    sendJson(response, 404, { error: `neither the cache nor the recording of ${informer} has ${key}` });
  }

  #stream(response: ServerResponse): void {
    const { viewers, api } = this.#options;
    if (viewers.isFull) {
      sendJson(response, 503, { error: `${viewers.count} pages are open already: close one of them` });
      return;
    }
    response.writeHead(200, { ...securityHeaders, 'content-type': 'text/event-stream; charset=utf-8' });
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    viewers.add(response);
    response.write(eventText('history', api.history()));
  }
}

function sendJson(response: ServerResponse, status: number, answer: ErrorAnswer | unknown): void {
  send(response, status, 'application/json; charset=utf-8', Buffer.from(JSON.stringify(answer)));
}

function send(response: ServerResponse, status: number, type: string, body: Buffer): void {
  response.writeHead(status, { ...securityHeaders, 'content-type': type, 'content-length': body.length });
  // Node omits the body of a response to HEAD.
  response.end(body);
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else sendJson(response, 500, { error: asError(error).message });
}
