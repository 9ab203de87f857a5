import { Heap } from '../../../structures/heap.js';
import type { Clock, Timer } from '../../../time/clock.js';

/** Items that are handed over at a later time. One timer waits for the earliest of them, whatever their number. */
export class DueItems {
  readonly #clock: Clock;
  readonly #handOver: (item: string) => void;
  readonly #items = new Heap<string, string>();
  #timer: Timer | undefined;
  #timerDue = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, handOver: (item: string) => void) {
    this.#clock = clock;
    this.#handOver = handOver;
  }

  /** Hands over an item after `ms`, or earlier if it is due earlier already. */
  add(item: string, ms: number): void {
    const due = this.#clock.monotonicNow() + Math.max(0, ms);
    const known = this.#items.rankOf(item);
    if (known !== undefined && known <= due) return;
    this.#items.set(item, item, due);
    this.#wait();
  }

  /** How soon the first of the items that count is due, in ms; Infinity if there is none. */
  nextInMs(counts: (item: string) => boolean): number {
    const next = this.#items.sorted().find(counts);
    if (next === undefined) return Number.POSITIVE_INFINITY;
    return (this.#items.rankOf(next) ?? 0) - this.#clock.monotonicNow();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #wait(): void {
    const due = this.#items.firstRank;
    if (due === undefined || due >= this.#timerDue) return;
    this.#timer?.cancel();
    this.#timerDue = due;
    // It must not keep the process alive: only the storage changes.
    this.#timer = this.#clock.setTimer(Math.max(0, due - this.#clock.monotonicNow()), () => this.#fire(), {
      keepAlive: false,
    });
  }

  #fire(): void {
    this.#timerDue = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonicNow();
    while ((this.#items.firstRank ?? Number.POSITIVE_INFINITY) <= now) this.#handOver(this.#items.pop()!);
    this.#wait();
  }
}
