import { randomBytes } from 'node:crypto';
import type { Doc } from './doc.js';
import type { Answer, RequestOptions, Wire } from './http.js';
import type { Target, TargetUser } from './target.js';
import type { WatchStream } from './watch-stream.js';

/** A time limit; the real server needs a few tenths of a second for background work. */
const DEADLINE_MS = 15_000;

/** The content types of the four kinds of patch. */
export const PATCH = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** A user without rights. */
export interface Stranger {
  readonly name: string;
  /** Options that send a request as this user. */
  readonly as: (options?: RequestOptions) => RequestOptions;
}

/**
 * Sends the requests of a case.
 *
 * `request` accepts any answer. The verbs (`create`, `get`, …) expect success, and show the answer if it is another.
 */
export class Api {
  readonly target: Target;
  readonly #wire: Wire;
  readonly #streams: WatchStream[] = [];
  readonly #leftovers: string[] = [];

  constructor(target: Target, wire: Wire) {
    this.target = target;
    this.#wire = wire;
  }

  /** Sends one request and accepts any answer. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer> {
    return this.#wire.request(method, path, options);
  }

  /** POSTs and expects 201. */
  create(path: string, body: unknown, query?: RequestOptions['query']): Promise<Doc> {
    return this.#expect(201, 'POST', path, { body, query });
  }

  /** GETs an object or a list and expects 200. */
  get(path: string, query?: RequestOptions['query']): Promise<Doc> {
    return this.#expect(200, 'GET', path, { query });
  }

  /** PUTs and expects 200. */
  update(path: string, body: unknown, query?: RequestOptions['query']): Promise<Doc> {
    return this.#expect(200, 'PUT', path, { body, query });
  }

  /** PATCHes with one of the four kinds and expects 200. */
  patch(path: string, kind: keyof typeof PATCH, body: unknown, query?: RequestOptions['query']): Promise<Doc> {
    return this.#expect(200, 'PATCH', path, { body, query, headers: { 'content-type': PATCH[kind] } });
  }

  /** DELETEs, with options in the body if given, and expects 200, or 202 if the deletion has only begun. */
  delete(path: string, body?: unknown, query?: RequestOptions['query']): Promise<Doc> {
    return this.#expect([200, 202], 'DELETE', path, { body, query });
  }

  /** PATCHes with one of the four kinds, and accepts any answer. */
  tryPatch(path: string, kind: keyof typeof PATCH, body: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.request('PATCH', path, {
      ...options,
      body,
      headers: { 'content-type': PATCH[kind], ...options.headers },
    });
  }

  /**
   * Opens a watch on a collection's path (`watch=true` is added) and expects 200. It is closed when the case ends.
   */
  async watch(path: string, query: RequestOptions['query'] = {}, options: RequestOptions = {}): Promise<WatchStream> {
    const stream = await this.stream(path, { ...options, query: { watch: true, ...query } });
    if (stream.status !== 200) throw new Error(`watch of ${path} answered ${stream.status}: ${await stream.text()}`);
    return stream;
  }

  /** Opens an answer of any status as a stream. It is closed when the case ends. */
  async stream(path: string, options?: RequestOptions): Promise<WatchStream> {
    const stream = await this.#wire.stream(path, options);
    this.#streams.push(stream);
    return stream;
  }

  /** Repeats a request until its status matches. */
  async whenAnswer(path: string, fits: (status: number) => boolean, options?: RequestOptions): Promise<void> {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    for (;;) {
      const { status } = await this.request('GET', path, options);
      if (fits(status)) return;
      if (deadline.aborted) throw new Error(`${path} still answers ${status} after ${DEADLINE_MS / 1000} s`);
    }
  }

  /** Creates a namespace for the case and returns its name. */
  async namespace(): Promise<string> {
    const name = this.unique('conformance');
    await this.create('/api/v1/namespaces', { metadata: { name } });
    this.remove(`/api/v1/namespaces/${name}`);
    return name;
  }

  /** A new name: a DNS label if the prefix is one. */
  unique(prefix: string): string {
    return `${prefix}-${randomBytes(5).toString('hex')}`;
  }

  /** Deletes an object outside of {@link namespace} when the case ends. */
  remove(path: string): void {
    this.#leftovers.push(path);
  }

  /** The user without rights; only for cases that need `powerless`. */
  get powerless(): TargetUser {
    const user = this.target.users?.powerless;
    if (user === undefined)
      throw new Error(`${this.target.name} has no powerless user: the case must need "powerless"`);
    return user;
  }

  /**
   * A user without any right of its own, and the options that send a request as this user: the powerless user of the
   * target by token, or a user that the administrator impersonates.
   */
  get stranger(): Stranger {
    const user = this.target.users?.powerless;
    if (user !== undefined) return { name: user.name, as: (options = {}) => ({ ...options, token: user.token }) };
    const name = 'conformance-stranger';
    const as: Stranger['as'] = (options = {}) => ({
      ...options,
      headers: { ...options.headers, 'impersonate-user': name },
    });
    return { name, as };
  }

  /** Closes the streams of the case and deletes its objects. */
  async finish(): Promise<void> {
    for (const stream of this.#streams) stream.close();
    await Promise.all(this.#leftovers.map((path) => this.request('DELETE', path)));
  }

  async #expect(code: number | readonly number[], method: string, path: string, options: RequestOptions): Promise<Doc> {
    const answer = await this.request(method, path, options);
    if (![code].flat().includes(answer.status)) {
      throw new Error(`${answer.asked} answered ${answer.status}, not ${code}: ${answer.text.slice(0, 2000)}`);
    }
    return answer.json;
  }
}
