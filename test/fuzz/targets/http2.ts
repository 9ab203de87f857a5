import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { connect } from 'node:http2';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import * as h2 from '../../../src/rest/http/http2/frames.js';
import { HpackDecoder } from '../../../src/rest/http/http2/hpack-decoder.js';
import { HpackEncoder } from '../../../src/rest/http/http2/hpack-encoder.js';
import { Http2Connection } from '../../../src/rest/http/http2/http2-connection.js';
import { SocketReader } from '../../../src/rest/http/socket-reader.js';
import type { BodySink, Exchange, ResponseHandler } from '../../../src/rest/http/transport.js';
import { FakeClock } from '../../../src/time/fake-clock.js';
import { mutateBytes } from '../mutate.js';
import type { Random } from '../random.js';
import { accepted, inPieces, target } from '../target.js';

interface Stream {
  readonly bytes: Uint8Array;
  readonly cuts: readonly number[];
}

/** The client opens this many streams before the bytes come: 1, 3 and 5. */
const STREAMS = 3;

type Field = [name: string, value: string];

function fields(random: Random, isWild: boolean): Field[] {
  const statuses = ['200', '200', '200', '404', '103', '204', ...(isWild ? ['20', '101'] : [])];
  const list: Field[] = [[':status', random.pick(statuses)]];
  if (isWild && random.oneIn(10)) list.reverse();
  for (let left = random.below(5); left > 0; left--) list.push([`x-${random.below(9)}`, 'v'.repeat(random.below(40))]);
  if (random.oneIn(8)) list.push(['content-length', `${random.below(30)}`]);
  const wrong: Field[] = [
    ['Upper', 'x'],
    ['connection', 'close'],
    [':path', '/'],
    ['a', 'x\ny'],
    ['a', ' x'],
  ];
  if (isWild && random.oneIn(10)) list.push(random.pick(wrong));
  return list;
}

function headersFrame(random: Random, isWild: boolean, encoder: HpackEncoder, streamId: number, ends: number): Buffer {
  const block = encoder.encode(fields(random, isWild));
  if (!random.oneIn(5)) return h2.frame(h2.HEADERS, h2.END_HEADERS | ends, streamId, block);
  const cut = random.below(block.length + 1);
  const flags = isWild && random.oneIn(20) ? 0 : h2.END_HEADERS;
  const rest = h2.frame(h2.CONTINUATION, flags, streamId, block.subarray(cut));
  return Buffer.concat([h2.frame(h2.HEADERS, ends, streamId, block.subarray(0, cut)), rest]);
}

/** @param isWild whether the frame may be invalid */
function frame(random: Random, isWild: boolean, encoder: HpackEncoder): Buffer {
  const streamId = random.pick([1, 3, 5, 1, 3, 5, 1, 3, 5, ...(isWild ? [0, 2, 7] : [])]);
  const ends = random.oneIn(4) ? h2.END_STREAM : 0;
  switch (random.below(isWild ? 12 : 10)) {
    case 4:
    case 5:
    case 6: {
      const content = random.bytes(30);
      if (!random.oneIn(3)) return h2.frame(h2.DATA, ends, streamId, content);
      const padding = random.below(10);
      return h2.frame(h2.DATA, ends | h2.PADDED, streamId, Buffer.from([padding]), content, Buffer.alloc(padding));
    }
    case 7: {
      const value = random.pick([0, 1, 100, 65_535, 16_384, 4096, isWild ? 2 ** 31 : 5]);
      return h2.settingsFrame([[isWild ? random.below(9) : 4, value]]);
    }
    case 8:
      return h2.frame(h2.PING, random.below(2), 0, Buffer.alloc(8, random.below(256)));
    case 9:
      return h2.numberFrame(h2.WINDOW_UPDATE, streamId, random.pick([1, 1000, ...(isWild ? [0, 2 ** 31 - 1] : [])]));
    case 10: {
      const type = random.pick([h2.RST_STREAM, h2.RST_STREAM, h2.GOAWAY]);
      const reset = h2.numberFrame(type, random.oneIn(3) ? 0 : streamId, random.below(14), 0);
      return reset.subarray(0, random.oneIn(9) ? 15 : undefined);
    }
    case 11:
      return h2.frame(random.below(20), random.below(256), streamId, random.bytes(20));
    default:
      return headersFrame(random, isWild, encoder, streamId, ends);
  }
}

/** Responses on all streams at once, in an order that is allowed, with other frames between theirs. */
function responses(random: Random, isWild: boolean, encoder: HpackEncoder): Buffer[] {
  const frames: Buffer[] = [];
  const begun = new Set<number>();
  let open = [1, 3, 5];
  for (let left = random.below(12); left > 0 && open.length > 0; left--) {
    const streamId = random.pick(open);
    const ends = random.oneIn(4) ? h2.END_STREAM : 0;
    if (random.oneIn(6)) {
      frames.push(h2.frame(h2.PING, 0, 0, Buffer.alloc(8)));
      continue;
    }
    if (begun.has(streamId)) frames.push(h2.frame(h2.DATA, ends, streamId, random.bytes(30)));
    else frames.push(headersFrame(random, isWild && random.oneIn(4), encoder, streamId, ends));
    begun.add(streamId);
    if (ends !== 0) open = open.filter((id) => id !== streamId);
  }
  return frames;
}

/** The bytes of a server: mostly valid, then damaged. */
function serverBytes(random: Random): Buffer {
  const isWild = random.oneIn(2);
  const encoder = new HpackEncoder();
  const frames = [
    h2.settingsFrame([]),
    ...(random.oneIn(3)
      ? random.list(0, 11, () => frame(random, isWild, encoder))
      : responses(random, isWild, encoder)),
  ];
  if (isWild && random.oneIn(8) && frames.length > 1) frames.splice(random.below(frames.length), 1);
  if (isWild && random.oneIn(8)) frames.splice(random.below(frames.length), 0, random.pick(frames));
  const bytes = Buffer.concat(frames);
  if (bytes.length > 0 && random.oneIn(5)) {
    for (let left = 1 + random.below(3); left > 0; left--) bytes[random.below(bytes.length)] = random.next();
  }
  return random.oneIn(10) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes;
}

/** A socket that takes everything at once. */
class FakeSocket extends EventEmitter {
  writable = true;
  written = 0;

  write(bytes: Uint8Array, done?: () => void): boolean {
    this.written += bytes.length;
    if (done !== undefined) queueMicrotask(done);
    return true;
  }

  destroySoon(): void {
    this.destroy();
  }

  destroy(): void {
    if (!this.writable) return;
    this.writable = false;
    this.emit('close');
  }

  pause(): void {}
  resume(): void {}
  ref(): void {}
  unref(): void {}
}

const options = { pingAfterMs: 10_000, pingTimeoutMs: 5_000, maxStreams: 100 };
const url = new URL('http://server.example');

/** Lets the connection write. */
async function ticks(): Promise<void> {
  for (let tick = 0; tick < 4; tick++) await new Promise<void>((resolve) => process.nextTick(resolve));
}

interface Outcome {
  status: number;
  body: string;
  /** Empty while the response is open. */
  over: string;
}

/** A handler that checks the order of its calls: a head, the body, one end. @param pauses whether it pauses after each chunk */
function handlerOf(outcome: Outcome, pauses: boolean): ResponseHandler {
  const sink: BodySink = {
    chunk(piece) {
      assert.equal(outcome.over, '', 'a chunk after the end');
      assert.notEqual(outcome.status, 0, 'a chunk before the head');
      outcome.body += Buffer.from(piece).toString('hex');
      return !pauses;
    },
  };
  const finish = (how: string): void => {
    assert.equal(outcome.over, '', 'two ends');
    outcome.over = how;
  };
  return {
    head(status) {
      assert.equal(outcome.status, 0, 'two heads');
      assert.equal(outcome.over, '', 'a head after the end');
      outcome.status = status;
      return sink;
    },
    end: () => finish('end'),
    fail: (error) => {
      assert.ok(error instanceof Error);
      finish(error.name);
    },
  };
}

function someField(random: Random): Field {
  const name = random.pick(['a', 'x-b', ':status', 'content-type', 'cookie']);
  return [name, random.pick(['', '200', 'application/json', 'ä', 'v'.repeat(random.below(200))])];
}

/** What the handlers of a connection got from these bytes. */
async function outcomesOf({ bytes, cuts }: Stream): Promise<{ isClosed: boolean; outcomes: Outcome[] }> {
  const socket = new FakeSocket();
  let gone = 0;
  const owner = { onRoom() {}, onGone: () => gone++, onDead() {} };
  const connection = new Http2Connection(
    socket as unknown as Socket,
    new SocketReader(),
    url,
    new FakeClock(),
    options,
    owner,
  );
  const outcomes: Outcome[] = [];
  const exchanges: Exchange[] = [];
  for (let at = 0; at < STREAMS; at++) {
    const outcome = { status: 0, body: '', over: '' };
    outcomes.push(outcome);
    const request = { method: at === 2 ? 'HEAD' : 'GET', target: '/', headers: {} };
    exchanges.push(connection.send(request, handlerOf(outcome, at === 1)));
  }
  await ticks();
  inPieces(bytes, cuts, (piece) => {
    socket.emit('data', piece);
    exchanges[1]?.resume();
  });
  await ticks();
  for (let times = 0; times < 50; times++) exchanges[1]?.resume();
  // At most an answer of 17 bytes for each frame of 9 or more, beside the preface, requests, resets and a GOAWAY.
  assert.ok(socket.written <= 600 + 2 * bytes.length, `wrote ${socket.written} bytes for ${bytes.length}`);
  const isClosed = !socket.writable;
  connection.destroy(new Error('the input is over'));
  assert.equal(gone, 1);
  for (const { over } of outcomes) assert.notEqual(over, '', 'no end');
  return { isClosed, outcomes };
}

/** The same, as the client of node:http2 reads the bytes. */
async function referenceOf(bytes: Uint8Array): Promise<Outcome[]> {
  const wire = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const session = connect(url, { createConnection: () => wire });
  session.on('error', () => {});
  const outcomes: Outcome[] = [];
  for (let at = 0; at < STREAMS; at++) {
    const outcome: Outcome = { status: 0, body: '', over: '' };
    outcomes.push(outcome);
    const stream = session.request({ ':path': '/', ':method': at === 2 ? 'HEAD' : 'GET' });
    stream.on('response', (headers) => {
      outcome.status = headers[':status'] ?? 0;
    });
    stream.on('data', (piece: Buffer) => {
      outcome.body += piece.toString('hex');
    });
    stream.on('end', () => {
      if (stream.rstCode === 0 && !stream.destroyed && outcome.status !== 0) outcome.over = 'end';
    });
    stream.on('error', () => {});
  }
  await new Promise((resolve) => setImmediate(resolve));
  wire.push(Buffer.from(bytes));
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
  session.destroy();
  return outcomes;
}

/** Without the body of a response that failed: how much of it was handed over before depends on the cuts. */
const comparable = ({ isClosed, outcomes }: { isClosed: boolean; outcomes: Outcome[] }): unknown => ({
  isClosed,
  outcomes: outcomes.map((outcome) => (outcome.over === 'end' ? outcome : { ...outcome, body: '' })),
});

export const http2Targets = [
  target(
    'http2-frames',
    'hands over a head, a body and one end, the same wherever the bytes are cut; writes no more than the frames are worth',
    (random) => ({ bytes: serverBytes(random), cuts: random.cuts() }),
    async (stream: Stream) => {
      const whole = await outcomesOf({ bytes: stream.bytes, cuts: [] });
      assert.deepEqual(
        comparable(await outcomesOf(stream)),
        comparable(whole),
        'another outcome when the bytes are cut',
      );
      return !whole.isClosed;
    },
  ),

  target(
    'http2-as-node',
    'a response that the client of node:http2 reads completely is the same one',
    serverBytes,
    async (bytes: Uint8Array) => {
      const { outcomes } = await outcomesOf({ bytes, cuts: [] });
      const expected = await referenceOf(bytes);
      let compared = 0;
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome.over !== 'end' || expected[at]?.over !== 'end') continue;
        assert.deepEqual(outcome, expected[at]);
        compared++;
      }
      return compared > 0;
    },
  ),

  target(
    'hpack',
    'decodes what was encoded; refuses damaged blocks with Http2Error',
    (random) => {
      const encoder = new HpackEncoder();
      const blocks = random.list(1, 3, () => random.list(1, 5, () => someField(random)));
      const bytes = blocks.map((block) => encoder.encode(block));
      return random.oneIn(2)
        ? { blocks, bytes }
        : { blocks: [], bytes: bytes.map((block) => mutateBytes(random, block)) };
    },
    ({ blocks, bytes }: { blocks: Field[][]; bytes: Uint8Array[] }) => {
      const decoder = new HpackDecoder();
      const decode = (): (string[] | undefined)[] => bytes.map((block) => decoder.decode(Buffer.from(block)));
      const decoded = accepted(decode, [h2.Http2Error]);
      if (blocks.length > 0)
        assert.deepEqual(
          decoded,
          blocks.map((block) => block.flat()),
        );
      return decoded !== undefined;
    },
  ),
];
