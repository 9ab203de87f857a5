import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Doc } from './doc.js';
import type { Target } from './target.js';
import { WatchStream } from './watch-stream.js';

/** The time limit of an answer; a case that reaches it has found a server that hangs. */
const DEADLINE_MS = 30_000;

export interface RequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is; takes the place of `body`. */
  readonly rawBody?: string | Buffer | undefined;
  /** Added to the headers of the suite, and overrides them; `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Bearer token; `null` sends no Authorization header. @default the target's */
  readonly token?: string | null | undefined;
  /** Added to the path, encoded. */
  readonly query?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** A whole answer. */
export interface Answer {
  /** Method and path, for messages. */
  readonly asked: string;
  readonly status: number;
  /** Names in lower case, as Node gives them. */
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON; throws if it is none. */
  readonly json: Doc;
}

/** Sends HTTP requests to one target. The suite uses no client of this project, so that a failure is not a bug of that client. */
export class Wire {
  readonly #target: Target;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(target: Target) {
    this.#target = target;
    const options = { keepAlive: true };
    this.#agent = target.url.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options);
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const { response } = await this.#send(method, path, options, this.#agent);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const text = bytes.toString('utf8');
    const asked = `${method} ${path}`;
    return {
      asked,
      status: response.statusCode ?? 0,
      headers: response.headers,
      bytes,
      text,
      get json() {
        try {
          return JSON.parse(text) as Doc;
        } catch {
          throw new Error(
            `${asked} answered ${response.statusCode} with something that is not JSON: ${text.slice(0, 500)}`,
          );
        }
      },
    };
  }

  /** Opens an answer as a stream. It has its own connection, which ends with it. */
  async stream(path: string, options: RequestOptions = {}): Promise<WatchStream> {
    const { request, response } = await this.#send('GET', path, options, false);
    return new WatchStream(`GET ${path}`, request, response);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(
    method: string,
    path: string,
    options: RequestOptions,
    agent: HttpAgent | HttpsAgent | false,
  ): Promise<{ request: ClientRequest; response: IncomingMessage }> {
    const url = new URL(path, this.#target.url);
    for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.set(name, String(value));
    const payload = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const token = options.token === undefined ? this.#target.token : options.token;
    const headers = new Map<string, string | undefined>([['accept', 'application/json']]);
    if (payload !== undefined) {
      headers.set('content-type', 'application/json');
      headers.set('content-length', String(Buffer.byteLength(payload)));
    }
    if (token !== null && token !== '') headers.set('authorization', `Bearer ${token}`);
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name.toLowerCase(), value);
    const sent = Object.fromEntries([...headers].filter((entry): entry is [string, string] => entry[1] !== undefined));
    const { ca } = this.#target;
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const request = send(url, {
        method,
        headers: sent,
        agent,
        ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
      });
      request.setTimeout(DEADLINE_MS, () => {
        request.destroy(new Error(`${method} ${path}: no byte arrived for ${DEADLINE_MS / 1000} s`));
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // A server may close an idle connection at any time, and does so when it restarts: that is no failure.
        const stale = request.reusedSocket && error.code === 'ECONNRESET';
        if (stale) resolve(this.#send(method, path, options, agent));
        else reject(error);
      });
      request.on('response', (response) => resolve({ request, response }));
      request.end(payload);
    });
  }
}
