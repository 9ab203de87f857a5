import assert from 'node:assert/strict';
import { Http1Error, Http1Parser } from '../../../src/rest/http/http1-parser.js';
import { reportWarnings } from '../../../src/rest/request/warnings.js';
import { mutateBytes, mutateText } from '../mutate.js';
import type { Random } from '../random.js';
import { inPieces, target } from '../target.js';

interface Answer {
  readonly method: string;
  readonly bytes: Uint8Array;
  readonly cuts: readonly number[];
}

/** What a handler got of a connection. */
interface Outcome {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** `end` with the number of bytes that follow, `refused`, or `open` if more bytes are needed. */
  over: string;
}

function head(random: Random): string {
  const status = random.pick([
    '200 OK',
    '200',
    '404 Not Found',
    '204 No Content',
    '304 Not Modified',
    '101 Switching',
    '103 Early',
    '99',
    '2000',
  ]);
  const version = random.oneIn(20)
    ? random.pick(['HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'ICY'])
    : random.pick(['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0']);
  const lines = random.list(
    0,
    3,
    () =>
      `${random.pick(['X-A', 'Date', 'x-a', 'Connection', '__proto__', 'Keep-Alive'])}:${random.pick(['', ' '])}${random.pick(['a', 'b c', 'close', 'timeout=5', '', 'ä'])}`,
  );
  return [`${version} ${status}`, ...lines].join('\r\n');
}

function chunked(random: Random): string {
  const chunks = random.list(0, 3, () => {
    const data = random.text(1, 12, ['a', '{"a":1}', '\r\n', '0']);
    return `${Buffer.byteLength(data).toString(16)}${random.oneIn(6) ? ';x=1' : ''}\r\n${data}\r\n`;
  });
  return `${chunks.join('')}${random.oneIn(20) ? '' : '0\r\n'}${random.oneIn(6) ? 'X-T: 1\r\n' : ''}\r\n`;
}

function answer(random: Random): string {
  let text = '';
  while (random.oneIn(12)) text += `HTTP/1.1 103 Early\r\n${random.oneIn(2) ? 'Link: a\r\n' : ''}\r\n`;
  const start = head(random);
  const body = random.text(0, 6, ['{"kind":"Pod"}', 'a', '\n']);
  switch (random.below(8)) {
    case 0:
      return `${text}${start}\r\n\r\n${body}`;
    case 1:
    case 2:
    case 3:
      return `${text}${start}\r\nContent-Length: ${random.oneIn(8) ? random.pick(['5', '+1', '1, 1', '1,2', '', '99999999999999999999', '0x1']) : body.length}\r\n\r\n${body}`;
    default:
      return `${text}${start}\r\nTransfer-Encoding: ${random.oneIn(12) ? random.pick(['gzip', 'gzip, chunked', 'CHUNKED', 'chunked, chunked']) : 'chunked'}\r\n${random.oneIn(20) ? 'Content-Length: 3\r\n' : ''}\r\n${chunked(random)}`;
  }
}

function parse({ method, bytes, cuts }: Answer): Outcome {
  const outcome: Outcome = { status: 0, headers: {}, body: '', over: 'open' };
  const parser = new Http1Parser({
    head(status, headers) {
      assert.equal(outcome.status, 0, 'two heads');
      outcome.status = status;
      outcome.headers = headers;
    },
    body(piece) {
      assert.notEqual(outcome.status, 0, 'a body before the head');
      assert.equal(outcome.over, 'open', 'a body after the end');
      assert.ok(piece.length > 0);
      outcome.body += piece.toString('latin1');
      return true;
    },
    end() {
      assert.equal(outcome.over, 'open', 'two ends');
      outcome.over = 'end';
    },
  });
  parser.expect(method, method === 'UPGRADE');
  let consumed = 0;
  try {
    inPieces(bytes, cuts, (piece) => {
      if (outcome.over === 'end' || outcome.status === 101) return;
      const end = parser.read(piece, 0);
      assert.ok(end <= piece.length);
      consumed += end;
    });
  } catch (error) {
    if (!(error instanceof Http1Error)) throw error;
    return { ...outcome, over: 'refused' };
  }
  if (outcome.status === 101) outcome.over = `upgraded ${consumed}`;
  else if (outcome.over === 'end') outcome.over = `end ${consumed}`;
  else {
    parser.finish();
    if ((outcome.over as string) === 'end') outcome.over = 'closed';
  }
  return outcome;
}

const TOKEN = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;

/** The same by a parser that has all bytes at once, after RFC 9112. */
function reference(method: string, bytes: Uint8Array): Outcome {
  const text = Buffer.from(bytes).toString('latin1');
  const outcome: Outcome = { status: 0, headers: {}, body: '', over: 'open' };
  const refused = (): Outcome => ({ ...outcome, over: 'refused' });
  let at = 0;
  let fields: Map<string, string> | undefined;
  for (;;) {
    if (text.charCodeAt(at) === 0x15) return refused();
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) return outcome;
    const [first = '', ...lines] = text.slice(at, end).split('\r\n');
    const [, status] = /^HTTP\/1\.[01] ([0-9]{3})(?:$| [^\0\r\n]*$)/.exec(first) ?? [];
    fields = headerFields(lines);
    if (status === undefined || fields === undefined) return refused();
    at = end + 4;
    const code = Number(status);
    if (code >= 100 && code < 200 && code !== 101) continue;
    if (code < 200 && !(code === 101 && method === 'UPGRADE')) return refused();
    outcome.status = code;
    break;
  }
  outcome.headers = Object.fromEntries(fields);
  if (outcome.status === 101) return { ...outcome, over: `upgraded ${at}` };
  // Nothing of a response whose framing is refused is handed over.
  const refusedHead = (): Outcome => ({ status: 0, headers: {}, body: '', over: 'refused' });
  const encoding = fields.get('transfer-encoding');
  const length = fields.get('content-length');
  if (method === 'HEAD' || outcome.status === 204 || outcome.status === 304) return { ...outcome, over: `end ${at}` };
  if (encoding !== undefined) {
    if (length !== undefined || encoding.toLowerCase() !== 'chunked') return refusedHead();
    return readChunks(text, at, outcome);
  }
  if (length === undefined) return { ...outcome, body: text.slice(at), over: 'closed' };
  const lengths = new Set(length.split(',').map((part) => part.replace(/^[ \t]+|[ \t]+$/g, '')));
  const [only = ''] = lengths;
  if (lengths.size > 1 || !/^[0-9]{1,15}$/.test(only)) return refusedHead();
  const body = text.slice(at, at + Number(only));
  return { ...outcome, body, over: body.length === Number(only) ? `end ${at + body.length}` : 'open' };
}

function headerFields(lines: readonly string[]): Map<string, string> | undefined {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*):[ \t]*(.*?)[ \t]*$/s.exec(line) ?? [];
    if (!TOKEN.test(name) || /[\0\r\n]/.test(value)) return undefined;
    const key = name.toLowerCase();
    if (key !== '__proto__') fields.set(key, fields.has(key) ? `${fields.get(key)}, ${value}` : value);
  }
  return fields;
}

function readChunks(text: string, start: number, outcome: Outcome): Outcome {
  let at = start;
  let body = '';
  const is = (over: string): Outcome => ({ ...outcome, body, over });
  for (;;) {
    const [digits = ''] = /^[0-9A-Fa-f]*/.exec(text.slice(at, at + 13)) as RegExpExecArray;
    if (digits.length > 12) return is('refused');
    at += digits.length;
    if (at >= text.length) return is('open');
    if (digits === '') return is('refused');
    if (text[at] === ';') {
      const [extension = ''] = /^[^\r\n]*/.exec(text.slice(at)) as RegExpExecArray;
      if (extension.length > 4096) return is('refused');
      at += extension.length;
    }
    const end = lineEnd(text, at);
    if (end !== 'line') return is(end);
    at += 2;
    const size = Number.parseInt(digits, 16);
    if (size === 0) break;
    body += text.slice(at, at + size);
    at += size;
    if (at >= text.length) return is('open');
    const after = lineEnd(text, at);
    if (after !== 'line') return is(after);
    at += 2;
    if (at >= text.length) return is('open');
  }
  const end = text.indexOf('\r\n\r\n', at - 2);
  if (end < 0) return is('open');
  const lines = end === at - 2 ? [] : text.slice(at, end).split('\r\n');
  return headerFields(lines) === undefined ? is('refused') : is(`end ${end + 4}`);
}

/** Whether there is a CRLF, something else, or not enough text. */
function lineEnd(text: string, at: number): 'line' | 'refused' | 'open' {
  if (at >= text.length) return 'open';
  if (text[at] !== '\r') return 'refused';
  if (at + 1 >= text.length) return 'open';
  return text[at + 1] === '\n' ? 'line' : 'refused';
}

export const http1Targets = [
  target(
    'http1-responses',
    'reads a response as a parser that has all bytes at once, wherever they are cut',
    (random) => {
      const text = answer(random);
      const bytes = Buffer.from(text, 'latin1');
      const method = random.pick(['GET', 'GET', 'GET', 'HEAD', 'UPGRADE']);
      return { method, bytes: random.oneIn(3) ? mutateBytes(random, bytes) : bytes, cuts: random.cuts() };
    },
    (input: Answer) => {
      const outcome = parse(input);
      const expected = reference(input.method, input.bytes);
      // How much of a body comes before a refusal is the same; the chunk that is refused is not handed over as a whole.
      assert.deepEqual({ ...outcome }, { ...expected });
      return outcome.over !== 'refused';
    },
  ),

  target(
    'http-warnings',
    'reports texts without control characters',
    (random) => {
      const text = random
        .list(
          1,
          3,
          () =>
            `${random.pick(['299', '199', '29'])} ${random.pick(['-', 'a.example'])} "${random.text(0, 4, ['a', '\\"', '\\\\', 'Ã¤', '\x1b[0m', ','])}"${random.oneIn(4) ? ' "date"' : ''}`,
        )
        .join(', ');
      return random.oneIn(2) ? mutateText(random, text, ['"', '\\', ',', ' ', '299', '\x1b']) : text;
    },
    (header: string) => {
      let count = 0;
      reportWarnings(header, (text, { code }) => {
        count++;
        assert.ok(code >= 0 && code <= 999);
        assert.doesNotMatch(text, /\p{Cc}/u);
      });
      return count > 0;
    },
  ),
];
