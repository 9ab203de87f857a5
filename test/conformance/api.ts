import { randomBytes } from 'node:crypto';
import type { Doc } from './doc.js';
import type { Answer, RequestOptions, Wire } from './http.js';
import type { Target, TargetUser } from './target.js';
import type { WatchStream } from './watch-stream.js';

/** Generous: the real server needs a few tenths of a second for what it does behind the scenes. */
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
  /** The same request, made by them. */
  readonly as: (options?: RequestOptions) => RequestOptions;
}

/**
 * What a case is given to speak to the server with.
 *
 * `request` and `watch` judge nothing. The verbs (`create`, `get`, …) expect success and say what came instead.
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

  /** One request, whatever comes of it. */
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

  /** DELETEs, with options in the body if given, and expects 200 (or 202 where it is only begun). */
  delete(path: string, body?: unknown, query?: RequestOptions['query']): Promise<Doc> {
    return this.#expect([200, 202], 'DELETE', path, { body, query });
  }

  /** PATCHes with one of the four kinds, whatever comes of it. */
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

  /** Opens any answer as a stream, whatever its status. It is closed when the case ends. */
  async stream(path: string, options?: RequestOptions): Promise<WatchStream> {
    const stream = await this.#wire.stream(path, options);
    this.#streams.push(stream);
    return stream;
  }

  /** Asks again and again until the status fits, where no event tells of it. */
  async whenAnswer(path: string, fits: (status: number) => boolean, options?: RequestOptions): Promise<void> {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    for (;;) {
      const { status } = await this.request('GET', path, options);
      if (fits(status)) return;
      if (deadline.aborted) throw new Error(`${path} still answers ${status} after ${DEADLINE_MS / 1000} s`);
    }
  }

  /** Makes a namespace of the case's own and gives its name. */
  async namespace(): Promise<string> {
    const name = this.unique('conformance');
    await this.create('/api/v1/namespaces', { metadata: { name } });
    this.remove(`/api/v1/namespaces/${name}`);
    return name;
  }

  /** A name nobody has used yet: of a DNS label's form if the prefix is. */
  unique(prefix: string): string {
    return `${prefix}-${randomBytes(5).toString('hex')}`;
  }

  /** Has an object outside of {@link namespace} deleted when the case ends. */
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
   * Somebody who may do nothing but what everybody may, and the options that make a request theirs: the powerless user of the
   * target by token, or a made-up user whom the administrator acts for.
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

  /** Ends what the case left open and deletes what it made. */
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
