import type { SlabArena } from '../slab.js';
import { type Member, skipSpace, skipSpaceBack } from './bytes.js';

/** A stretch of bytes to leave out. */
interface Cut {
  readonly from: number;
  readonly to: number;
}

/**
 * What to leave out so that the given members are gone and the commas between the others still fit. Members must be in
 * the order of their keys.
 */
export function cutsOf(bytes: Buffer, members: readonly Member[]): Cut[] {
  const cuts: Cut[] = [];
  let done = -1;
  for (const member of members) {
    // Inside of something that is left out already.
    if (member.key < done) continue;
    const before = skipSpaceBack(bytes, member.key - 1);
    let from = member.key;
    let to = member.end;
    if (bytes[before] === 0x2c && before >= done) from = before;
    else {
      // The first one that is left of its object: the comma behind it goes with it.
      const after = skipSpace(bytes, member.end);
      if (bytes[after] === 0x2c) to = after + 1;
    }
    cuts.push({ from, to });
    done = to;
  }
  return cuts;
}

/** A place in a slab that something was copied to. */
export interface Placed {
  slab: ReturnType<SlabArena['reserve']>;
  offset: number;
  length: number;
}

/** Copies a stretch of bytes into a slab, leaving out what is to be cut. */
export function place(
  into: Placed,
  arena: SlabArena,
  bytes: Buffer,
  from: number,
  to: number,
  cuts: readonly Cut[],
): void {
  let length = to - from;
  for (const cut of cuts) length -= cut.to - cut.from;
  const slab = arena.reserve(length);
  const target = slab.bytes;
  let at = slab.used;
  into.slab = slab;
  into.offset = at;
  into.length = length;
  let next = from;
  for (const cut of cuts) {
    at += copy(bytes, next, cut.from, target, at);
    next = cut.to;
  }
  at += copy(bytes, next, to, target, at);
  slab.used = at;
}

/** `Buffer.copy` without its checks: this runs once or twice for every object. */
function copy(source: Buffer, from: number, to: number, target: Buffer, at: number): number {
  target.set(new Uint8Array(source.buffer, source.byteOffset + from, to - from), at);
  return to - from;
}
