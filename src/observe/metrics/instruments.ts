/** A metric that only increases. */
export class Counter {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  inc(by = 1): void {
    if (!(by >= 0)) throw new RangeError(`a counter only increases, so inc(${by}) is not allowed`);
    this.#value += by;
  }
}

/** A metric with a current value. */
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

/** A metric that counts values in buckets: for each bound, how many values were at most that. */
export class Histogram {
  readonly #bounds: readonly number[];
  // Not cumulative, so that `observe` writes one bucket; `cumulative` adds them up.
  readonly #counts: Float64Array;
  #sum = 0;
  #count = 0;

  /** @param bounds in ascending order; a last bucket without a bound is added */
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
    // A linear search is faster than a binary one for about a dozen bounds.
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
    this.#count++;
  }

  /** For each bound, and for Infinity at the end, how many values were at most that. */
  cumulative(): { readonly bound: number; readonly count: number }[] {
    let count = 0;
    return Array.from(this.#counts, (own, i) => {
      count += own;
      return { bound: this.#bounds[i] ?? Number.POSITIVE_INFINITY, count };
    });
  }
}
