/** CPU time after which an input hangs. Wall-clock time would accuse inputs on a loaded machine. */
const CPU_LIMIT_MS = 1000;
/** Time after which an input that waits without using CPU hangs. */
const WAIT_LIMIT_MS = 120_000;

/** Notices an input that does not end. It is told every now and then which one is under way, and what time it is. */
export class Watchdog {
  #input = -1;
  #cpuMs = 0;
  #timeMs = 0;

  /**
   * Returns the problem of the input, if there is one.
   *
   * @param input a number that changes with each input
   */
  see(input: number, cpuMs: number, timeMs: number): string | undefined {
    if (input !== this.#input) {
      this.#input = input;
      this.#cpuMs = cpuMs;
      this.#timeMs = timeMs;
      return undefined;
    }
    if (cpuMs - this.#cpuMs > CPU_LIMIT_MS) return `it hangs: more than ${CPU_LIMIT_MS} ms of CPU time`;
    return timeMs - this.#timeMs > WAIT_LIMIT_MS ? `it waits for more than ${WAIT_LIMIT_MS} ms` : undefined;
  }
}
