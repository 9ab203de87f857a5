import { checkOptions, type OptionNames } from '../meta/known-options.js';
import type { Request } from '../rest/request/request.js';
import type { Connection } from './connection.js';
import { type LogClient, type LogOptions, logNames } from './resource-client.js';
import { partRequest } from './rest-subresource-client.js';
import type { Target } from './target.js';

const lineNames: OptionNames<LogOptions & { readonly follow?: boolean | undefined }> = { ...logNames, follow: true };

/** A {@link LogClient} that sends requests. */
export class RestLogClient implements LogClient {
  readonly #connection: Connection;
  readonly #target: Target;
  readonly #subresource: string;

  constructor(connection: Connection, target: Target, subresource: string) {
    this.#connection = connection;
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
    const request = partRequest(this.#connection, this.#target, 'GET', 'read the log of', name, this.#subresource);
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
  // A last line that was cut off is still worth reading; an empty one is only the end of the one before.
  if (rest !== '') yield rest;
}
