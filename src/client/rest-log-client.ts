import { checkOptions } from '../meta/options/known-options.js';
import { requireInteger } from '../meta/options/validate.js';
import type { Request } from '../rest/request/request.js';
import { LogLines } from './log-lines.js';
import { type LogClient, type LogLineOptions, type LogOptions, logLineNames, logNames } from './resource-client.js';
import { partRequest } from './rest-subresource-client.js';
import type { ServerApi } from './server-api.js';
import type { Target } from './target.js';

/** Container runtimes split lines at 16 KB; lines that are joined again seldom exceed a megabyte. */
const DEFAULT_MAX_LINE_BYTES = 4 * 1024 * 1024;

/** A {@link LogClient} that sends requests. */
export class RestLogClient implements LogClient {
  readonly #api: ServerApi;
  readonly #target: Target;
  readonly #subresource: string;

  constructor(api: ServerApi, target: Target, subresource: string) {
    this.#api = api;
    this.#target = target;
    this.#subresource = subresource;
  }

  async text(name: string, options: LogOptions = {}): Promise<string> {
    const { signal, ...params } = checkOptions('log.text', options, logNames);
    const { body } = await this.#request(name, params).doRaw({ signal });
    return Buffer.from(body.buffer, body.byteOffset, body.length).toString();
  }

  lines(name: string, options: LogLineOptions = {}): AsyncIterableIterator<string> {
    const {
      signal,
      maxLineBytes = DEFAULT_MAX_LINE_BYTES,
      ...params
    } = checkOptions('log.lines', options, logLineNames);
    requireInteger('maxLineBytes', maxLineBytes, 1);
    return new LogLines(this.#request(name, params), { signal, maxLineBytes });
  }

  #request(name: string, params: object): Request {
    const request = partRequest(this.#api, this.#target, 'GET', 'read the log of', name, this.#subresource);
    return request.header('accept', 'text/plain, */*').params(params);
  }
}
