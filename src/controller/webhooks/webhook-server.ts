import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KeyPair } from '../../certificates/certificate-authority.js';
import { asError } from '../../meta/errors/errors.js';
import type { WebhookEndpoints } from './endpoints.js';

/** How a webhook server listens. */
export interface WebhookServerAddress {
  readonly port: number;
  /** @default all interfaces */
  readonly host?: string | undefined;
}

/** A server of webhooks that listens: over HTTPS, or in the memory of a world. */
export interface WebhookListener {
  /** Uses a certificate for new connections. */
  use(certificate: KeyPair): void;
  /** Answers what was asked, and closes each connection after that. */
  drain(): void;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** An AdmissionReview has two objects of up to 3 MiB each, which are at most as large again as JSON text. */
const MOST_ADMISSION_BYTES = 16 * 1024 * 1024;
/** A ConversionReview can have many objects. */
const MOST_CONVERSION_BYTES = 64 * 1024 * 1024;
/** Of all requests that are being read, so that many of them cannot fill the memory. */
const MOST_BUFFERED_BYTES = 128 * 1024 * 1024;
/** Longer than kube-apiserver keeps idle connections (90 s): a request never meets a connection that is being closed. */
const IDLE_MS = 120_000;
/** kube-apiserver waits 30 s at most. */
const REQUEST_MS = 35_000;
const HEADERS_MS = 10_000;

/** Serves webhooks over HTTPS. */
export class WebhookServer implements WebhookListener {
  readonly #server: Server;
  readonly #endpoints: WebhookEndpoints;
  #buffered = 0;
  #isDraining = false;

  /** Rejects if the port is in use. Handshakes fail until it has a certificate. */
  static async listen(endpoints: WebhookEndpoints, { port, host }: WebhookServerAddress): Promise<WebhookServer> {
    const server = new WebhookServer(endpoints);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen({ port, host }, resolve);
    });
    return server;
  }

  private constructor(endpoints: WebhookEndpoints) {
    this.#endpoints = endpoints;
    this.#server = createServer(
      {
        minVersion: 'TLSv1.2',
        keepAliveTimeout: IDLE_MS,
        headersTimeout: HEADERS_MS,
        requestTimeout: REQUEST_MS,
      },
      (request, response) => void this.#handle(request, response),
    );
    // A connection that breaks, or is no TLS, concerns its client only.
    this.#server.on('tlsClientError', () => {});
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  use({ certificate, key }: KeyPair): void {
    this.#server.setSecureContext({ cert: certificate, key, minVersion: 'TLSv1.2' });
  }

  drain(): void {
    this.#isDraining = true;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    const url = urlOf(request);
    const refused = this.#refusal(request, url.pathname);
    const mostBytes = url.pathname.startsWith('/convert/') ? MOST_CONVERSION_BYTES : MOST_ADMISSION_BYTES;
    const body = refused ?? (await this.#read(request, mostBytes));
    if (typeof body === 'object') {
      // The rest of the body is not read: the connection cannot be used again.
      send(response, body.code, statusOf(body), true);
      return;
    }
    let review: unknown;
    try {
      review = JSON.parse(body);
    } catch (error) {
      send(response, 400, statusOf({ code: 400, message: `the body is no JSON: ${asError(error).message}` }), false);
      return;
    }
    const answer = await this.#endpoints.answer(url.pathname, review, timeoutOf(url));
    send(response, answer.code, answer.body, this.#isDraining);
  }

  #refusal({ method, headers }: IncomingMessage, path: string): Refusal | undefined {
    if (!this.#endpoints.has(path)) return { code: 404, message: 'there is no webhook at this path' };
    if (method !== 'POST') return { code: 405, message: 'webhooks are called with POST' };
    const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
    if (type.trim().toLowerCase() !== 'application/json')
      return { code: 415, message: 'the content type must be application/json' };
    return undefined;
  }

  /** The body of a request as text, or why it is not read. */
  #read(request: IncomingMessage, mostBytes: number): Promise<string | Refusal> {
    const chunks: Buffer[] = [];
    let size = 0;
    return new Promise<string | Refusal>((resolve) => {
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        this.#buffered += chunk.length;
        if (size > mostBytes) resolve({ code: 413, message: `a review of more than ${mostBytes} bytes is not read` });
        else if (this.#buffered > MOST_BUFFERED_BYTES)
          resolve({ code: 503, message: 'too many requests are being read' });
        else chunks.push(chunk);
        if (size > mostBytes || this.#buffered > MOST_BUFFERED_BYTES) request.pause();
      });
      request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      request.on('error', () => {});
      request.on('close', () => resolve({ code: 400, message: 'the request ended early' }));
    }).finally(() => {
      this.#buffered -= size;
    });
  }
}

interface Refusal {
  readonly code: number;
  readonly message: string;
}

function statusOf({ code, message }: Refusal): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code };
}

function send(response: ServerResponse, code: number, body: object, isLast: boolean): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(code, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...(isLast && { connection: 'close' }),
  });
  response.end(bytes);
}

function urlOf({ url = '/' }: IncomingMessage): URL {
  const base = 'https://webhooks.invalid';
  return new URL(URL.canParse(url, base) ? url : '/', base);
}

/** The time that the API server waits, from the parameter `timeout`: `5s`. */
function timeoutOf(url: URL): number | undefined {
  const [, digits, unit] = /^(\d{1,6}(?:\.\d{1,9})?)(ms|s)$/.exec(url.searchParams.get('timeout') ?? '') ?? [];
  if (digits === undefined) return undefined;
  return Math.max(1, Number(digits) * (unit === 's' ? 1000 : 1));
}
