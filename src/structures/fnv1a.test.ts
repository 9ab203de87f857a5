import { describe, expect, it } from 'vitest';
import { seededRandom } from '../time/seeded-random.js';
import { fnv1a } from './fnv1a.js';

const hex = (text: string): string => {
  const { high, low } = fnv1a(Buffer.from(text));
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
};

describe('fnv1a', () => {
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
    ['default', 'ebada5168620c5fe'],
    ['3d1f2c1e-6a0b-4f5e-9d3c-0a1b2c3d4e5f', reference('3d1f2c1e-6a0b-4f5e-9d3c-0a1b2c3d4e5f')],
  ])('of %j is %s', (text, hash) => {
    expect(hex(text)).toBe(hash);
  });

  it('is that of 64-bit numbers, also for parts of buffers', () => {
    const random = seededRandom(3);
    for (let i = 0; i < 300; i++) {
      const text = Array.from({ length: i % 60 }, () => String.fromCodePoint(1 + Math.floor(random() * 0xd000))).join(
        '',
      );
      expect(hex(text)).toBe(reference(text));
    }
    const { high, low } = fnv1a(Buffer.from('xxfoobarxx'), 2, 8);
    expect([high, low]).toEqual([0x85944171, 0xf73967e8]);
  });
});

function reference(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
