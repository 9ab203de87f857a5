import { dns1123SubdomainErrors } from '../meta/names.js';
import type { Clock } from '../time/clock.js';
import { randomUid } from '../time/uid.js';

const nanosPerMs = 1_000_000n;

/**
 * Names events after their object and the time in nanoseconds, as every recorder does. A clock of milliseconds tells only
 * some of them apart; the others take the next number, so that no two names of one process are the same.
 */
export class EventNames {
  readonly #clock: Clock;
  #last = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(objectName: string): string {
    const now = BigInt(Math.trunc(this.#clock.now())) * nanosPerMs;
    this.#last = now > this.#last ? now : this.#last + 1n;
    const name = `${objectName}.${this.#last.toString(16)}`;
    // Some kinds have names that no event may have, such as those of roles with a colon.
    return dns1123SubdomainErrors(name).length === 0 ? name : randomUid(this.#clock);
  }
}
