// Sends damaged and rearranged HTTP/2 to a client connection, and checks what must hold for any input.
//
//   npm run build && node scripts/fuzz-http2.mjs [--count 100000] [--seed 1]
//
// - Nothing throws, and a handler gets a head, the body, then one end; nothing after it, and nothing after a GOAWAY of the client.
// - The outcome is the same wherever the bytes are cut.
// - What the client keeps and has not written stays small.
// - A response that the client of node:http2 accepts from the same bytes is the same one (every 20th input).
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { connect } from 'node:http2';
import { Duplex } from 'node:stream';
import { parseArgs } from 'node:util';
import * as h2 from '../build/rest/http/http2/frames.js';
import { HpackEncoder } from '../build/rest/http/http2/hpack-encoder.js';
import { Http2Connection } from '../build/rest/http/http2/http2-connection.js';
import { SocketReader } from '../build/rest/http/socket-reader.js';
import { FakeClock } from '../build/time/fake-clock.js';
import { seededRandom } from '../build/time/seeded-random.js';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const count = Number(values.count);
const firstSeed = Number(values.seed);
// Most inputs fail, and their stack traces are not read.
Error.stackTraceLimit = 0;

/** The client opens this many streams before the bytes come: 1, 3 and 5. */
const STREAMS = 3;
let random = seededRandom(1);
/** Whether the frames of this input may be invalid; if not, only the order of frames and single bytes may be. */
let isWild = false;
const below = (limit) => Math.floor(random() * limit);
const oneOf = (list) => list[below(list.length)];
const someBytes = (limit) => Buffer.from(Array.from({ length: below(limit) }, () => below(256)));

function fields() {
  const list = [[':status', oneOf(['200', '200', '200', '404', '103', '204', ...(isWild ? ['20', '101'] : [])])]];
  if (isWild && below(10) === 0) list.reverse();
  for (let i = below(5); i > 0; i--) list.push([`x-${below(9)}`, 'v'.repeat(below(40))]);
  if (below(8) === 0) list.push(['content-length', `${below(30)}`]);
  if (isWild && below(10) === 0)
    list.push(
      oneOf([
        ['Upper', 'x'],
        ['connection', 'close'],
        [':path', '/'],
        ['a', 'x\ny'],
        ['a', ' x'],
      ]),
    );
  return list;
}

function frame(encoder) {
  const streamId = oneOf([1, 3, 5, 1, 3, 5, 1, 3, 5, ...(isWild ? [0, 2, 7] : [])]);
  const ends = below(4) === 0 ? h2.END_STREAM : 0;
  switch (below(isWild ? 12 : 10)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      const block = encoder.encode(fields());
      if (below(5) > 0) return h2.frame(h2.HEADERS, h2.END_HEADERS | ends, streamId, block);
      const cut = below(block.length + 1);
      const rest = h2.frame(
        h2.CONTINUATION,
        isWild && below(20) === 0 ? 0 : h2.END_HEADERS,
        streamId,
        block.subarray(cut),
      );
      return Buffer.concat([h2.frame(h2.HEADERS, ends, streamId, block.subarray(0, cut)), rest]);
    }
    case 4:
    case 5:
    case 6: {
      const padding = below(3) === 0 ? below(10) : undefined;
      const content = someBytes(30);
      if (padding === undefined) return h2.frame(h2.DATA, ends, streamId, content);
      return h2.frame(h2.DATA, ends | h2.PADDED, streamId, Buffer.from([padding]), content, Buffer.alloc(padding));
    }
    case 7:
      return h2.settingsFrame([
        [isWild ? below(9) : 4, oneOf([0, 1, 100, 65_535, 16_384, 4096, isWild ? 2 ** 31 : 5])],
      ]);
    case 8:
      return h2.frame(h2.PING, below(2), 0, Buffer.alloc(8, below(256)));
    case 9:
      return h2.numberFrame(h2.WINDOW_UPDATE, streamId, oneOf([1, 1000, ...(isWild ? [0, 2 ** 31 - 1] : [])]));
    case 10:
      return h2
        .numberFrame(oneOf([h2.RST_STREAM, h2.RST_STREAM, h2.GOAWAY]), below(3) === 0 ? 0 : streamId, below(14), 0)
        .subarray(0, below(9) === 0 ? 15 : undefined);
    default:
      return h2.frame(below(20), below(256), streamId, someBytes(20));
  }
}

/** The bytes of a server: mostly valid, then damaged. */
function input() {
  isWild = below(2) === 0;
  const encoder = new HpackEncoder();
  const frames = [h2.settingsFrame([])];
  for (let i = below(12); i > 0; i--) frames.push(frame(encoder));
  if (isWild && below(8) === 0 && frames.length > 1) frames.splice(below(frames.length), 1);
  if (isWild && below(8) === 0) frames.splice(below(frames.length), 0, oneOf(frames));
  const bytes = Buffer.concat(frames);
  if (below(3) === 0) for (let i = 1 + below(3); i > 0; i--) bytes[below(bytes.length)] = below(256);
  return below(10) === 0 ? bytes.subarray(0, below(bytes.length)) : bytes;
}

/** A socket that keeps what is written, and takes everything at once. */
class FakeSocket extends EventEmitter {
  writable = true;
  written = 0;
  write(bytes, done) {
    this.written += bytes.length;
    if (done !== undefined) queueMicrotask(done);
    return true;
  }
  destroySoon() {
    this.destroy();
  }
  destroy() {
    if (!this.writable) return;
    this.writable = false;
    this.emit('close');
  }
  pause() {}
  resume() {}
  ref() {}
  unref() {}
}

const options = { pingAfterMs: 10_000, pingTimeoutMs: 5_000, maxStreams: 100 };
const url = new URL('http://server.example');

/** Lets the connection write. */
async function ticks() {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => process.nextTick(resolve));
}

/** What the handlers of a connection got from these bytes, cut at random places. */
async function outcomesOf(bytes, most) {
  const socket = new FakeSocket();
  let gone = 0;
  const owner = { onRoom() {}, onGone: () => gone++, onDead() {} };
  const connection = new Http2Connection(socket, new SocketReader(), url, new FakeClock(), options, owner);
  const outcomes = [];
  const exchanges = [];
  for (let i = 0; i < STREAMS; i++) {
    const outcome = { status: 0, body: '', over: '' };
    outcomes.push(outcome);
    // The second stream pauses after each chunk, and continues after each piece.
    const sink = {
      chunk(piece) {
        assert.equal(outcome.over, '', 'a chunk after the end');
        assert.notEqual(outcome.status, 0, 'a chunk before the head');
        outcome.body += Buffer.from(piece).toString('hex');
        return i !== 1;
      },
    };
    const finish = (how) => {
      assert.equal(outcome.over, '', 'two ends');
      outcome.over = how;
    };
    const handler = {
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
    exchanges.push(connection.send({ method: i === 2 ? 'HEAD' : 'GET', target: '/', headers: {} }, handler));
  }
  await ticks();
  const shared = Buffer.alloc(bytes.length);
  for (let at = 0; at < bytes.length; ) {
    const length = Math.min(bytes.length - at, most === 0 ? bytes.length : 1 + below(most));
    bytes.copy(shared, 0, at, at + length);
    socket.emit('data', shared.subarray(0, length));
    exchanges[1].resume();
    at += length;
  }
  await ticks();
  for (let i = 0; i < 50; i++) exchanges[1].resume();
  // At most an answer of 17 bytes for each frame of 9 or more, beside the preface, requests, resets and a GOAWAY.
  assert.ok(socket.written <= 600 + 2 * bytes.length, `wrote ${socket.written} bytes for ${bytes.length}`);
  const isClosed = !socket.writable;
  connection.destroy(new Error('the input is over'));
  assert.equal(gone, 1);
  for (const { over } of outcomes) assert.notEqual(over, '', 'no end');
  return { isClosed, outcomes };
}

/** The same, as the client of node:http2 reads the bytes. */
async function referenceOf(bytes) {
  const wire = new (class extends Duplex {
    _read() {}
    _write(_chunk, _encoding, done) {
      done();
    }
  })();
  const session = connect(url, { createConnection: () => wire });
  session.on('error', () => {});
  const outcomes = [];
  for (let i = 0; i < STREAMS; i++) {
    const outcome = { status: 0, body: '', over: '' };
    outcomes.push(outcome);
    const stream = session.request({ ':path': '/', ':method': i === 2 ? 'HEAD' : 'GET' });
    stream.on('response', (headers) => {
      outcome.status = headers[':status'];
    });
    stream.on('data', (piece) => {
      outcome.body += piece.toString('hex');
    });
    stream.on('end', () => {
      if (stream.rstCode === 0 && !stream.destroyed && outcome.status !== 0) outcome.over = 'end';
    });
    stream.on('error', () => {});
  }
  await new Promise((resolve) => setImmediate(resolve));
  wire.push(Buffer.from(bytes));
  for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve));
  session.destroy();
  return outcomes;
}

/** Without the body of a response that failed: how much of it was handed over before depends on the cuts. */
const comparable = ({ isClosed, outcomes }) => ({
  isClosed,
  outcomes: outcomes.map((outcome) => (outcome.over === 'end' ? outcome : { ...outcome, body: '' })),
});

const seen = { closed: 0, ended: 0, failed: 0, compared: 0, onlyNode: 0 };
const reportAt = Math.max(Math.floor(count / 10), 1);
for (let n = 0; n < count; n++) {
  const seed = firstSeed + n;
  random = seededRandom(seed);
  const bytes = input();
  try {
    const whole = await outcomesOf(bytes, 0);
    assert.deepEqual(
      comparable(await outcomesOf(bytes, oneOf([1, 5, 40]))),
      comparable(whole),
      'another outcome when the bytes are cut',
    );
    if (whole.isClosed) seen.closed++;
    for (const { over } of whole.outcomes) {
      if (over === 'end') seen.ended++;
      else seen.failed++;
    }
    if (n % 20 === 0) {
      for (const [i, expected] of (await referenceOf(bytes)).entries()) {
        if (expected.over !== 'end') continue;
        const outcome = whole.outcomes[i];
        if (outcome.over === 'end') {
          assert.deepEqual(outcome, expected, 'another response than node:http2 reads');
          seen.compared++;
        } else seen.onlyNode++;
      }
    }
  } catch (error) {
    console.error(`seed ${seed}: ${error.message}\n${bytes.toString('hex')}`);
    process.exit(1);
  }
  if ((n + 1) % reportAt === 0) console.log(`${n + 1} inputs: ${JSON.stringify(seen)}`);
}
process.exit(0);
