import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Doc } from './doc.js';

/** A watch that sends nothing for this time when an event was due has lost it. */
const DEADLINE_MS = 20_000;

/** One line of a watch. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Doc;
}

/** An open watch: its bytes, lines and events. */
export class WatchStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** All chunks received so far. */
  readonly chunks: Buffer[] = [];
  readonly #asked: string;
  readonly #request: ClientRequest;
  readonly #lines: string[] = [];
  #tail = '';
  #ended = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(asked: string, request: ClientRequest, response: IncomingMessage) {
    this.#asked = asked;
    this.#request = request;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    request.setTimeout(0);
    const decoder = new TextDecoder();
    response.on('data', (chunk: Buffer) => {
      this.chunks.push(chunk);
      const lines = (this.#tail + decoder.decode(chunk, { stream: true })).split('\n');
      this.#tail = lines.pop() ?? '';
      this.#lines.push(...lines);
      this.#wake?.();
    });
    const end = (failure?: Error): void => {
      this.#ended = true;
      this.#failure ??= failure;
      this.#wake?.();
    };
    response.on('end', () => end());
    response.on('close', () => end());
    response.on('error', end);
    request.on('error', end);
  }

  /** Whether the server, or {@link close}, has ended the stream and every line has been read. */
  get done(): boolean {
    return this.#ended && this.#lines.length === 0;
  }

  /** The bytes after the last line break: not an event yet. */
  get unfinishedLine(): string {
    return this.#tail;
  }

  /** The next event, or undefined at the end of the stream. Rejects after a timeout. */
  async next(): Promise<WatchEvent | undefined> {
    const line = await this.nextLine();
    return line === undefined ? undefined : (JSON.parse(line) as WatchEvent);
  }

  /** The next event; rejects if the stream ends instead. */
  async expectNext(): Promise<WatchEvent> {
    const event = await this.next();
    if (event === undefined) throw this.#error('the stream ended where an event was expected');
    return event;
  }

  /** Reads up to the first event that matches, and returns all events read, that one last. */
  async until(fits: (event: WatchEvent) => boolean): Promise<WatchEvent[]> {
    const seen: WatchEvent[] = [];
    for (;;) {
      const event = await this.next();
      if (event === undefined)
        throw this.#error(`the stream ended after ${seen.length} events without the expected one`);
      seen.push(event);
      if (fits(event)) return seen;
    }
  }

  /** All events up to the end of the stream. */
  async rest(): Promise<WatchEvent[]> {
    const seen: WatchEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) seen.push(event);
    return seen;
  }

  /** The next line as text, or undefined at the end of the stream. */
  async nextLine(): Promise<string | undefined> {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    deadline.addEventListener('abort', () => this.#wake?.(), { once: true });
    while (this.#lines.length === 0 && !this.#ended) {
      if (deadline.aborted) throw this.#error(`no event within ${DEADLINE_MS / 1000} s`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const line = this.#lines.shift();
    if (line === undefined && this.#failure !== undefined) throw this.#error(this.#failure.message);
    return line;
  }

  /** The rest of the stream as text, for answers that are not a watch. */
  async text(): Promise<string> {
    while ((await this.nextLine()) !== undefined);
    return Buffer.concat(this.chunks).toString('utf8');
  }

  /** Closes the connection. Received events stay readable. */
  close(): void {
    this.#ended = true;
    this.#request.destroy();
    this.#wake?.();
  }

  #error(what: string): Error {
    const heard = Buffer.concat(this.chunks).toString('utf8').slice(-500);
    return new Error(
      `${this.#asked} (${this.status}): ${what}; received ${this.chunks.length} pieces, ending in ${JSON.stringify(heard)}`,
    );
  }
}
