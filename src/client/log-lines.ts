import { StringDecoder } from 'node:string_decoder';
import { RequestError } from '../rest/http/request-errors.js';
import type { Request } from '../rest/request/request.js';
import { type LinkedSignal, linkSignals } from '../time/signals.js';

const NEWLINE = 0x0a;

/** Options of {@link LogLines}. */
export interface LogLinesOptions {
  readonly signal: AbortSignal | undefined;
  readonly maxLineBytes: number;
}

/**
 * Iterates over the lines of a log. The first `next()` sends the request. `return()` closes the connection at once; a
 * `next()` that waits for a line then resolves as done.
 */
export class LogLines implements AsyncIterableIterator<string> {
  readonly #request: Request;
  readonly #options: LogLinesOptions;
  #link: LinkedSignal | undefined;
  #lines: AsyncGenerator<string, void, void> | undefined;
  #isClosed = false;

  constructor(request: Request, options: LogLinesOptions) {
    this.#request = request;
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string, void>> {
    if (this.#isClosed) return { done: true, value: undefined };
    const { signal, maxLineBytes } = this.#options;
    signal?.throwIfAborted();
    this.#link ??= linkSignals([signal]);
    this.#lines ??= readLines(this.#request, this.#link.signal, maxLineBytes);
    try {
      const line = await this.#lines.next();
      if (line.done !== true && !this.#isClosed) return line;
    } catch (error) {
      // After `return()` the request fails because its connection was closed: resolve as done.
      if (!this.#isClosed) {
        this.#close();
        throw signal?.aborted === true ? signal.reason : error;
      }
    }
    this.#close();
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<string, void>> {
    this.#close();
    return Promise.resolve({ done: true, value: undefined });
  }

  #close(): void {
    this.#isClosed = true;
    this.#link?.abort();
  }
}

/** Decodes bytes, searches them for newlines and joins the pieces of a line once each, so that long lines take linear time. */
async function* readLines(
  request: Request,
  signal: AbortSignal,
  maxLineBytes: number,
): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder();
  /** The pieces of a line that has not ended yet, and their number of bytes. */
  let pieces: string[] = [];
  let length = 0;
  const check = (bytes: number): void => {
    if (bytes <= maxLineBytes) return;
    const why = `a line of the log is longer than ${maxLineBytes} bytes: raise maxLineBytes, or read it with text()`;
    throw new RequestError(request.asked, new Error(why));
  };
  for await (const chunk of request.stream({ signal })) {
    const bytes = chunk as Buffer;
    const end = bytes.lastIndexOf(NEWLINE);
    if (end >= 0) {
      check(length + bytes.indexOf(NEWLINE));
      const lines = decoder.write(bytes.subarray(0, end)).split('\n');
      lines[0] = pieces.join('') + lines[0];
      pieces = [];
      length = 0;
      for (const line of lines) {
        if (bytes.length > maxLineBytes) check(Buffer.byteLength(line));
        yield line;
      }
    }
    const rest = bytes.subarray(end + 1);
    length += rest.length;
    check(length);
    pieces.push(decoder.write(rest));
  }
  // A log that ends with a newline has no further line after it.
  if (length > 0) yield pieces.join('') + decoder.end();
}
