/**
 * What a family of metrics hands out: one number, or one distribution, that is updated in place. Whoever updates often
 * keeps the instrument instead of asking the family for it each time.
 */

/** Counts what has happened; never goes down. */
export class Counter {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  inc(by = 1): void {
    if (!(by >= 0)) throw new RangeError(`a counter only goes up, so it cannot be increased by ${by}`);
    this.#value += by;
  }
}

/** Says how much there is of something at present. */
export class Gauge {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  set(value: number): void {
    this.#value = value;
  }

  inc(by = 1): void {
    this.#value += by;
  }

  dec(by = 1): void {
    this.#value -= by;
  }
}

/** Counts values by size: how many were at most so much, for each of its bounds. */
export class Histogram {
  readonly #bounds: readonly number[];
  // Not cumulative, so that an observation touches one bucket; the text adds them up.
  readonly #counts: Float64Array;
  #sum = 0;
  #count = 0;

  /** `bounds` in ascending order; the last bucket, without a bound, comes by itself. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  get sum(): number {
    return this.#sum;
  }

  get count(): number {
    return this.#count;
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    // There are about a dozen: walking beats halving.
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
    this.#count++;
  }

  /** For each bound, and for infinity at the end, how many values were at most that. */
  cumulative(): { readonly bound: number; readonly count: number }[] {
    let count = 0;
    return Array.from(this.#counts, (own, i) => {
      count += own;
      return { bound: this.#bounds[i] ?? Number.POSITIVE_INFINITY, count };
    });
  }
}
