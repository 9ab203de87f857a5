/** A call of a handler with a state of an object. */
export interface RecordedCall {
  /** The subscription of the handler. */
  readonly subscription: { readonly name: string };
  /** In ms since 1970. */
  readonly at: number;
  readonly lagMs: number | undefined;
  readonly durationMs: number;
  readonly error: string | undefined;
}

/** The calls that are kept: a power of two. */
const capacity = 65_536;
/** The longest duration that fits into a column, in ms. */
const longestMs = 2_000_000;

/**
 * The last calls of handlers, in columns: there is one for each event and handler, and an object for each would be copied by the garbage
 * collector.
 */
export class CallRing {
  readonly #since: number;
  readonly #changes: Float64Array = new Float64Array(capacity);
  readonly #subscriptions: ({ readonly name: string } | undefined)[] = new Array(capacity).fill(undefined);
  readonly #at: Int32Array = new Int32Array(capacity);
  readonly #lags: Float32Array = new Float32Array(capacity);
  readonly #durations: Float32Array = new Float32Array(capacity);
  /** The errors of failed calls, by their places. */
  readonly #errors = new Map<number, string>();
  #next = 0;

  /** @param since the time from which calls count, in ms since 1970 */
  constructor(since: number) {
    this.#since = since;
  }

  /** @param change the number of the change whose state the handler got, from 1 on */
  add(
    change: number,
    subscription: { readonly name: string },
    startedAt: number,
    lagMs: number | undefined,
    durationMs: number,
    error: string | undefined,
  ): void {
    const place = this.#next;
    this.#next = (place + 1) & (capacity - 1);
    this.#changes[place] = change;
    this.#subscriptions[place] = subscription;
    this.#at[place] = startedAt - this.#since;
    this.#lags[place] = lagMs ?? -1;
    this.#durations[place] = Math.min(durationMs, longestMs);
    if (error !== undefined) this.#errors.set(place, error);
    else if (this.#errors.size > 0) this.#errors.delete(place);
  }

  /** The calls with the states of some changes, by the numbers of these, oldest first. Looks at all calls. */
  of(changes: ReadonlySet<number>): ReadonlyMap<number, readonly RecordedCall[]> {
    const found = new Map<number, RecordedCall[]>();
    for (let i = 0; i < capacity; i++) {
      const place = (this.#next + i) & (capacity - 1);
      const change = this.#changes[place] as number;
      const subscription = this.#subscriptions[place];
      if (subscription === undefined || !changes.has(change)) continue;
      const lagMs = this.#lags[place] as number;
      const call: RecordedCall = {
        subscription,
        at: this.#since + (this.#at[place] as number),
        lagMs: lagMs < 0 ? undefined : lagMs,
        durationMs: this.#durations[place] as number,
        error: this.#errors.get(place),
      };
      const calls = found.get(change);
      if (calls === undefined) found.set(change, [call]);
      else calls.push(call);
    }
    return found;
  }
}
