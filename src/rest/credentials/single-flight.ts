import { abortable } from '../../time/signals.js';

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/** Runs a function once at a time: calls of `run` meanwhile share its result. It is aborted when all of these calls are. */
export class SingleFlight<T> {
  readonly #start: (signal: AbortSignal) => Promise<T>;
  #flight: Flight<T> | undefined;

  constructor(start: (signal: AbortSignal) => Promise<T>) {
    this.#start = start;
  }

  async run(signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const flight = this.#flight ?? this.#begin();
    flight.waiting++;
    try {
      return await abortable(flight.result, signal);
    } finally {
      flight.waiting--;
      if (flight.waiting === 0 && this.#flight === flight) {
        this.#flight = undefined;
        flight.controller.abort(signal?.reason);
      }
    }
  }

  #begin(): Flight<T> {
    const controller = new AbortController();
    const flight: Flight<T> = { controller, waiting: 0, result: this.#start(controller.signal) };
    const land = (): void => {
      if (this.#flight === flight) this.#flight = undefined;
    };
    // Also handles the rejection if all calls were aborted.
    flight.result.then(land, land);
    this.#flight = flight;
    return flight;
  }
}
