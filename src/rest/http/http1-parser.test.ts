import { type IncomingMessage, request as nodeRequest } from 'node:http';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { Http1Error, Http1Parser, type ParsedResponseHandler } from './http1-parser.js';
import type { ResponseHeaders } from './transport.js';

/** Records the calls of a parser in order; adjacent pieces of a body as one. */
class Taker implements ParsedResponseHandler {
  readonly calls: string[] = [];
  /** How many pieces it accepts before each pause; none if undefined. */
  readonly #appetites: number[];
  #appetite: number;
  isFull = false;

  constructor(appetites: readonly number[] = []) {
    this.#appetites = [...appetites];
    this.#appetite = this.#appetites.shift() ?? Number.POSITIVE_INFINITY;
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#called(`head ${status} ${JSON.stringify(headers)}`);
  }

  body(bytes: Buffer): boolean {
    if (bytes.length === 0) this.#called('an empty piece');
    const text = bytes.toString('latin1');
    if (this.calls.at(-1)?.startsWith('body ') === true) this.#called(`${this.calls.pop()}${text}`);
    else this.#called(`body ${text}`);
    this.isFull = --this.#appetite <= 0;
    if (this.isFull) this.#appetite = this.#appetites.shift() ?? Number.POSITIVE_INFINITY;
    return !this.isFull;
  }

  end(): void {
    this.#called('end');
  }

  #called(call: string): void {
    this.calls.push(this.isFull ? `${call}, though it has enough` : call);
  }
}

/**
 * Reads a piece as a connection does: resumes after each pause, and overwrites the buffer afterwards. Returns the bytes after
 * the response.
 */
function readOn(parser: Http1Parser, taker: Taker, piece: Buffer): Buffer {
  const memory = Buffer.from(piece);
  let at = parser.read(memory, 0);
  while (taker.isFull) {
    taker.isFull = false;
    at = parser.read(memory, at);
  }
  memory.fill('!');
  return piece.subarray(at);
}

/** Parses pieces, and returns the calls and the bytes that are left. */
function parse(
  pieces: readonly (string | Buffer)[],
  { method = 'GET', closes = false, appetites = [] as readonly number[] } = {},
): { calls: string[]; left: string; parser: Http1Parser } {
  const taker = new Taker(appetites);
  const parser = new Http1Parser(taker);
  parser.expect(method);
  let left = '';
  for (const piece of pieces) left += readOn(parser, taker, asBytes(piece)).toString('latin1');
  if (closes) parser.finish();
  return { calls: taker.calls, left, parser };
}

function asBytes(text: string | Buffer): Buffer {
  return typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
}

/** Cuts bytes at places given as fractions of the whole, or everywhere. */
function cut(bytes: Buffer, places: readonly number[] | 'everywhere'): Buffer[] {
  if (places === 'everywhere') return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  const ends = places.map((place) => Math.floor(place * (bytes.length + 1))).sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
}

interface Answer {
  readonly method: string;
  readonly status: number;
  readonly wire: Buffer;
  readonly closes: boolean;
  /** The calls that the parser must make. */
  readonly calls: string[];
}

const name = fc.stringMatching(/^[a-zA-Z0-9!#$%&'*+.^`|~_-]{1,12}$/);
const value = fc
  .string({ unit: fc.constantFrom('a', 'B', '7', ' ', '\t', ',', ':', '"', '=', 'é', '\xa0', '\xff'), maxLength: 20 })
  .map((text) => text.replace(/^[ \t]+|[ \t]+$/g, ''));
const blank = fc.constantFrom('', ' ', '\t', '  ');
/** Headers that the parser interprets, each of which has a test of its own. */
const telling = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive', '__proto__']);
const field = fc
  .record({ name, value, before: blank, after: blank })
  .filter((one) => !telling.has(one.name.toLowerCase()));
const fields = fc.array(field, { maxLength: 5 });
const payload = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const reason = fc.constantFrom('', ' ', ' OK', ' Not Found', ' caf\xe9');
const extension = fc.constantFrom('', ';a', ';a=b', ';quoted="\t;, "', ';a;b=c', `;${'x'.repeat(200)}`);

function linesOf(list: readonly { name: string; value: string; before: string; after: string }[]): string {
  return list.map((one) => `${one.name}:${one.before}${one.value}${one.after}\r\n`).join('');
}

const interim = fc
  .record({ status: fc.constantFrom(100, 102, 103), reason, fields })
  .map((one) => `HTTP/1.1 ${one.status}${one.reason}\r\n${linesOf(one.fields)}\r\n`);

const framings = ['length', 'chunks', 'until close', 'nothing'] as const;

const answers: fc.Arbitrary<Answer> = fc
  .record({
    interims: fc.array(interim, { maxLength: 2 }),
    framing: fc.constantFrom(...framings),
    method: fc.constantFrom('GET', 'POST', 'HEAD'),
    minor: fc.constantFrom(0, 1),
    status: fc.constantFrom(200, 201, 204, 206, 304, 404, 500, 599),
    reason,
    fields,
    trailers: fields,
    payload,
    sizes: fc.array(fc.record({ size: fc.integer({ min: 1, max: 60 }), extension, upper: fc.boolean() })),
    zeros: fc.constantFrom('0', '00', '0000'),
    last: extension,
  })
  .map((made) => {
    const isBodiless = made.method === 'HEAD' || made.status === 204 || made.status === 304;
    const { framing } = made;
    const announced =
      framing === 'length'
        ? [{ name: 'Content-Length', value: `${made.payload.length}`, before: ' ', after: '' }]
        : framing === 'chunks'
          ? [{ name: 'Transfer-Encoding', value: 'Chunked', before: '', after: ' ' }]
          : [];
    const list = [...made.fields, ...announced];
    const headers: Record<string, string> = {};
    for (const one of list) {
      const key = one.name.toLowerCase();
      headers[key] = Object.hasOwn(headers, key) ? `${headers[key]}, ${one.value}` : one.value;
    }
    const isChunked = framing === 'chunks' && !isBodiless;
    const body = isBodiless || framing === 'nothing' ? Buffer.alloc(0) : made.payload;
    const coded = isChunked ? chunksOf(body, made) : body;
    const head = `HTTP/1.${made.minor} ${made.status}${made.reason}\r\n${linesOf(list)}\r\n`;
    const closes = !isBodiless && announced.length === 0;
    return {
      method: made.method,
      status: made.status,
      wire: Buffer.concat([Buffer.from(`${made.interims.join('')}${head}`, 'latin1'), coded]),
      closes,
      calls: [
        `head ${made.status} ${JSON.stringify(headers)}`,
        ...(body.length > 0 ? [`body ${body.toString('latin1')}`] : []),
        'end',
      ],
    };
  });

interface Chunking {
  readonly sizes: readonly { readonly size: number; readonly extension: string; readonly upper: boolean }[];
  readonly trailers: Parameters<typeof linesOf>[0];
  readonly zeros: string;
  readonly last: string;
}

function chunksOf(body: Buffer, { sizes, trailers, zeros, last }: Chunking): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (let i = 0; at < body.length; i++) {
    const how = sizes[i] ?? { size: body.length, extension: '', upper: false };
    const piece = body.subarray(at, at + how.size);
    at += piece.length;
    const size = piece.length.toString(16);
    parts.push(Buffer.from(`${how.upper ? size.toUpperCase() : size}${how.extension}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from(`${zeros}${last}\r\n${linesOf(trailers)}\r\n`, 'latin1')]);
}

const places = fc.oneof(
  fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 12 }),
  fc.constant('everywhere' as const),
);

describe('any response', () => {
  it('is parsed alike however its bytes are cut', () => {
    fc.assert(
      fc.property(answers, answers, places, (first, second, cuts) => {
        const follows = first.closes ? Buffer.alloc(0) : second.wire;
        const taker = new Taker();
        const parser = new Http1Parser(taker);
        parser.expect(first.method);
        let hasMoved = first.closes;
        for (const piece of cut(Buffer.concat([first.wire, follows]), cuts)) {
          let left = readOn(parser, taker, piece);
          if (taker.calls.at(-1) === 'end' && !hasMoved) {
            expect(taker.calls).toEqual(first.calls);
            taker.calls.length = 0;
            hasMoved = true;
            parser.expect(second.method);
            left = readOn(parser, taker, left);
          }
          if (left.length > 0) expect(left.toString()).toBe('');
        }
        const last = first.closes ? first : second;
        expect(taker.calls).toEqual(last.closes ? last.calls.slice(0, -1) : last.calls);
        parser.finish();
        expect(taker.calls).toEqual(last.calls);
      }),
      { numRuns: runs(150) },
    );
  });

  it('waits for a handler that pauses, and loses nothing', () => {
    const appetites = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 30 });
    fc.assert(
      fc.property(answers, places, appetites, (answer, cuts, taken) => {
        const { calls } = parse(cut(answer.wire, cuts), { ...answer, appetites: taken });
        expect(calls).toEqual(answer.calls);
      }),
      { numRuns: runs(150) },
    );
  });

  it('is parsed as Node parses it', async () => {
    await fc.assert(
      fc.asyncProperty(answers, places, async (answer, cuts) => {
        const pieces = cut(answer.wire, cuts).filter((piece) => piece.length > 0);
        expect(parse(pieces, answer).calls).toEqual(await readByNode(answer, pieces));
      }),
      { numRuns: runs(40) },
    );
  });

  it('that is truncated does not end, and its position is known', () => {
    fc.assert(
      fc.property(answers, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (answer, place) => {
        const bytes = answer.wire.subarray(0, Math.floor(place * answer.wire.length));
        const { calls, parser } = parse([bytes], { ...answer, closes: true });
        const isCut = !answer.closes || calls.length === 0;
        expect(calls.includes('end')).toBe(!isCut);
        if (isCut) expect(parser.position).toMatch(/^(before|in the middle of) /);
      }),
    );
  });
});

/** The result of Node's own client for the same pieces. */
function readByNode({ method }: Answer, pieces: readonly Buffer[]): Promise<string[]> {
  const socket = new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      done();
      for (const piece of pieces) socket.push(piece);
      socket.push(null);
    },
  });
  return new Promise((resolve, reject) => {
    const asked = nodeRequest({ method, createConnection: () => socket });
    asked.on('error', reject);
    asked.on('response', (response: IncomingMessage) => {
      const headers: Record<string, string> = {};
      for (let i = 0; i < response.rawHeaders.length; i += 2) {
        const key = response.rawHeaders[i]!.toLowerCase();
        const text = response.rawHeaders[i + 1]!;
        headers[key] = Object.hasOwn(headers, key) ? `${headers[key]}, ${text}` : text;
      }
      const calls = [`head ${response.statusCode} ${JSON.stringify(headers)}`];
      const body: Buffer[] = [];
      response.on('data', (chunk: Buffer) => body.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (body.length > 0) calls.push(`body ${Buffer.concat(body).toString('latin1')}`);
        resolve([...calls, 'end']);
      });
    });
    asked.end();
  });
}

describe('the body', () => {
  it('is passed on without a copy', () => {
    const pieces: Buffer[] = [];
    const parser = new Http1Parser({
      head() {},
      body(bytes) {
        pieces.push(bytes);
        return true;
      },
      end() {},
    });
    const first = asBytes('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc');
    const second = asBytes('defghij');
    parser.expect('GET');
    parser.read(first, 0);
    parser.read(second, 0);
    expect(pieces.map(String)).toEqual(['abc', 'defghij']);
    expect(pieces.map((piece) => piece.buffer)).toEqual([first.buffer, second.buffer]);
    expect(pieces[1]).toBe(second);
  });

  it.each([
    ['HEAD', 200, 'content-length: 5'],
    ['HEAD', 200, 'transfer-encoding: chunked'],
    ['HEAD', 200, 'x: y'],
    ['GET', 204, 'x: y'],
    ['GET', 204, 'content-length: 5'],
    ['GET', 304, 'content-length: 5'],
    ['GET', 304, 'transfer-encoding: chunked'],
    ['GET', 200, 'content-length: 0'],
  ])('is empty in the response to a %s with %d and %s', (method, status, header) => {
    const { calls, left, parser } = parse([`HTTP/1.1 ${status} Fine\r\n${header}\r\n\r\nHTTP`], { method });
    expect(calls).toEqual([expect.stringMatching(`^head ${status} `), 'end']);
    expect(left).toBe('HTTP');
    expect(parser.keepsAlive).toBe(true);
  });

  it('may come in many chunks, with leading zeros and extensions', () => {
    const chunk = `00000000000a;${'x'.repeat(4096)}\r\n0123456789\r\n`;
    const { calls, left } = parse([
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      ...Array.from({ length: 50 }, () => chunk),
      '0\r\n\r\n',
      'HTTP',
    ]);
    expect(calls.slice(1)).toEqual([`body ${'0123456789'.repeat(50)}`, 'end']);
    expect(left).toBe('HTTP');
  });

  it('may have the same Content-Length twice', () => {
    for (const header of ['content-length: 2\r\nContent-Length: 2', 'content-length: 2, 2']) {
      expect(parse([`HTTP/1.1 200 OK\r\n${header}\r\n\r\nabc`])).toMatchObject({ left: 'c' });
    }
  });

  it('ends with the connection if it has neither length nor chunks, and only then', () => {
    const { calls, parser } = parse(['HTTP/1.1 200 OK\r\n\r\nab', 'c']);
    expect(calls).toEqual(['head 200 {}', 'body abc']);
    parser.finish();
    expect(calls.at(-1)).toBe('end');
    parser.finish();
    expect(calls).toHaveLength(3);
  });
});

describe('the connection after a response', () => {
  const length = 'content-length: 0\r\n';
  it.each([
    [true, 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
    [true, `HTTP/1.1 200 OK\r\n${length}connection: keep-alive\r\n\r\n`],
    [true, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    [true, 'HTTP/1.1 103 Early\r\nconnection: close\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
    [false, `HTTP/1.1 200 OK\r\n${length}connection: close\r\n\r\n`],
    [false, `HTTP/1.1 200 OK\r\n${length}Connection: foo, CLOSE\r\n\r\n`],
    [false, `HTTP/1.1 200 OK\r\n${length}connection: foo\r\nconnection:close\r\n\r\n`],
    [false, `HTTP/1.0 200 OK\r\n${length}\r\n`],
    [false, `HTTP/1.0 200 OK\r\n${length}connection: keep-alive\r\n\r\n`],
    [false, 'HTTP/1.1 200 OK\r\n\r\n'],
  ])('can be used again: %s, after %j', (expected, wire) => {
    const { calls, parser } = parse([wire], { closes: true });
    expect(calls.at(-1)).toBe('end');
    expect(parser.keepsAlive).toBe(expected);
  });

  it.each([
    ['timeout=5', 5000],
    ['timeout=5, max=100', 5000],
    ['max=100,timeout=7', 7000],
    ['Timeout=0', 0],
    ['max=100', undefined],
    ['notimeout=5', undefined],
    ['timeout=x', undefined],
  ])('is kept for the timeout of Keep-Alive: %s', (header, expected) => {
    const { parser } = parse([`HTTP/1.1 200 OK\r\n${length}Keep-Alive: ${header}\r\n\r\n`]);
    expect(parser.keepAliveMs).toBe(expected);
    parser.expect('GET');
    parser.read(asBytes(`HTTP/1.1 200 OK\r\n${length}\r\n`), 0);
    expect(parser.keepAliveMs).toBe(undefined);
  });

  it('is not parsed after stop', () => {
    const { calls, parser } = parse(['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab']);
    parser.stop();
    expect(parser.read(asBytes('cde'), 0)).toBe(0);
    expect(calls).toEqual([expect.stringMatching('^head'), 'body ab']);
  });
});

describe('headers', () => {
  const read = (lines: string): ResponseHeaders => {
    const { calls } = parse([`HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`]);
    return JSON.parse(calls[0]!.slice('head 200 '.length));
  };

  it('are in lower case, trimmed, joined, and decoded as latin1, like those of HTTP/2', () => {
    expect(read('X-A: \t one \t\r\nx-a:two\r\nX-B:\r\nx-c: a:b')).toEqual({
      'x-a': 'one, two',
      'x-b': '',
      'x-c': 'a:b',
    });
    const [utf8, latin1] = [Buffer.from('é').toString('latin1'), '\xe9'];
    expect(read(`warning: ${utf8}\r\nx: ${latin1}`)).toEqual({ warning: utf8, x: latin1 });
  });

  it('may have names of properties of Object.prototype', () => {
    expect(read('constructor: a\r\ntoString: b\r\n__proto__: c\r\nhasOwnProperty: d')).toEqual({
      constructor: 'a',
      tostring: 'b',
      hasownproperty: 'd',
    });
  });

  it('are parsed in linear time', () => {
    // A regular expression that backtracks at every blank would take minutes.
    const line = `x:${' '.repeat(3000)}\0`;
    const begin = process.cpuUsage();
    expect(() => parse([`HTTP/1.1 200 OK\r\n${line}\r\n\r\n`])).toThrow(Http1Error);
    expect(process.cpuUsage(begin).user).toBeLessThan(2_000_000);
  });
});

describe('an invalid response', () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const withHeader = (line: string): string => `HTTP/1.1 200 OK\r\n${line}\r\n\r\n`;
  const header = (line: string): string => `a header line is malformed: ${JSON.stringify(line)}`;
  const begins = (line: string): string => `its first line is ${JSON.stringify(line)}`;

  it.each([
    ['garbage', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', begins('SSH-2.0-OpenSSH_9.2')],
    ['much garbage', `${'x'.repeat(100)}\r\n\r\n`, begins('x'.repeat(40))],
    ['an empty line', '\r\n\r\n', begins('')],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n', begins('HTTP/2.0 200 OK')],
    ['a version with blanks', 'HTTP/1.1  200 OK\r\n\r\n', begins('HTTP/1.1  200 OK')],
    ['lower case', 'http/1.1 200 OK\r\n\r\n', begins('http/1.1 200 OK')],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', begins('HTTP/1.1 20 OK')],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n', begins('HTTP/1.1 2000 OK')],
    ['no status', 'HTTP/1.1\r\n\r\n', begins('HTTP/1.1')],
    ['a line feed in the first line', 'HTTP/1.1 200 OK\nx: y\r\n\r\n', begins('HTTP/1.1 200 OK\nx: y')],
    ['a carriage return in the first line', 'HTTP/1.1 200 O\rK\r\n\r\n', begins('HTTP/1.1 200 O\rK')],
    ['a NUL in the first line', 'HTTP/1.1 200 O\0K\r\n\r\n', begins('HTTP/1.1 200 O\0K')],
    [
      'an upgrade',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n',
      'its status is 101, but the request asked for no upgrade',
    ],
    ['a status below 100', 'HTTP/1.1 099 No\r\n\r\n', 'its status is 99, but the request asked for no upgrade'],
    ['a header without a colon', withHeader('nonsense'), header('nonsense')],
    ['a header without a name', withHeader(': x'), header(': x')],
    ['a folded header', withHeader('x: a\r\n b'), header(' b')],
    ['a header folded with a tab', withHeader('x: a\r\n\tb: c'), header('\tb: c')],
    ['a folded first line', withHeader(' x: a'), header(' x: a')],
    ['a blank before the colon', withHeader('content-length : 5'), header('content-length : 5')],
    ['a name that is no token', withHeader('a(b: c'), header('a(b: c')],
    ['a name that is not ASCII', withHeader('\xe9: c'), header('\xe9: c')],
    ['a NUL in a value', withHeader('x: a\0b'), header('x: a\0b')],
    ['a carriage return in a value', withHeader('x: a\rb'), header('x: a\rb')],
    ['a line feed in a value', withHeader('x: a\ncontent-length: 5'), header('x: a\ncontent-length: 5')],
    ['a carriage return too many', withHeader('x: a\r'), header('x: a\r')],
    [
      'a line feed in what comes first',
      `HTTP/1.1 103 Early\r\nx: a\n\n${withHeader('y: z')}`,
      header('x: a\n\nHTTP/1.1 200 OK'),
    ],
    ['two lengths', withHeader('content-length: 5\r\ncontent-length: 6'), 'its Content-Length is 5, 6'],
    ['two lengths in one', withHeader('content-length: 5, 6'), 'its Content-Length is 5, 6'],
    ['a negative length', withHeader('content-length: -5'), 'its Content-Length is -5'],
    ['a signed length', withHeader('content-length: +5'), 'its Content-Length is +5'],
    ['a hexadecimal length', withHeader('content-length: 0x5'), 'its Content-Length is 0x5'],
    ['a length with a fraction', withHeader('content-length: 5.0'), 'its Content-Length is 5.0'],
    ['a huge length', withHeader('content-length: 9999999999999999'), 'its Content-Length is 9999999999999999'],
    ['a length after a no-break space', withHeader('content-length:\xa05'), 'its Content-Length is \xa05'],
    ['a length after a vertical tab', withHeader('content-length: \v5'), 'its Content-Length is \v5'],
    ['an empty length', withHeader('content-length:'), 'its Content-Length is '],
    [
      'a length and chunks',
      withHeader('content-length: 5\r\ntransfer-encoding: chunked'),
      'it has both Content-Length and Transfer-Encoding',
    ],
    ['gzip', withHeader('transfer-encoding: gzip, chunked'), 'its Transfer-Encoding is gzip, chunked, not chunked'],
    [
      'an unknown encoding',
      withHeader('transfer-encoding: identity'),
      'its Transfer-Encoding is identity, not chunked',
    ],
    [
      'chunks twice',
      withHeader('transfer-encoding: chunked\r\ntransfer-encoding: chunked'),
      'its Transfer-Encoding is chunked, chunked, not chunked',
    ],
    ['a chunk without a size', `${chunked}\r\nabc`, 'a chunk does not begin with its size'],
    ['an extension without a size', `${chunked};a\r\n`, 'a chunk does not begin with its size'],
    ['a negative size', `${chunked}-5\r\n`, 'a chunk does not begin with its size'],
    ['a blank before the size', `${chunked} 5\r\n`, 'a chunk does not begin with its size'],
    ['a size with 0x', `${chunked}0x5\r\n`, 'the size of a chunk is not hexadecimal'],
    ['a blank behind the size', `${chunked}5 \r\n`, 'the size of a chunk is not hexadecimal'],
    ['two sizes', `${chunked}1 2\r\n`, 'the size of a chunk is not hexadecimal'],
    ['a size that is none', `${chunked}5g\r\n`, 'the size of a chunk is not hexadecimal'],
    ['a size that ends with a line feed', `${chunked}5\nhello\r\n`, 'the size of a chunk is not hexadecimal'],
    ['a huge chunk', `${chunked}1000000000000\r\n`, 'the size of a chunk has more than 12 digits'],
    ['endless zeros', `${chunked}${'0'.repeat(13)}`, 'the size of a chunk has more than 12 digits'],
    ['a carriage return behind the size', `${chunked}5\rhello`, 'the size of a chunk is not followed by CRLF'],
    [
      'an extension with a line feed',
      `${chunked}5;a\nhello`,
      'a chunk extension has a bare LF or more than 4096 bytes',
    ],
    ['an extension with a carriage return', `${chunked}5;a\rb\r\n`, 'the size of a chunk is not followed by CRLF'],
    [
      'an endless extension',
      `${chunked}5;${'a'.repeat(4097)}`,
      'a chunk extension has a bare LF or more than 4096 bytes',
    ],
    ['a chunk that is longer', `${chunked}5\r\nhello!\r\n`, 'a chunk is longer than its size'],
    ['a chunk that ends with a line feed', `${chunked}5\r\nhello\n`, 'a chunk is longer than its size'],
    ['a chunk that ends with half a line', `${chunked}5\r\nhello\r5`, 'a chunk is longer than its size'],
    ['a long head', withHeader(`x: ${'y'.repeat(65_536)}`), 'its head is longer than 65536 bytes'],
    ['a head without an end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(11_000)}`, 'its head is longer than 65536 bytes'],
    ['a trailer without a colon', `${chunked}0\r\nnonsense\r\n\r\n`, header('nonsense')],
    ['a folded trailer', `${chunked}0\r\nx: a\r\n b\r\n\r\n`, header(' b')],
    ['a blank before the colon of a trailer', `${chunked}0\r\nx : a\r\n\r\n`, header('x : a')],
    ['a line feed in a trailer', `${chunked}0\r\nx: a\ny: b\r\n\r\n`, header('x: a\ny: b')],
    ['a NUL in a trailer', `${chunked}0\r\nx: a\0\r\n\r\n`, header('x: a\0')],
    [
      'too many interim responses',
      `${'HTTP/1.1 103 Early\r\n\r\n'.repeat(21)}`,
      'more than 20 interim responses (1xx) come before it',
    ],

    [
      'a trailer without an end',
      `${chunked}0\r\n${'x: y\r\n'.repeat(11_000)}`,
      'its trailer section is longer than 65536 bytes',
    ],
  ])('%s', (_what, wire, message) => {
    const expected = new Http1Error(message);
    expect(expected.message).toBe(`the response is not valid HTTP/1.1: ${message}`);
    expect(() => parse([wire])).toThrow(expected);
    // It is refused however it is cut, and its end is never reported.
    const taker = new Taker();
    const parser = new Http1Parser(taker);
    parser.expect('GET');
    const size = wire.length > 5000 ? 1000 : 1;
    expect(() => {
      for (let at = 0; at < wire.length; at += size) readOn(parser, taker, asBytes(wire.slice(at, at + size)));
    }).toThrow(expected);
    expect(taker.calls).not.toContain('end');
  });

  it('has a head that is too long, detected byte by byte', () => {
    const parser = new Http1Parser(new Taker());
    parser.expect('GET');
    const begin = asBytes('HTTP/1.1 200 OK\r\nx: ');
    parser.read(begin, 0);
    const byte = Buffer.from('y');
    // The last three bytes could be the beginning of CRLF CRLF.
    for (let read = begin.length; read < 65_536 + 3; read++) parser.read(byte, 0);
    expect(() => parser.read(byte, 0)).toThrow('its head is longer than 65536 bytes');
  });

  it('does not include a head of the largest size', () => {
    const begin = 'HTTP/1.1 200 OK\r\nx: ';
    const wire = `${begin}${'y'.repeat(65_536 - begin.length)}\r\n\r\n`;
    expect(parse([wire]).calls).toHaveLength(1);
    const [all, end] = [asBytes(wire), wire.length];
    for (let left = 1; left <= 4; left++) {
      expect(parse([all.subarray(0, end - left), all.subarray(end - left)]).calls).toHaveLength(1);
    }
  });
});
