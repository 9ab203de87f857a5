import { dns1123SubdomainErrors } from '../meta/names.js';
import type { Clock } from '../time/clock.js';
import { randomUid } from '../time/random-uid.js';

const nanosPerMs = 1_000_000;

/**
 * Names events after their object and the time in nanoseconds, as client-go does. The clock has milliseconds, and two processes
 * may record about one object in the same one: the digits below are random, so that their names differ and neither event is
 * rejected with 409. The names of one broadcaster never repeat.
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
    // Names of some kinds, such as roles with a colon, are not valid names of events.
    return dns1123SubdomainErrors(name).length === 0 ? name : randomUid(this.#clock);
  }
}
