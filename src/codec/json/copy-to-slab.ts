import type { SlabArena } from '../slab.js';
import { type Member, skipSpace, skipSpaceBack } from './read-json.js';

/** A range of bytes to leave out. */
interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The ranges to leave out so that the given members are gone and the remaining commas are valid. The members must be
 * sorted by the positions of their keys.
 */
export function rangesToDrop(bytes: Buffer, members: readonly Member[]): ByteRange[] {
  const ranges: ByteRange[] = [];
  let done = -1;
  for (const member of members) {
    // Inside a range that is left out already.
    if (member.key < done) continue;
    const before = skipSpaceBack(bytes, member.key - 1);
    let from = member.key;
    let to = member.end;
    if (bytes[before] === 0x2c && before >= done) from = before;
    else {
      // The first remaining member of its object: the comma after it is left out too.
      const after = skipSpace(bytes, member.end);
      if (bytes[after] === 0x2c) to = after + 1;
    }
    ranges.push({ from, to });
    done = to;
  }
  return ranges;
}

/** Where {@link copyToSlab} copied an object to. */
export interface SlabRange {
  slab: ReturnType<SlabArena['reserve']>;
  offset: number;
  length: number;
}

/** Copies the bytes from `from` to `to` into a slab without the dropped ranges, and writes the place to `into`. */
export function copyToSlab(
  into: SlabRange,
  arena: SlabArena,
  bytes: Buffer,
  from: number,
  to: number,
  dropped: readonly ByteRange[],
): void {
  let length = to - from;
  for (const range of dropped) length -= range.to - range.from;
  const slab = arena.reserve(length);
  const target = slab.bytes;
  let at = slab.used;
  into.slab = slab;
  into.offset = at;
  into.length = length;
  let next = from;
  for (const range of dropped) {
    at += copy(bytes, next, range.from, target, at);
    next = range.to;
  }
  at += copy(bytes, next, to, target, at);
  slab.used = at;
}

/** `Buffer.copy` without its checks: this runs once or twice per object. */
function copy(source: Buffer, from: number, to: number, target: Buffer, at: number): number {
  target.set(new Uint8Array(source.buffer, source.byteOffset + from, to - from), at);
  return to - from;
}
