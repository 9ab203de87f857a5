import type { Random } from './random.js';

/** Bytes that parsers treat in special ways: limits of numbers, separators, quotes, the start of long UTF-8. */
const special = [
  0, 1, 9, 10, 13, 0x20, 0x22, 0x27, 0x2c, 0x2d, 0x2f, 0x3a, 0x3b, 0x5c, 0x7b, 0x7d, 0x7f, 0x80, 0xc3, 0xe2, 0xf0, 0xff,
];

/** Changes, removes, repeats or inserts single bytes and short ranges, up to four times. */
export function mutateBytes(random: Random, bytes: Uint8Array): Buffer {
  let changed = Buffer.from(bytes);
  for (let left = 1 + random.below(4); left > 0; left--) {
    const at = random.below(changed.length + 1);
    const length = random.below(random.oneIn(4) ? 40 : 4);
    switch (random.below(8)) {
      case 0:
      case 1:
        if (at < changed.length) changed[at] = random.next();
        break;
      case 2:
        if (at < changed.length) changed[at] = random.pick(special);
        break;
      case 3:
        if (at < changed.length) changed[at]! ^= 1 << random.below(8);
        break;
      case 4:
        changed = Buffer.concat([changed.subarray(0, at), changed.subarray(at + length)]);
        break;
      case 5:
        changed = Buffer.concat([changed.subarray(0, at), changed.subarray(at, at + length), changed.subarray(at)]);
        break;
      case 6:
        changed = Buffer.concat([changed.subarray(0, at), Buffer.from([random.pick(special)]), changed.subarray(at)]);
        break;
      default:
        if (random.oneIn(3)) changed = changed.subarray(0, at);
    }
  }
  return changed;
}

/** The same for a text, with characters and with words of its language. */
export function mutateText(random: Random, text: string, words: readonly string[]): string {
  let changed = text;
  for (let left = 1 + random.below(3); left > 0; left--) {
    const at = random.below(changed.length + 1);
    const length = random.below(random.oneIn(4) ? 30 : 4);
    switch (random.below(6)) {
      case 0:
        changed = changed.slice(0, at) + changed.slice(at + length);
        break;
      case 1:
        changed = changed.slice(0, at) + changed.slice(at, at + length) + changed.slice(at);
        break;
      case 2:
        changed = changed.slice(0, at) + random.pick(words) + changed.slice(at);
        break;
      case 3:
        changed = changed.slice(0, at) + random.pick(words) + changed.slice(at + length);
        break;
      case 4:
        changed = changed.slice(0, at) + someCharacter(random) + changed.slice(at + 1);
        break;
      default:
        if (random.oneIn(4)) changed = changed.slice(0, at);
    }
  }
  return changed;
}

/** A character of any length in UTF-8, now and then half of a pair of surrogates. */
export function someCharacter(random: Random): string {
  switch (random.below(8)) {
    case 0:
      return String.fromCharCode(random.below(0x20));
    case 1:
      return random.pick(['ä', 'ß', '\u0085', '\u00a0', '\u07ff']);
    case 2:
      return random.pick(['\u2028', '\ufeff', '\uffff', '€', '\u0800', '\ufffd']);
    case 3:
      return random.pick(['😀', '\u{10ffff}', '\ud800', '\udc00']);
    default:
      return String.fromCharCode(0x20 + random.below(0x60));
  }
}
