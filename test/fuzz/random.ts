/** Random numbers of one input. The same seed gives the same numbers on every machine; the algorithm is mulberry32. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number of 32 bits, not negative. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A whole number from 0 to `limit`, which is excluded. */
  below(limit: number): number {
    return this.next() % limit;
  }

  /** True once in `n` calls on average. */
  oneIn(n: number): boolean {
    return this.next() % n === 0;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.next() % list.length] as T;
  }

  /** A list of `least` to `most` entries. */
  list<T>(least: number, most: number, entry: () => T): T[] {
    const list: T[] = [];
    for (let left = least + this.below(most - least + 1); left > 0; left--) list.push(entry());
    return list;
  }

  /** Entries one after the other, as one text. */
  text(least: number, most: number, parts: readonly string[]): string {
    let text = '';
    for (let left = least + this.below(most - least + 1); left > 0; left--) text += this.pick(parts);
    return text;
  }

  bytes(most: number): Buffer {
    const bytes = Buffer.allocUnsafe(this.below(most + 1));
    for (let at = 0; at < bytes.length; at++) bytes[at] = this.next();
    return bytes;
  }

  /** Where to cut a stream: the lengths of its chunks, to be repeated. */
  cuts(): number[] {
    if (this.oneIn(10)) return [1];
    const most = this.pick([3, 20, 200]);
    return this.list(1, 4, () => 1 + this.below(most));
  }
}
