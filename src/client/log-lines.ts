import { StringDecoder } from 'node:string_decoder';
import { RequestError } from '../rest/http/request-errors.js';
import type { Request } from '../rest/request/request.js';
import { type LinkedSignal, linkSignals } from '../time/signals.js';

const NEWLINE = 0x0a;

/** How a log is read line by line. */
export interface LogLinesOptions {
  readonly signal: AbortSignal | undefined;
  readonly maxLineBytes: number;
}

/**
 * The lines of a log. The request is sent at the first `next()`. `return()` closes the connection at once, also while a
 * line is waited for: that `next()` then resolves as done.
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
      // A connection that `return()` has closed fails, which is no news for its reader.
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

/** Bytes are decoded and searched for newlines once, and the pieces of a line joined once, whatever its length. */
async function* readLines(
  request: Request,
  signal: AbortSignal,
  maxLineBytes: number,
): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder();
  /** The pieces of a line whose end has not come yet, and how many bytes they were. */
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
  // A last line that was cut off is still worth reading; an empty one is only the end of the one before.
  if (length > 0) yield pieces.join('') + decoder.end();
}
