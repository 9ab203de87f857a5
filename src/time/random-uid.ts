import type { Clock } from './clock.js';

/**
 * A UUID of version 4 from `clock.random()`: under a seeded clock it is the same in every run. It is an identifier and not
 * a secret, because `random()` is predictable.
 */
export function randomUid(clock: Clock): string {
  let hex = '';
  while (hex.length < 32) {
    const word = Math.floor(clock.random() * 0x1_0000_0000);
    hex += word.toString(16).padStart(8, '0');
  }
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
