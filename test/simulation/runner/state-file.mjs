// The record of long runs: which seeds were simulated, on which commit, and what they have shown.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Ranges that are done, with the figures of all runs; written again and again, so that a run can be interrupted at any time. */
export class StateFile {
  #path;
  #state;
  #run;

  constructor(path, run) {
    this.#path = path;
    this.#state = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { ranges: [], figures: {}, runs: [] };
    this.#run = { ...run, seeds: 0, seconds: 0, cpuSeconds: 0, ranges: [] };
    this.#state.runs.push(this.#run);
  }

  /** The figures of all runs. */
  get figures() {
    return this.#state.figures;
  }

  /** All seeds of all runs. */
  get seeds() {
    return this.#state.runs.reduce((sum, { seeds }) => sum + seeds, 0);
  }

  /** The seeds from `from` to `to` that no run has simulated, as ranges of at most `size`. */
  *open(from, to, size) {
    for (let first = from; first <= to; ) {
      const done = this.#state.ranges.find(([start, end]) => start <= first && first <= end);
      if (done !== undefined) {
        first = done[1] + 1;
        continue;
      }
      const next = Math.min(...this.#state.ranges.map(([start]) => start).filter((start) => start > first), to + 1);
      const last = Math.min(first + size - 1, next - 1);
      yield [first, last];
      first = last + 1;
    }
  }

  /** Notes that a range is done. */
  add(from, to, figures, cpuSeconds) {
    this.#state.ranges = joined([...this.#state.ranges, [from, to]]);
    this.#run.ranges = joined([...this.#run.ranges, [from, to]]);
    this.#run.seeds += to - from + 1;
    this.#run.cpuSeconds += cpuSeconds;
    for (const [name, count] of Object.entries(figures)) {
      this.#state.figures[name] = (this.#state.figures[name] ?? 0) + count;
    }
  }

  save(seconds) {
    this.#run.seconds = Math.round(seconds);
    this.#run.cpuSeconds = Math.round(this.#run.cpuSeconds * 10) / 10;
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(`${this.#path}.new`, `${JSON.stringify(this.#state, undefined, 1)}\n`);
    renameSync(`${this.#path}.new`, this.#path);
  }
}

/** Ranges in order; those that touch each other become one. */
function joined(ranges) {
  const result = [];
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
