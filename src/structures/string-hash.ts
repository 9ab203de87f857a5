import { randomInt } from 'node:crypto';

// Random per process, so that objects cannot be given names whose keys collide.
const seed = randomInt(2 ** 32) | 0;
/** Odd, because an even factor loses bits; 5 modulo 8 excludes factors that mix little. */
const factor = (8 * randomInt(2 ** 29) + 5) | 0;

/**
 * A 32-bit hash of all characters, because thousands of keys may share a prefix or a suffix.
 *
 * Multiplication moves bits upwards only, and the shift moves them down again. Without it, strings of two letters in a
 * Thue-Morse sequence collide for every factor.
 */
export function hashOf(text: string): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), factor);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, factor);
  return hash ^ (hash >>> 13);
}
