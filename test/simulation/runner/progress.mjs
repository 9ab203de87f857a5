// What a long run prints.
const everyMs = 10_000;

/** Prints the rate of a run now and then. */
export class Progress {
  #total;
  #startedAt = performance.now();
  #printedAt = performance.now();
  #seeds = 0;
  #cpuSeconds = 0;
  #events = 0;

  constructor(total) {
    this.#total = total;
  }

  get seconds() {
    return (performance.now() - this.#startedAt) / 1000;
  }

  add(seeds, cpuSeconds, events) {
    this.#seeds += seeds;
    this.#cpuSeconds += cpuSeconds;
    this.#events += events;
    if (performance.now() - this.#printedAt < everyMs) return;
    this.#printedAt = performance.now();
    this.end();
  }

  end() {
    const perSecond = this.#seeds / Math.max(this.seconds, 0.001);
    const perCore = this.#seeds / Math.max(this.#cpuSeconds, 0.001);
    console.log(
      `${number(this.#seeds)} of ${number(this.#total)} seeds in ${this.seconds.toFixed(0)} s: ${perSecond.toFixed(1)} per second, ` +
        `${perCore.toFixed(1)} per second of a core; ${number(this.#events)} events`,
    );
  }
}

/** Figures by name, sorted, one a line. */
export function table(figures) {
  return Object.keys(figures)
    .sort()
    .map((name) => `${number(figures[name]).padStart(15)}  ${name}`)
    .join('\n');
}

function number(value) {
  return value.toLocaleString('en-US');
}
