import { abortableNames, checkOptions, type OptionNames } from '../meta/known-options.js';
import type { Abortable } from '../meta/objects.js';
import { requireInteger, requireNumber } from '../meta/validate.js';
import type { Clock, Timer } from './clock.js';
import { onAbort } from './signals.js';

/** How fast a {@link TokenBucket} fills, and how much it holds. */
export interface TokenBucketOptions {
  /** Tokens per second in the long run. */
  readonly qps: number;
  /** Tokens that can be had at once after a quiet time. */
  readonly burst: number;
}

const tokenBucketNames: OptionNames<TokenBucketOptions> = { qps: true, burst: true };

interface Waiter {
  /** The {@link TokenBucket.#next} this one was given, which says when its turn is. */
  slot: number;
  readonly proceed: () => void;
}

/** A delay below a nanosecond is the rounding of a division, not time. */
const ROUNDING_MS = 1e-6;

/**
 * Lets through `burst` at once and `qps` per second after that.
 *
 * Instead of counting tokens it remembers one point in time: how far the tokens given out so far reach at one every
 * `1000 / qps` ms. A token is free when that point is less than a full bucket ahead of now.
 *
 * ```
 *              now                    #next
 *   ────────────┼──────┬──────┬──────┬──┼─────▶ t      burst 5: three tokens are out, so two are free
 *               │◀──── interval each ──▶│
 *               │◀──── burst × interval ────▶│
 * ```
 *
 * Reservations may go into debt without limit. Waiters are served in order; when one gives up those behind it move up.
 * Time is the monotonic clock's; should even that go back, the tokens there are stay what they are.
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
    this.#look();
    if (this.#delayOf(this.#next) > 0) return false;
    this.#claim();
    return true;
  }

  /** Takes a token now or from the future, and says in how many ms it may be used. */
  reserve(): number {
    return this.#delayOf(this.#claim());
  }

  /** Resolves when there is a token for this caller. On abort the token goes to those who still wait. */
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
  #look(): void {
    const now = this.#clock.monotonicNow();
    if (now < this.#seen) {
      const back = this.#seen - now;
      this.#next -= back;
      for (const waiter of this.#waiters) waiter.slot -= back;
    }
    this.#seen = now;
    if (this.#next < now) this.#next = now;
  }

  /** Gives out the next token, whenever it may be used. */
  #claim(): number {
    this.#look();
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
    this.#look();
    this.#timer = this.#clock.setTimer(this.#delayOf(first.slot), () => this.#serve());
  }

  #serve(): void {
    this.#look();
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
    // A slot in front of somebody's reservation cannot be handed out again without letting two through at once.
    if (Math.abs(freed + this.#intervalMs - this.#next) < ROUNDING_MS) this.#next = freed;
    if (index === 0) this.#arm();
  }
}
