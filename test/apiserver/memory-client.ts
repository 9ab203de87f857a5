import type { ApiServer } from '../../src/apiserver/index.js';

/** A parsed JSON document of any kind. */
// biome-ignore lint/suspicious/noExplicitAny: the tests look into documents of all kinds
export type Doc = any;

/** A complete answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Doc;
}

/** A watch: the events so far, and how it ended. */
export interface MemoryWatch {
  readonly events: { readonly type: string; readonly object: Doc }[];
  /** The received chunks, to see which are shared. */
  readonly chunks: Uint8Array[];
  status: number;
  end: 'open' | 'ended' | 'reset';
  pause(): void;
  resume(): void;
  abort(): void;
}

const MERGE_PATCH = 'application/merge-patch+json';

/** A client of an embedded server in memory, for tests. */
export class MemoryClient {
  readonly #server: ApiServer;

  constructor(server: ApiServer) {
    this.#server = server;
  }

  request(method: string, target: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    return new Promise((resolve, reject) => {
      let status = 0;
      let received: Readonly<Record<string, string>> = {};
      const chunks: Uint8Array[] = [];
      this.#server.connection.send(
        { method, target, headers: { 'content-type': 'application/json', ...headers }, body: bytes },
        {
          head: (code, answered) => {
            status = code;
            received = answered;
          },
          chunk: (chunk) => void chunks.push(chunk),
          end: () => resolve({ status, headers: received, json: parse(Buffer.concat(chunks).toString()) }),
          error: reject,
        },
      );
    });
  }

  get(target: string): Promise<Answer> {
    return this.request('GET', target);
  }

  post(target: string, body: unknown): Promise<Answer> {
    return this.request('POST', target, body);
  }

  put(target: string, body: unknown): Promise<Answer> {
    return this.request('PUT', target, body);
  }

  patch(target: string, body: unknown): Promise<Answer> {
    return this.request('PATCH', target, body, { 'content-type': MERGE_PATCH });
  }

  delete(target: string, body?: unknown): Promise<Answer> {
    return this.request('DELETE', target, body);
  }

  watch(target: string): MemoryWatch {
    let rest = '';
    const exchange = this.#server.connection.send(
      { method: 'GET', target },
      {
        head: (status) => {
          watch.status = status;
        },
        chunk: (chunk) => {
          watch.chunks.push(chunk);
          const lines = (rest + Buffer.from(chunk).toString()).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) watch.events.push(JSON.parse(line));
        },
        end: () => {
          watch.end = 'ended';
        },
        error: () => {
          watch.end = 'reset';
        },
      },
    );
    const watch: MemoryWatch = {
      events: [],
      chunks: [],
      status: 0,
      end: 'open',
      pause: () => exchange.pause(),
      resume: () => exchange.resume(),
      abort: () => exchange.abort(),
    };
    return watch;
  }
}

function parse(text: string): Doc {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
