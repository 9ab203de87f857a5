import assert from 'node:assert/strict';
import { constants, deflateSync } from 'node:zlib';
import { SpdyConnection, type SpdyPipe } from '../../../src/streams/spdy-connection.js';
import { SPDY_DICTIONARY } from '../../../src/streams/spdy-dictionary.js';
import {
  CLOSE_CODES,
  encodeFrame,
  FrameReader,
  MAX_CONTROL_BYTES,
  OPCODES,
} from '../../../src/streams/web-socket-frames.js';
import { mutateBytes } from '../mutate.js';
import type { Random } from '../random.js';
import { inPieces, target } from '../target.js';

interface Frames {
  readonly isMasked: boolean;
  readonly bytes: Uint8Array;
  readonly cuts: readonly number[];
}

/** A frame with any flags, which `encodeFrame` does not make. */
function oddFrame(random: Random, isMasked: boolean): Buffer {
  const payload = random.bytes(random.oneIn(10) ? 300 : 12);
  const first = random.oneIn(4)
    ? random.below(256)
    : random.pick([0x00, 0x80, 0x01, 0x02, 0x81, 0x82, 0x88, 0x89, 0x8a]);
  const mask = isMasked !== random.oneIn(20) ? Buffer.from([1, 2, 3, random.below(256)]) : Buffer.alloc(0);
  const flag = mask.length > 0 ? 0x80 : 0;
  const head =
    payload.length < 126 && !random.oneIn(20)
      ? Buffer.from([first, flag | payload.length])
      : Buffer.from([first, flag | 126, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, mask, payload]);
}

/** What a reader hands over, one entry for each message part and control frame. */
function readFrames({ isMasked, bytes, cuts }: Frames): { events: string[]; code: number | undefined } {
  const events: string[] = [];
  let message: string | undefined;
  const reader = new FrameReader(
    {
      data(part, isFirst) {
        assert.ok(part.length > 0);
        message =
          (isFirst ? 'message:' : (message ?? assert.fail('a part without a beginning'))) + part.toString('latin1');
        if (!isFirst) events.pop();
        events.push(message);
      },
      control(opcode, payload) {
        assert.ok(payload.length <= MAX_CONTROL_BYTES);
        events.push(`${opcode}:${payload.toString('latin1')}`);
        // A message goes on after a control frame in the middle of it; joined, the order of both differs by where it is cut.
        if (message !== undefined) events.push((message = 'rest:'));
      },
    },
    isMasked,
  );
  let code: number | undefined;
  inPieces(bytes, cuts, (piece) => {
    // The reader unmasks in place, and owns what it gets.
    code ??= reader.read(Buffer.from(piece));
  });
  return { events, code };
}

/** The same from all bytes at once. */
function referenceFrames({ isMasked, bytes }: Frames): { events: string[]; code: number | undefined } {
  const all = Buffer.from(bytes);
  const events: string[] = [];
  let at = 0;
  let isOpen = false;
  let message: string | undefined;
  const add = (text: string, isFirst: boolean): void => {
    if (text === '') return;
    message = (isFirst || message === undefined ? 'message:' : message) + text;
    if (!isFirst) events.pop();
    events.push(message);
  };
  let isFirst = false;
  while (at + 2 <= all.length) {
    const [first, second] = [all[at] as number, all[at + 1] as number];
    const short = second & 0x7f;
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    const hasMask = (second & 0x80) !== 0;
    const begin = at + 2 + lengthBytes + (hasMask ? 4 : 0);
    if (begin > all.length) break;
    const length = lengthBytes === 0 ? short : Number(BigInt(`0x${all.toString('hex', at + 2, at + 2 + lengthBytes)}`));
    const opcode = first & 0x0f;
    const isFinal = first >= 0x80;
    const isControl = opcode >= 8;
    const isWrong =
      (first & 0x70) !== 0 ||
      hasMask !== isMasked ||
      (isControl
        ? opcode > 10 || length > 125 || !isFinal || (opcode === 8 && length === 1)
        : opcode > 2 || (opcode === 0) !== isOpen);
    if (isWrong) return { events, code: CLOSE_CODES.protocolError };
    if (!isControl && length > 64 * 1024 * 1024) return { events, code: CLOSE_CODES.tooBig };
    const payload = Buffer.from(all.subarray(begin, begin + length));
    if (hasMask) for (let i = 0; i < payload.length; i++) payload[i]! ^= all[begin - 4 + (i & 3)] as number;
    if (opcode === 1 || opcode === 2) isFirst = true;
    const isWhole = begin + length <= all.length;
    if (!isControl) {
      if (payload.length > 0) {
        add(payload.toString('latin1'), isFirst);
        isFirst = false;
      }
      isOpen = !(isWhole && isFinal);
    } else if (isWhole) {
      events.push(`${opcode}:${payload.toString('latin1')}`);
      if (message !== undefined) events.push((message = 'rest:'));
    }
    if (!isWhole) break;
    at = begin + length;
  }
  return { events, code: undefined };
}

/** Limits of the SPDY target: what a peer may make the process write and keep. */
const MOST_STREAMS = 20;

class Pipe implements SpdyPipe {
  written = 0;
  isClosed = false;

  write(bytes: Uint8Array): boolean {
    this.written += bytes.length;
    return true;
  }

  onDrain(): void {}
  pause(): void {}
  resume(): void {}

  close(): void {
    this.isClosed = true;
  }
}

function spdyControl(type: number, flags: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(0x8003, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(((flags << 24) | payload.length) >>> 0, 4);
  return Buffer.concat([head, payload]);
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, 4 * at);
  return bytes;
}

function headerBlock(random: Random): Buffer {
  const fields = random
    .list(0, 3, () => [
      random.pick(['streamtype', 'Port', '__proto__', '']),
      random.pick(['stdin', 'error', '8080', 'ä']),
    ])
    .flat();
  const block = Buffer.concat([
    uint32(random.oneIn(20) ? random.next() : fields.length / 2),
    ...fields.map((text) => Buffer.concat([uint32(Buffer.byteLength(text)), Buffer.from(text)])),
  ]);
  return deflateSync(block, { dictionary: SPDY_DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH });
}

function spdyFrame(random: Random, isFirstStream: () => boolean): Buffer {
  const id = 1 + 2 * random.below(3) + (random.oneIn(20) ? 1 : 0);
  switch (random.below(7)) {
    case 0:
    case 1:
      // One inflater reads all headers: a second block that begins a new zlib stream is damaged.
      if (!isFirstStream() && !random.oneIn(10)) return spdyControl(6, 0, uint32(2));
      return spdyControl(
        1,
        random.oneIn(5) ? 1 : 0,
        Buffer.concat([uint32(id, 0), Buffer.alloc(2), headerBlock(random)]),
      );
    case 2:
    case 3: {
      const data = random.bytes(20);
      return Buffer.concat([uint32(id, ((random.oneIn(4) ? 1 << 24 : 0) | data.length) >>> 0), data]);
    }
    case 4:
      return spdyControl(3, 0, uint32(id, random.below(9)));
    case 5:
      return spdyControl(6, 0, uint32(random.next()));
    default:
      return spdyControl(random.below(10), random.below(2), random.bytes(14));
  }
}

export const streamTargets = [
  target(
    'web-socket-frames',
    'reads the messages that a reader of all bytes at once reads, wherever they are cut',
    (random) => {
      const isMasked = random.oneIn(2);
      const frames = random.list(1, 5, () => {
        if (random.oneIn(2)) return oddFrame(random, isMasked);
        const opcode = random.pick([OPCODES.text, OPCODES.binary, OPCODES.ping, OPCODES.close]);
        return encodeFrame(opcode, [random.bytes(20), random.bytes(5)], isMasked);
      });
      const bytes = Buffer.concat(frames);
      return { isMasked, bytes: random.oneIn(4) ? mutateBytes(random, bytes) : bytes, cuts: random.cuts() };
    },
    (input: Frames) => {
      const outcome = readFrames(input);
      assert.deepEqual(outcome, referenceFrames(input));
      return outcome.code === undefined && outcome.events.length > 0;
    },
  ),

  target(
    'spdy-frames',
    'closes or reads on; writes and keeps no more than the frames are worth',
    (random) => {
      let streams = 0;
      const bytes = Buffer.concat(random.list(1, 8, () => spdyFrame(random, () => streams++ === 0)));
      return { bytes: random.oneIn(4) ? mutateBytes(random, bytes) : bytes, cuts: random.cuts() };
    },
    async ({ bytes, cuts }: { bytes: Uint8Array; cuts: readonly number[] }) => {
      const pipe = new Pipe();
      let streams = 0;
      let received = 0;
      const connection = new SpdyConnection(pipe, (stream) => {
        streams++;
        assert.equal(Object.getPrototypeOf(stream.headers), Object.prototype);
        stream.on('data', (chunk: Buffer) => (received += chunk.length));
      });
      inPieces(bytes, cuts, (piece) => connection.receive(Buffer.from(piece)));
      // Headers are unpacked in a thread of zlib.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      assert.ok(streams <= MOST_STREAMS && received <= bytes.length);
      assert.ok(pipe.written <= 200 + 12 * bytes.length, `wrote ${pipe.written} bytes`);
      const isOpen = !pipe.isClosed;
      connection.close();
      assert.ok(pipe.isClosed);
      return isOpen;
    },
  ),
];
