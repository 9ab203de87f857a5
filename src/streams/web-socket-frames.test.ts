import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/runs.js';
import { seededRandom } from '../time/seeded-random.js';
import { CLOSE_CODES, encodeFrame, FrameReader, OPCODES } from './web-socket-frames.js';

/** The most that a message may have. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** What a reader has found: messages, and control frames with their opcode. */
class Found {
  readonly messages: Buffer[] = [];
  readonly controls: [number, string][] = [];
  data(bytes: Buffer, isFirst: boolean): void {
    if (isFirst) this.messages.push(Buffer.from(bytes));
    else this.messages.push(Buffer.concat([this.messages.pop()!, bytes]));
  }
  control(opcode: number, payload: Buffer): void {
    this.controls.push([opcode, payload.toString('latin1')]);
  }
}

/** Reads bytes in pieces of some lengths, each a copy, since a reader unmasks in place. */
function readIn(
  bytes: Buffer,
  cuts: readonly number[],
  isMasked: boolean,
): { found: Found; problem: number | undefined } {
  const found = new Found();
  const reader = new FrameReader(found, isMasked);
  let at = 0;
  for (let n = 0; at < bytes.length; n++) {
    const length = cuts[n % cuts.length]!;
    const problem = reader.read(Buffer.from(bytes.subarray(at, at + length)));
    if (problem !== undefined) return { found, problem };
    at += length;
  }
  return { found, problem: undefined };
}

/** A frame with any first byte, in the shortest form. */
function frame(first: number, payload: Uint8Array, isMasked: boolean): Buffer {
  const bytes = encodeFrame(first & 0x0f, [payload], isMasked);
  bytes[0] = first;
  return bytes;
}

const payloads = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.constantFrom(125, 126, 65_535, 65_536, 70_001).map((length) => new Uint8Array(length).fill(length)),
);
const cuts = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 20 });

describe('frames', () => {
  it('are read as they were written, masked or not, in any pieces', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(payloads, { maxLength: 3 }), { maxLength: 5 }),
        cuts,
        fc.boolean(),
        (messages, sizes, isMasked) => {
          const bytes = Buffer.concat(messages.map((parts) => encodeFrame(OPCODES.binary, parts, isMasked)));
          const { found, problem } = readIn(bytes, sizes, isMasked);
          expect(problem).toBeUndefined();
          const sent = messages.map((parts) => Buffer.concat(parts)).filter(({ length }) => length > 0);
          expect(found.messages.length).toBe(sent.length);
          for (const [at, message] of sent.entries()) expect(found.messages[at]!.equals(message)).toBe(true);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it('of one message are joined, also around control frames', () => {
    fc.assert(
      fc.property(fc.array(payloads, { minLength: 1, maxLength: 5 }), cuts, (parts, sizes) => {
        const bytes = parts.flatMap((part, at) => {
          const isLast = at === parts.length - 1;
          const first = (isLast ? 0x80 : 0) | (at === 0 ? OPCODES.text : OPCODES.continuation);
          return [frame(first, part, true), encodeFrame(OPCODES.ping, [Buffer.from(`${at}`)], true)];
        });
        const { found, problem } = readIn(Buffer.concat(bytes), sizes, true);
        const whole = Buffer.concat(parts);
        expect(problem).toBeUndefined();
        expect(found.messages.map(({ length }) => length)).toEqual(whole.length === 0 ? [] : [whole.length]);
        expect(Buffer.concat(found.messages).equals(whole)).toBe(true);
        expect(found.controls).toEqual(parts.map((_, at) => [OPCODES.ping, `${at}`]));
      }),
      { numRuns: runs(100) },
    );
  });

  it('of a client differ each time, and those of a server are plain', () => {
    const text = Buffer.from('the same text');
    const masked = [1, 2].map(() => encodeFrame(OPCODES.binary, [text], true).toString('latin1'));
    expect(masked[0]).not.toBe(masked[1]);
    expect(encodeFrame(OPCODES.binary, [text], false).subarray(2).equals(text)).toBe(true);
  });

  it.each([
    ['with a mask of a server', encodeFrame(2, [Buffer.from('x')], true), false, CLOSE_CODES.protocolError],
    ['without a mask of a client', encodeFrame(2, [Buffer.from('x')], false), true, CLOSE_CODES.protocolError],
    ['with reserved bits', frame(0xc2, Buffer.from('x'), true), true, CLOSE_CODES.protocolError],
    ['with an unknown opcode', frame(0x83, Buffer.from('x'), true), true, CLOSE_CODES.protocolError],
    ['with an unknown control opcode', frame(0x8b, Buffer.from('x'), true), true, CLOSE_CODES.protocolError],
    ['that continue nothing', frame(0x80, Buffer.from('x'), true), true, CLOSE_CODES.protocolError],
    ['with a ping in fragments', frame(0x09, Buffer.from('x'), true), true, CLOSE_CODES.protocolError],
    ['with a ping that is too long', frame(0x89, Buffer.alloc(126), true), true, CLOSE_CODES.protocolError],
    ['with half a close code', frame(0x88, Buffer.alloc(1), true), true, CLOSE_CODES.protocolError],
    [
      'with a length of eight bytes beyond all',
      Buffer.from([0x82, 127, ...Array<number>(8).fill(255)]),
      false,
      CLOSE_CODES.tooBig,
    ],
    [
      'that begin a message inside of another',
      Buffer.concat([frame(0x02, Buffer.from('x'), true), frame(0x82, Buffer.from('x'), true)]),
      true,
      CLOSE_CODES.protocolError,
    ],
  ])('%s are refused', (_what, bytes, isMasked, code) => {
    expect(readIn(bytes, [3], isMasked).problem).toBe(code);
  });

  it('may not add up to more than a message may have', () => {
    const reader = new FrameReader(new Found(), false);
    const head = (first: number, length: number): Buffer => {
      const bytes = Buffer.alloc(10);
      bytes[0] = first;
      bytes[1] = 127;
      bytes.writeBigUInt64BE(BigInt(length), 2);
      return bytes;
    };
    expect(reader.read(head(0x02, MAX_MESSAGE_BYTES))).toBeUndefined();
    const sunk = new FrameReader({ data() {}, control() {} }, false);
    expect(sunk.read(head(0x02, 1024))).toBeUndefined();
    expect(sunk.read(Buffer.alloc(1024))).toBeUndefined();
    expect(sunk.read(head(0x80, MAX_MESSAGE_BYTES))).toBe(CLOSE_CODES.tooBig);
  });

  it('of any bytes end in frames or in a code, and keep nothing back but a head or a control frame', () => {
    const random = seededRandom(7);
    for (let round = 0; round < 3000; round++) {
      const bytes = Buffer.from(
        Array.from({ length: 1 + Math.floor(random() * 200) }, () => Math.floor(random() * 256)),
      );
      // Half of the rounds begin with something that looks like a frame.
      if (round % 2 === 0) bytes[0] = 0x80 | (bytes[0]! & 0x0f);
      let passed = 0;
      const reader = new FrameReader(
        { data: (part) => void (passed += part.length), control: (_, part) => void (passed += part.length) },
        round % 4 < 2,
      );
      const problem = reader.read(bytes);
      expect([undefined, 1002, 1009]).toContain(problem);
      expect(passed).toBeLessThanOrEqual(bytes.length);
    }
  });

  it('are no longer read after a stop', () => {
    const found = new Found();
    const reader: FrameReader = new FrameReader(
      {
        data: (bytes, isFirst) => {
          found.data(bytes, isFirst);
          reader.stop();
        },
        control: () => {},
      },
      false,
    );
    const one = encodeFrame(OPCODES.binary, [Buffer.from('x')], false);
    reader.read(Buffer.concat([one, one, one]));
    expect(found.messages).toHaveLength(1);
  });
});
