import type { Flow } from '../protocol.js';

/** The numbers of a {@link Meter} since they were last taken, and since it was made. */
export type Measured = Omit<Flow, 'depth'>;

/** What a stage without a meter has measured: nothing has passed it. */
export const nothingMeasured: Measured = { rate: 0, lagMs: null, errors: 0, errorsTotal: 0, total: 0 };

/** Counts what passes a stage. An update is a few additions: it happens with every event. */
export class Meter {
  total = 0;
  errorsTotal = 0;
  #totalBefore = 0;
  #errorsBefore = 0;
  #lagMs = -1;

  /** Something has passed, and had this delay. */
  pass(lagMs: number): void {
    this.total++;
    if (lagMs > this.#lagMs) this.#lagMs = lagMs;
  }

  /** Something has passed whose delay is not known. */
  count(): void {
    this.total++;
  }

  /** The delay of something that was counted otherwise. */
  delay(lagMs: number): void {
    if (lagMs > this.#lagMs) this.#lagMs = lagMs;
  }

  fail(): void {
    this.errorsTotal++;
  }

  /** The numbers since the last call. */
  take(seconds: number): Measured {
    const { total, errorsTotal } = this;
    const measured: Measured = {
      rate: (total - this.#totalBefore) / seconds,
      lagMs: this.#lagMs < 0 ? null : this.#lagMs,
      errors: errorsTotal - this.#errorsBefore,
      errorsTotal,
      total,
    };
    this.#totalBefore = total;
    this.#errorsBefore = errorsTotal;
    this.#lagMs = -1;
    return measured;
  }
}

/** Counts events of one kind beside those of a {@link Meter}. */
export class RateCounter {
  total = 0;
  #before = 0;

  /** Per second, since the last call. */
  take(seconds: number): number {
    const rate = (this.total - this.#before) / seconds;
    this.#before = this.total;
    return rate;
  }
}

/** The values that are made on first use, by name; at most a number of them, because names may come from anywhere. */
export class Named<V> {
  readonly #values = new Map<string, V>();
  /** The name that was asked for last, and its value: most often it is the next one too. */
  #lastName: string | undefined;
  #lastValue: V | undefined;
  readonly #make: () => V;
  readonly #most: number;

  constructor(make: () => V, most = 1000) {
    this.#make = make;
    this.#most = most;
  }

  /** Names beyond the limit share one value. */
  of(name: string): V {
    if (name !== this.#lastName) {
      this.#lastValue = this.#values.get(name) ?? this.#add(name);
      this.#lastName = name;
    }
    return this.#lastValue as V;
  }

  #add(name: string): V {
    const kept = this.#values.size < this.#most ? name : '';
    const value = this.#values.get(kept) ?? this.#make();
    this.#values.set(kept, value);
    return value;
  }

  get(name: string): V | undefined {
    return this.#values.get(name);
  }

  get names(): readonly string[] {
    return [...this.#values.keys()];
  }
}

/** The values that are made on first use, by object. Weak: a program may make informers and handlers all the time. */
export class OfObjects<K extends object, V> {
  readonly #values = new WeakMap<K, V>();
  readonly #make: () => V;
  /** The object that was asked for last, and its value: most often it is the next one too. */
  #lastKey: K | undefined;
  #lastValue: V | undefined;

  constructor(make: () => V) {
    this.#make = make;
  }

  of(key: K): V {
    if (key !== this.#lastKey) {
      let value = this.#values.get(key);
      if (value === undefined) this.#values.set(key, (value = this.#make()));
      this.#lastKey = key;
      this.#lastValue = value;
    }
    return this.#lastValue as V;
  }
}
