import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { ByteReader, ByteWriter, MalformedBytesError } from './bytes.js';
import { readDelta, writeDelta } from './object-delta.js';

const LIMIT = 1 << 20;

function deltaOf(old: Uint8Array, next: Uint8Array): Buffer {
  const out = new ByteWriter();
  writeDelta(out, old, next);
  return Buffer.from(out.bytes);
}

/** Texts that share parts, as two states of an object do. */
const texts = fc
  .array(
    fc.constantFrom(
      '"metadata":{',
      '"name":"web-0",',
      '"resourceVersion":"12"',
      '{"time":"2026-01-01T00:00:00Z"}',
      'x',
      '"',
      '',
    ),
    {
      maxLength: 40,
    },
  )
  .map((parts) => Buffer.from(parts.join('')));

it('makes the new text of the old one, whatever they are', () => {
  const anyText = fc.oneof(texts, fc.uint8Array({ maxLength: 400 }).map(Buffer.from));
  fc.assert(
    fc.property(anyText, anyText, (old, next) => {
      const from = new ByteReader(deltaOf(old, next));
      expect(readDelta(from, old, LIMIT).equals(next)).toBe(true);
      expect(from.isAtEnd).toBe(true);
    }),
    { numRuns: runs(500) },
  );
});

it('is small if a few values change', () => {
  const pod = (version: number, ready: boolean): string =>
    JSON.stringify({
      metadata: { name: 'web-0', resourceVersion: String(version), labels: { app: 'web', tier: 'front' } },
      spec: { containers: Array.from({ length: 20 }, (_, i) => ({ name: `c${i}`, image: `image-${i * 7919}` })) },
      status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', at: `10:00:0${version % 10}` }] },
    });
  const [old, next] = [Buffer.from(pod(100, false)), Buffer.from(pod(203, true))];
  expect(next.length).toBeGreaterThan(900);
  expect(deltaOf(old, next).length).toBeLessThan(50);
  expect(deltaOf(old, old).length).toBeLessThan(8);
});

it('refuses bytes that it has not written, without reading beyond them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), texts, (bytes, old) => {
      try {
        expect(readDelta(new ByteReader(Buffer.from(bytes)), old, 1000).length).toBeLessThanOrEqual(1000);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedBytesError);
      }
    }),
    { numRuns: runs(500) },
  );
  const huge = new ByteWriter();
  huge.number(2 ** 40);
  expect(() => readDelta(new ByteReader(huge.bytes), Buffer.alloc(0), LIMIT)).toThrow(
    /an object has 1099511627776 bytes/,
  );
});

it('keeps numbers of any size and sign', () => {
  const numbers = fc.array(fc.integer({ min: -(2 ** 51), max: 2 ** 51 }));
  fc.assert(
    fc.property(numbers, (values) => {
      const out = new ByteWriter();
      for (const value of values) {
        out.signed(value);
        out.number(Math.abs(value));
      }
      const from = new ByteReader(out.bytes);
      for (const value of values) {
        expect(from.signed()).toBe(value);
        expect(from.number()).toBe(Math.abs(value));
      }
      expect(from.isAtEnd).toBe(true);
    }),
  );
  expect(() => new ByteReader(Buffer.alloc(9, 0xff)).number()).toThrow(MalformedBytesError);
});
