import type { ResponseHeaders } from './transport.js';

/** Takes what a {@link Http1Parser} finds: a head, pieces of the body, the end. */
export interface AnswerTaker {
  head(status: number, headers: ResponseHeaders): void;
  /** Answers false to say that this is enough for now. */
  body(bytes: Buffer): boolean;
  end(): void;
}

/** The bytes of a server that are no HTTP/1.1, or none that can be relied on. @internal */
export class Http1Error extends Error {
  static {
    Http1Error.prototype.name = 'Http1Error';
  }

  /** `HTTPS_SERVER` if the bytes are those of TLS. */
  readonly code: string | undefined;

  constructor(why: string, code?: string) {
    super(`the answer is not HTTP/1.1 as it should be: ${why}`);
    this.code = code;
  }
}

/** More than any server says about an answer, or behind it. */
const MAX_HEAD_BYTES = 65_536;
/** Two more could make it larger than a number can hold exactly. */
const MAX_SIZE_DIGITS = 12;
/** More than any server says before its answer; what has no end must not be listened to for ever. */
const MAX_INTERIM_ANSWERS = 20;
/** Nobody uses extensions of chunks; one this long is somebody's mischief. */
const MAX_EXTENSION_BYTES = 4096;

const CR = 0x0d;
const LF = 0x0a;
/** What an alert of TLS begins with: the answer to a request that was no handshake. */
const TLS_ALERT = 0x15;
const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const nothing = Buffer.alloc(0);

const statusLine = /^HTTP\/1\.([01]) (\d{3})(?: |$)/;
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
/** Within a line, others may take these for its end. */
const lineBreakers = /[\0\r\n]/;

type State =
  /** No answer is expected. */
  | 'idle'
  | 'head'
  /** In a body of known length, or in a chunk's bytes. */
  | 'length'
  | 'chunk'
  /** In a body that ends with the connection. */
  | 'until-close'
  /** Around the bytes of a chunk. */
  | 'size'
  | 'extension'
  | 'size-lf'
  | 'chunk-cr'
  | 'chunk-lf'
  | 'trailer';

/**
 * Reads the answers of one HTTP/1.1 connection (RFC 9112), as far as a client that never asks for an upgrade needs it. It
 * stops at any byte and goes on there, copies nothing of a body, and refuses whatever could be understood in two ways.
 *
 * ```
 *   head ─┬─▶ length ───────────────────────────────▶ idle
 *         ├─▶ size ─▶ chunk ─▶ size ─▶ … ─▶ trailer ─▶ idle
 *         └─▶ until-close ─▶ finish() ───────────────▶ idle
 * ```
 */
export class Http1Parser {
  readonly #taker: AnswerTaker;
  #state: State = 'idle';
  #method = '';
  /** What has come of a head or of what follows the last chunk. */
  #text: Buffer = nothing;
  /** How much of the body, the chunk, or of the size in front of it is known to come. */
  #left = 0;
  #digits = 0;
  #extension = 0;
  #interims = 0;

  /** Whether any byte has come since the request was sent. */
  hasBegun = false;
  /** Whether the connection can be used again after the answer. */
  keepsAlive = false;
  /** How long the server keeps an unused connection, if it said so. */
  keepAliveMs: number | undefined;

  constructor(taker: AnswerTaker) {
    this.#taker = taker;
  }

  /** A request was sent: the bytes to come are its answer. */
  expect(method: string): void {
    this.#state = 'head';
    this.#method = method;
    this.#text = nothing;
    this.#interims = 0;
    this.hasBegun = false;
  }

  /** The answer is of no interest any more. */
  stop(): void {
    this.#state = 'idle';
    this.#text = nothing;
  }

  /** Words for where an answer is cut off with which the server does not go on. */
  get position(): string {
    switch (this.#state) {
      case 'idle':
      case 'head':
        return this.#text.length === 0 ? 'before the server answered' : 'in the middle of the head of the answer';
      case 'until-close':
        return 'in the middle of the answer';
      case 'length':
        return `in the middle of the answer, ${this.#left} bytes before its end`;
      case 'chunk':
        return `in the middle of the answer, ${this.#left} bytes before the end of a chunk`;
      default:
        return 'in the middle of the answer, before its last chunk was over';
    }
  }

  /**
   * Reads from `from` on, up to the end of the bytes, to where the taker has enough, or to the end of the answer; returns
   * where that is. What comes behind it is to be given again.
   *
   * @throws Http1Error
   */
  read(bytes: Buffer, from: number): number {
    let at = from;
    this.hasBegun = true;
    for (;;) {
      // An end needs no further byte.
      if (this.#state === 'length' && this.#left === 0) this.#complete();
      if (this.#state === 'idle' || at >= bytes.length) return at;
      switch (this.#state) {
        case 'length':
        case 'chunk':
        case 'until-close': {
          const end = Math.min(bytes.length, at + this.#left);
          const piece = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end);
          this.#left -= end - at;
          at = end;
          if (this.#state === 'chunk' && this.#left === 0) this.#state = 'chunk-cr';
          if (!this.#taker.body(piece)) return at;
          break;
        }
        case 'head':
        case 'trailer':
          at = this.#readText(bytes, at);
          break;
        default:
          this.#readFraming(bytes[at]!);
          at++;
      }
    }
  }

  /** The other side has closed the connection: that ends a body which said so, and nothing else. */
  finish(): void {
    if (this.#state === 'until-close') this.#complete();
  }

  #complete(): void {
    this.#state = 'idle';
    this.#taker.end();
  }

  /** What stands around chunks, byte by byte. */
  #readFraming(c: number): void {
    switch (this.#state) {
      case 'size': {
        const digit = hexDigit(c);
        if (digit >= 0) {
          if (++this.#digits > MAX_SIZE_DIGITS) throw new Http1Error('a chunk is larger than anything');
          this.#left = this.#left * 16 + digit;
          return;
        }
        if (this.#digits === 0) throw new Http1Error('a chunk does not begin with its size');
        if (c === CR) this.#state = 'size-lf';
        else if (c === 0x3b) this.#state = 'extension';
        else throw new Http1Error('the size of a chunk is no number');
        return;
      }
      case 'extension':
        if (c === CR) this.#state = 'size-lf';
        else if (c === LF || ++this.#extension > MAX_EXTENSION_BYTES) {
          throw new Http1Error('the size of a chunk is followed by what has no end');
        }
        return;
      case 'size-lf':
        if (c !== LF) throw new Http1Error('the size of a chunk does not end with its line');
        if (this.#left > 0) this.#state = 'chunk';
        else {
          this.#state = 'trailer';
          // With the end of this line, nothing and a head's lines end alike.
          this.#text = lineEnd;
        }
        return;
      case 'chunk-cr':
        if (c !== CR) throw new Http1Error('a chunk is longer than its size');
        this.#state = 'chunk-lf';
        return;
      default:
        if (c !== LF) throw new Http1Error('a chunk is longer than its size');
        this.#expectSize();
    }
  }

  #expectSize(): void {
    this.#state = 'size';
    this.#left = 0;
    this.#digits = 0;
    this.#extension = 0;
  }

  /** Collects lines until an empty one. */
  #readText(bytes: Buffer, from: number): number {
    const before = this.#text.length;
    if (before === 0 && this.#state === 'head' && bytes[from] === TLS_ALERT) {
      throw new Http1Error('it is an alert of TLS', 'HTTPS_SERVER');
    }
    const text = before === 0 ? bytes.subarray(from) : Buffer.concat([this.#text, bytes.subarray(from)]);
    const end = text.indexOf(headEnd, Math.max(before - headEnd.length, 0));
    // The last bytes may be the beginning of its end.
    if ((end < 0 ? text.length - headEnd.length + 1 : end) > MAX_HEAD_BYTES) {
      const what = this.#state === 'head' ? 'its head' : 'what follows its last chunk';
      throw new Http1Error(`${what} is longer than ${MAX_HEAD_BYTES} bytes`);
    }
    if (end < 0) {
      // A copy: the bytes may be part of something large.
      this.#text = before === 0 ? Buffer.from(text) : text;
      return bytes.length;
    }
    this.#text = nothing;
    if (this.#state === 'trailer') {
      // Dropped, but not before it is clear where they end.
      if (end > 0) readHeaders(text.toString('latin1', lineEnd.length, end).split('\r\n'));
      this.#complete();
    } else this.#readHead(text.toString('latin1', 0, end));
    return from + end + headEnd.length - before;
  }

  #readHead(text: string): void {
    const [first = '', ...lines] = text.split('\r\n');
    const [, minor, statusText] = statusLine.exec(first) ?? [];
    if (statusText === undefined || lineBreakers.test(first)) {
      throw new Http1Error(`it begins with ${JSON.stringify(first.slice(0, 40))}`);
    }
    const status = Number(statusText);
    const headers = readHeaders(lines);
    // Interim answers, such as 103, say nothing about the request: its own is still to come.
    if (status >= 100 && status < 200 && status !== 101) {
      if (++this.#interims > MAX_INTERIM_ANSWERS) {
        throw new Http1Error(`more than ${MAX_INTERIM_ANSWERS} interim answers come before it`);
      }
      return;
    }
    if (status < 200) throw new Http1Error(`the server answers ${status}, which nobody asked for`);
    const connection = tokensOf(headers['connection']);
    const timeout = /(?:^|[,\s])timeout=(\d{1,9})/i.exec(headers['keep-alive'] ?? '')?.[1];
    this.keepsAlive = minor === '1' && !connection.includes('close');
    this.keepAliveMs = timeout === undefined ? undefined : Number(timeout) * 1000;
    this.#frame(status, headers);
    this.#taker.head(status, headers);
  }

  /** How the end of the body will be known (RFC 9112, 6.3). */
  #frame(status: number, headers: ResponseHeaders): void {
    const encoding = headers['transfer-encoding'];
    const length = headers['content-length'];
    this.#state = 'length';
    this.#left = 0;
    if (this.#method === 'HEAD' || status === 204 || status === 304) return;
    if (encoding !== undefined) {
      if (length !== undefined) throw new Http1Error('it has a length and comes in chunks');
      if (encoding.toLowerCase() !== 'chunked') throw new Http1Error(`it comes in the encoding ${encoding}`);
      this.#expectSize();
    } else if (length !== undefined) {
      // The same length twice is no contradiction.
      const lengths = new Set(tokensOf(length));
      const [only = ''] = lengths;
      if (lengths.size > 1 || !/^\d{1,15}$/.test(only)) throw new Http1Error(`its length is ${length}`);
      this.#left = Number(only);
    } else {
      this.#state = 'until-close';
      this.#left = Number.POSITIVE_INFINITY;
      this.keepsAlive = false;
    }
  }
}

function readHeaders(lines: readonly string[]): ResponseHeaders {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!headerName.test(name) || lineBreakers.test(line)) {
      throw new Http1Error(`one of its headers is ${JSON.stringify(line.slice(0, 40))}`);
    }
    if (name === '__proto__') continue;
    const value = withoutBlanks(line, colon + 1);
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

/** What a line says from `begin` on, blanks around it left out. A regular expression would look at many of them twice. */
function withoutBlanks(line: string, begin: number): string {
  let from = begin;
  let to = line.length;
  while (from < to && isBlank(line.charCodeAt(from))) from++;
  while (from < to && isBlank(line.charCodeAt(to - 1))) to--;
  return line.slice(from, to);
}

function isBlank(c: number): boolean {
  return c === 0x20 || c === 0x09;
}

function tokensOf(list: string | undefined): string[] {
  return list === undefined ? [] : list.split(',').map((token) => token.trim().toLowerCase());
}

function hexDigit(c: number): number {
  if (c >= 0x30 && c <= 0x39) return c - 0x30;
  const letter = c | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
