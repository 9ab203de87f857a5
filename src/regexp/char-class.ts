/** A set of code points. */
export interface CharClass {
  has(codePoint: number): boolean;
}

/** Pairs of first and last code points. */
export type Ranges = readonly number[];

/** The members of a class between brackets, and of the classes that it names. */
export class CharClassBuilder implements CharClass {
  #ranges: number[] = [];
  readonly #parts: CharClass[] = [];

  /** @param fold whether the class matches letters of either case */
  constructor(readonly fold: boolean) {}

  addRange(first: number, last: number): void {
    this.#ranges.push(first, last);
  }

  addClass(part: CharClass): void {
    this.#parts.push(part);
  }

  /** Sorts and joins the ranges, so that long classes are searched in few steps. */
  finish(negated: boolean): CharClass {
    const pairs: [number, number][] = [];
    for (let i = 0; i < this.#ranges.length; i += 2)
      pairs.push([this.#ranges[i] as number, this.#ranges[i + 1] as number]);
    pairs.sort((a, b) => a[0] - b[0]);
    const joined: number[] = [];
    for (const [first, last] of pairs) {
      const end = joined.at(-1);
      if (end !== undefined && first <= end + 1) joined[joined.length - 1] = Math.max(end, last);
      else joined.push(first, last);
    }
    this.#ranges = joined;
    return negated ? negate(this) : this;
  }

  has(codePoint: number): boolean {
    if (this.#parts.some((part) => part.has(codePoint))) return true;
    if (!this.fold) return this.#search(codePoint);
    return foldsOf(codePoint).some((same) => this.#search(same));
  }

  #search(codePoint: number): boolean {
    let low = 0;
    let high = this.#ranges.length / 2 - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (codePoint < (this.#ranges[2 * middle] as number)) high = middle - 1;
      else if (codePoint > (this.#ranges[2 * middle + 1] as number)) low = middle + 1;
      else return true;
    }
    return false;
  }
}

export function negate(charClass: CharClass): CharClass {
  return { has: (codePoint) => !charClass.has(codePoint) };
}

/** Groups of letters that are equal without case, where upper and lower case do not lead from each to all others. */
const orbitTable =
  '212a 4b 6b|17f 53 73|39c 3bc b5|212b c5 e5|1e9e df|1c4 1c5 1c6|1c7 1c8 1c9|1ca 1cb 1cc|1f1 1f2 1f3|1fbe 345 399 3b9|392 3b2 3d0|395 3b5 3f5|398 3b8 3d1 3f4|39a 3ba 3f0|3a0 3c0 3d6|3a1 3c1 3f1|3a3 3c2 3c3|3a6 3c6 3d5|2126 3a9 3c9|1c80 412 432|1c81 414 434|1c82 41e 43e|1c83 421 441|1c84 1c85 422 442|1c86 42a 44a|1c87 462 463|1c88 a64a a64b|1e60 1e61 1e9b';
const orbits = new Map<number, readonly number[]>();

/** The code points that are equal to this one if case does not matter, itself among them. */
function foldsOf(codePoint: number): readonly number[] {
  if (orbits.size === 0)
    for (const group of orbitTable.split('|')) {
      const members = group.split(' ').map((hex) => Number.parseInt(hex, 16));
      for (const member of members) orbits.set(member, members);
    }
  const orbit = orbits.get(codePoint);
  if (orbit !== undefined) return orbit;
  // The Turkish letters are equal to themselves only: their other case is a letter of its own.
  if (codePoint === 0x130 || codePoint === 0x131) return [codePoint];
  const text = String.fromCodePoint(codePoint);
  return [codePoint, singleCodePoint(text.toLowerCase()), singleCodePoint(text.toUpperCase())];
}

function singleCodePoint(text: string): number {
  const codePoint = text.codePointAt(0) as number;
  return text.length === (codePoint > 0xffff ? 2 : 1) ? codePoint : -1;
}
