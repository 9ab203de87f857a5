import { addHeader, contentLengthOf, lineBreakers, tokensOf, withoutBlanks } from './headers.js';
import type { ResponseHeaders } from './transport.js';

/** Receives what a {@link Http1Parser} finds: a head, pieces of the body, the end. */
export interface ParsedResponseHandler {
  head(status: number, headers: ResponseHeaders): void;
  /** Returns false to pause: `read` then returns. */
  body(bytes: Buffer): boolean;
  end(): void;
}

/** Bytes of a server that are not valid HTTP/1.1, or ambiguous. @internal */
export class Http1Error extends Error {
  static {
    Http1Error.prototype.name = 'Http1Error';
  }

  /** `HTTPS_SERVER` if the bytes are TLS. */
  readonly code: string | undefined;

  constructor(why: string, code?: string) {
    super(`the response is not valid HTTP/1.1: ${why}`);
    this.code = code;
  }
}

/** Limit of a response's head, and of its trailer section. */
const MAX_HEAD_BYTES = 65_536;
/** 14 hexadecimal digits could exceed Number.MAX_SAFE_INTEGER. */
const MAX_SIZE_DIGITS = 12;
/** Limit of 1xx responses before the final one, so that an endless series of them fails. */
const MAX_INTERIM_RESPONSES = 20;
/** Limit of a chunk extension. API servers send none. */
const MAX_EXTENSION_BYTES = 4096;

const CR = 0x0d;
const LF = 0x0a;
/** The first byte of a TLS alert, which a TLS server sends when it gets plain HTTP. */
const TLS_ALERT = 0x15;
const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const nothing = Buffer.alloc(0);

const statusLine = /^HTTP\/1\.([01]) (\d{3})(?: |$)/;

type State =
  /** No response is expected. */
  | 'idle'
  | 'head'
  /** In a body of known length, or in the data of a chunk. */
  | 'length'
  | 'chunk'
  /** In a body that ends with the connection. */
  | 'until-close'
  /** Around the data of a chunk. */
  | 'size'
  | 'extension'
  | 'size-lf'
  | 'chunk-cr'
  | 'chunk-lf'
  | 'trailer';

/**
 * Parses the responses of one HTTP/1.1 connection (RFC 9112). It can stop at any byte and continue there, copies nothing of a
 * body, and refuses what parsers interpret differently. Bytes after a 101 are none of a response: it stops in front of them.
 *
 * ```
 *   head ─┬─▶ length ───────────────────────────────▶ idle
 *         ├─▶ size ─▶ chunk ─▶ size ─▶ … ─▶ trailer ─▶ idle
 *         └─▶ until-close ─▶ finish() ───────────────▶ idle
 * ```
 */
export class Http1Parser {
  readonly #handler: ParsedResponseHandler;
  #state: State = 'idle';
  #method = '';
  #mayUpgrade = false;
  /** The part of a head or a trailer section that has come. */
  #text: Buffer = nothing;
  /** Bytes of the body or chunk that are still to come; while a chunk's size is read, the size so far. */
  #left = 0;
  #digits = 0;
  #extension = 0;
  #interims = 0;

  /** Whether any byte has come since the request was sent. */
  hasBegun = false;
  /** Whether the connection can be used again after this response. */
  keepsAlive = false;
  /** The `timeout` of the response's `Keep-Alive` header. */
  keepAliveMs: number | undefined;

  constructor(handler: ParsedResponseHandler) {
    this.#handler = handler;
  }

  /**
   * Expects a response, to a request of this method.
   *
   * @param mayUpgrade whether the request asks for another protocol
   */
  expect(method: string, mayUpgrade = false): void {
    this.#state = 'head';
    this.#method = method;
    this.#mayUpgrade = mayUpgrade;
    this.#text = nothing;
    this.#interims = 0;
    this.hasBegun = false;
  }

  /** Ignores the rest of the response. */
  stop(): void {
    this.#state = 'idle';
    this.#text = nothing;
  }

  /** Describes, for an error message, where in the response the parser is. */
  get position(): string {
    switch (this.#state) {
      case 'idle':
      case 'head':
        return this.#text.length === 0 ? 'before the server answered' : 'in the middle of the response head';
      case 'until-close':
        return 'in the middle of the response';
      case 'length':
        return `in the middle of the response, ${this.#left} bytes before its end`;
      case 'chunk':
        return `in the middle of the response, ${this.#left} bytes before the end of a chunk`;
      default:
        return 'in the middle of the response, before its last chunk was complete';
    }
  }

  /**
   * Parses from `from` to the end of the bytes, to where the handler pauses, or to the end of the response, and returns that
   * position. The bytes after it have to be passed again.
   *
   * @throws Http1Error
   */
  read(bytes: Buffer, from: number): number {
    let at = from;
    this.hasBegun = true;
    for (;;) {
      // A response without a body (HEAD, 204, 304, Content-Length: 0) and a body that was read completely end here.
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
          if (!this.#handler.body(piece)) return at;
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

  /** The server has closed the connection, which ends a body that has no other end. */
  finish(): void {
    if (this.#state === 'until-close') this.#complete();
  }

  #complete(): void {
    this.#state = 'idle';
    this.#handler.end();
  }

  /** Parses what surrounds the data of chunks, byte by byte. */
  #readFraming(c: number): void {
    switch (this.#state) {
      case 'size': {
        const digit = hexDigit(c);
        if (digit >= 0) {
          if (++this.#digits > MAX_SIZE_DIGITS)
            throw new Http1Error(`the size of a chunk has more than ${MAX_SIZE_DIGITS} digits`);
          this.#left = this.#left * 16 + digit;
          return;
        }
        if (this.#digits === 0) throw new Http1Error('a chunk does not begin with its size');
        if (c === CR) this.#state = 'size-lf';
        else if (c === 0x3b) this.#state = 'extension';
        else throw new Http1Error('the size of a chunk is not hexadecimal');
        return;
      }
      case 'extension':
        if (c === CR) this.#state = 'size-lf';
        else if (c === LF || ++this.#extension > MAX_EXTENSION_BYTES) {
          throw new Http1Error(`a chunk extension has a bare LF or more than ${MAX_EXTENSION_BYTES} bytes`);
        }
        return;
      case 'size-lf':
        if (c !== LF) throw new Http1Error('the size of a chunk is not followed by CRLF');
        if (this.#left > 0) this.#state = 'chunk';
        else {
          this.#state = 'trailer';
          // With the CRLF of this line in front, an empty trailer section ends like any other: with CRLF CRLF.
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
      throw new Http1Error('it is a TLS alert', 'HTTPS_SERVER');
    }
    const text = before === 0 ? bytes.subarray(from) : Buffer.concat([this.#text, bytes.subarray(from)]);
    const end = text.indexOf(headEnd, Math.max(before - headEnd.length, 0));
    // The last three bytes may be the beginning of CRLF CRLF.
    if ((end < 0 ? text.length - headEnd.length + 1 : end) > MAX_HEAD_BYTES) {
      const what = this.#state === 'head' ? 'its head' : 'its trailer section';
      throw new Http1Error(`${what} is longer than ${MAX_HEAD_BYTES} bytes`);
    }
    if (end < 0) {
      // A copy, since the bytes are in the shared read buffer.
      this.#text = before === 0 ? Buffer.from(text) : text;
      return bytes.length;
    }
    this.#text = nothing;
    if (this.#state === 'trailer') {
      // Trailers are validated and dropped.
      if (end > 0) readHeaders(text.toString('latin1', lineEnd.length, end).split('\r\n'));
      this.#complete();
    } else this.#readHead(text.toString('latin1', 0, end));
    return from + end + headEnd.length - before;
  }

  #readHead(text: string): void {
    const [first = '', ...lines] = text.split('\r\n');
    const [, minor, statusText] = statusLine.exec(first) ?? [];
    if (statusText === undefined || lineBreakers.test(first)) {
      throw new Http1Error(`its first line is ${JSON.stringify(first.slice(0, 40))}`);
    }
    const status = Number(statusText);
    const headers = readHeaders(lines);
    // Interim responses, such as 103 Early Hints, are skipped: the final one follows.
    if (status >= 100 && status < 200 && status !== 101) {
      if (++this.#interims > MAX_INTERIM_RESPONSES) {
        throw new Http1Error(`more than ${MAX_INTERIM_RESPONSES} interim responses (1xx) come before it`);
      }
      return;
    }
    if (status === 101 && this.#mayUpgrade) {
      this.#state = 'idle';
      this.#handler.head(status, headers);
      return;
    }
    if (status < 200) throw new Http1Error(`its status is ${status}, but the request asked for no upgrade`);
    const connection = tokensOf(headers['connection']);
    const timeout = /(?:^|[,\s])timeout=(\d{1,9})/i.exec(headers['keep-alive'] ?? '')?.[1];
    this.keepsAlive = minor === '1' && !connection.includes('close');
    this.keepAliveMs = timeout === undefined ? undefined : Number(timeout) * 1000;
    this.#frame(status, headers);
    this.#handler.head(status, headers);
  }

  /** Decides how the body ends (RFC 9112, section 6.3). */
  #frame(status: number, headers: ResponseHeaders): void {
    const encoding = headers['transfer-encoding'];
    const length = headers['content-length'];
    this.#state = 'length';
    this.#left = 0;
    if (this.#method === 'HEAD' || status === 204 || status === 304) return;
    if (encoding !== undefined) {
      if (length !== undefined) throw new Http1Error('it has both Content-Length and Transfer-Encoding');
      if (encoding.toLowerCase() !== 'chunked')
        throw new Http1Error(`its Transfer-Encoding is ${encoding}, not chunked`);
      this.#expectSize();
    } else if (length !== undefined) {
      const bytes = contentLengthOf(length);
      if (bytes === undefined) throw new Http1Error(`its Content-Length is ${length}`);
      this.#left = bytes;
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
    if (!addHeader(headers, name, withoutBlanks(line, colon + 1))) {
      throw new Http1Error(`a header line is malformed: ${JSON.stringify(line.slice(0, 40))}`);
    }
  }
  return headers;
}

function hexDigit(c: number): number {
  if (c >= 0x30 && c <= 0x39) return c - 0x30;
  const letter = c | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
