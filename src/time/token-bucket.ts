import type { Abortable } from '../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { requireInteger, requireNumber } from '../meta/options/validate.js';
import type { Clock, Timer } from './clock.js';
import { onAbort } from './signals.js';

/** Options of {@link TokenBucket}. */
export interface TokenBucketOptions {
  /** Tokens that are added per second. */
  readonly qps: number;
  /** Tokens that a full bucket holds. */
  readonly burst: number;
}

const tokenBucketNames: OptionNames<TokenBucketOptions> = { qps: true, burst: true };

interface Waiter {
  /** The value of {@link TokenBucket.#next} that this waiter took; it decides when the token may be used. */
  slot: number;
  readonly proceed: () => void;
}

/** A shorter delay, below one nanosecond, is a rounding error of a division. */
const ROUNDING_MS = 1e-6;

/**
 * A rate limiter that allows `burst` calls at once and `qps` per second after that.
 *
 * Instead of counting tokens it keeps one point in time, `#next`, which each token moves `1000 / qps` ms ahead. A token is
 * free while that point is less than a full bucket ahead of now.
 *
 * ```
 *              now                    #next
 *   ────────────┼──────┬──────┬──────┬──┼─────▶ t      burst 5: three tokens are out, so two are free
 *               │◀──── interval each ──▶│
 *               │◀──── burst × interval ────▶│
 * ```
 *
 * Reservations may take any number of future tokens. Waiters are served in order; when one aborts, those behind it move up.
 * Time is measured with the monotonic clock; if even that goes back, the number of tokens does not change.
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  /** How far ahead of now `#next` may be while there is still a token. */
  readonly #slackMs: number;
  readonly #waiters: Waiter[] = [];
  #timer: Timer | undefined;
  #next: number;
  #seen: number;

  constructor(clock: Clock, options: TokenBucketOptions) {
    checkOptions('new TokenBucket', options, tokenBucketNames);
    const qps = requireNumber('qps', options.qps, Number.MIN_VALUE);
    const burst = requireInteger('burst', options.burst, 1);
    this.#clock = clock;
    this.#intervalMs = 1000 / qps;
    this.#slackMs = (burst - 1) * this.#intervalMs;
    this.#seen = clock.monotonicNow();
    this.#next = this.#seen;
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#update();
    if (this.#delayOf(this.#next) > 0) return false;
    this.#claim();
    return true;
  }

  /** Takes the next token, even a future one, and returns in how many ms it may be used. */
  reserve(): number {
    return this.#delayOf(this.#claim());
  }

  /** Resolves when this caller's token may be used. On abort the token goes to the next waiter. */
  wait(options: Abortable = {}): Promise<void> {
    const { signal } = checkOptions('TokenBucket.wait', options, abortableNames);
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const slot = this.#claim();
      if (this.#delayOf(slot) === 0) {
        resolve();
        return;
      }
      const waiter: Waiter = {
        slot,
        proceed: () => {
          undo();
          resolve();
        },
      };
      const undo = onAbort(signal, () => {
        this.#giveUp(waiter);
        reject(signal?.reason);
      });
      this.#waiters.push(waiter);
      if (this.#waiters.length === 1) this.#arm();
    });
  }

  /** Brings the bucket up to now. */
  #update(): void {
    const now = this.#clock.monotonicNow();
    if (now < this.#seen) {
      const back = this.#seen - now;
      this.#next -= back;
      for (const waiter of this.#waiters) waiter.slot -= back;
    }
    this.#seen = now;
    if (this.#next < now) this.#next = now;
  }

  /** Takes the next token and returns its slot. */
  #claim(): number {
    this.#update();
    const slot = this.#next;
    this.#next += this.#intervalMs;
    return slot;
  }

  #delayOf(slot: number): number {
    const delay = slot - this.#slackMs - this.#seen;
    return delay < ROUNDING_MS ? 0 : delay;
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const first = this.#waiters[0];
    if (first === undefined) return;
    this.#update();
    this.#timer = this.#clock.setTimer(this.#delayOf(first.slot), () => this.#serve());
  }

  #serve(): void {
    this.#update();
    while (this.#waiters[0] !== undefined && this.#delayOf(this.#waiters[0].slot) === 0) {
      this.#waiters.shift()?.proceed();
    }
    this.#arm();
  }

  #giveUp(waiter: Waiter): void {
    const index = this.#waiters.indexOf(waiter);
    let freed = waiter.slot;
    this.#waiters.splice(index, 1);
    for (const behind of this.#waiters.slice(index)) [behind.slot, freed] = [freed, behind.slot];
    // Only the last slot can be reused: one before a reservation would let two callers through at the same time.
    if (Math.abs(freed + this.#intervalMs - this.#next) < ROUNDING_MS) this.#next = freed;
    if (index === 0) this.#arm();
  }
}
