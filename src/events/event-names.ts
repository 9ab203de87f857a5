import { dns1123SubdomainErrors } from '../meta/names.js';
import type { Clock } from '../time/clock.js';
import { randomUid } from '../time/random-uid.js';

const nanosPerMs = 1_000_000;

/**
 * Names events after their object and the time in nanoseconds, as every recorder does. The clock tells milliseconds, in
 * which two processes may well see the same object change: what is below them is left to chance, so that one does not take
 * the other's name and lose its event. Of one recorder no two names are the same.
 */
export class EventNames {
  readonly #clock: Clock;
  #last = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(objectName: string): string {
    const ms = BigInt(Math.trunc(this.#clock.now()));
    const now = ms * BigInt(nanosPerMs) + BigInt(Math.floor(this.#clock.random() * nanosPerMs));
    this.#last = now > this.#last ? now : this.#last + 1n;
    const name = `${objectName}.${this.#last.toString(16)}`;
    // Some kinds have names that no event may have, such as those of roles with a colon.
    return dns1123SubdomainErrors(name).length === 0 ? name : randomUid(this.#clock);
  }
}
