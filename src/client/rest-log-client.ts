import { checkOptions, type OptionNames } from '../meta/known-options.js';
import type { Request } from '../rest/request/request.js';
import { type LogClient, type LogOptions, logNames } from './resource-client.js';
import { partRequest } from './rest-subresource-client.js';
import type { ServerApi } from './server-api.js';
import type { Target } from './target.js';

const lineNames: OptionNames<LogOptions & { readonly follow?: boolean | undefined }> = { ...logNames, follow: true };

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

  lines(
    name: string,
    options: LogOptions & { readonly follow?: boolean | undefined } = {},
  ): AsyncIterableIterator<string> {
    const { signal, ...params } = checkOptions('log.lines', options, lineNames);
    const request = this.#request(name, params);
    return readLines(request, signal);
  }

  #request(name: string, params: object): Request {
    const request = partRequest(this.#api, this.#target, 'GET', 'read the log of', name, this.#subresource);
    return request.header('accept', 'text/plain, */*').params(params);
  }
}

async function* readLines(request: Request, signal: AbortSignal | undefined): AsyncGenerator<string, void, void> {
  signal?.throwIfAborted();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const bytes of request.stream({ signal })) {
      const lines = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split('\n');
      rest = lines.pop() as string;
      yield* lines;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  rest += decoder.decode();
  // A log that ends with a line break has no further line after it.
  if (rest !== '') yield rest;
}
