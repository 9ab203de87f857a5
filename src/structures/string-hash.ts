import { randomInt } from 'node:crypto';

// Chosen anew by every process, so that nobody can name objects in such a way that their keys collide.
const seed = randomInt(2 ** 32) | 0;
/** Odd, so that no bit gets lost; the 5 keeps it away from factors that mix little. */
const factor = (8 * randomInt(2 ** 29) + 5) | 0;

/**
 * 32 bits that depend on every character: thousands of keys may have their beginning or their end in common.
 *
 * Multiplying carries bits upwards only. Without the shift, which brings them down again for every character, there are names
 * that collide whatever the factor is: those in which two letters follow each other as in the Thue-Morse sequence.
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
