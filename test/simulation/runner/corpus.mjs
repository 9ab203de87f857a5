// The plans that guided search has kept, and plans of failures that were found: one file each, in test/simulation/corpus.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `npm test` runs all of them. */
const mostPlans = 60;

export class Corpus {
  #folder;
  /** By text: what the plan reaches. Those of failures stay in any case. */
  #plans = new Map();
  #failures = new Set();
  reached = new Set();

  constructor(root) {
    this.#folder = join(root, 'test/simulation/corpus');
    for (const file of readdirSync(this.#folder).filter((name) => name.endsWith('.json'))) {
      const text = readFileSync(join(this.#folder, file), 'utf8');
      if (file.startsWith('failure-')) this.#failures.add(text);
      this.#plans.set(text, []);
    }
  }

  /** The message that a worker answers with what each plan reaches. */
  question() {
    let isAsked = false;
    return () => {
      if (isAsked) return undefined;
      isAsked = true;
      return { from: 0, to: 0, corpus: [...this.#plans.keys()] };
    };
  }

  learn(reaches) {
    for (const [at, plan] of [...this.#plans.keys()].entries()) this.#plans.set(plan, reaches[at]);
    for (const reached of reaches) for (const name of reached) this.reached.add(name);
  }

  /** What a worker needs for variations. */
  get content() {
    return { corpus: [...this.#plans.keys()], reached: [...this.reached] };
  }

  /** Keeps a plan if it reaches something new. */
  offer(plan, reached) {
    if (reached.every((name) => this.reached.has(name))) return;
    this.#plans.set(plan, reached);
    for (const name of reached) this.reached.add(name);
  }

  /**
   * Writes the plans that together reach the most, as many as `npm test` has time for: each in turn is the one that adds the most to
   * those before.
   */
  save() {
    const chosen = [...this.#failures];
    const covered = new Set(chosen.flatMap((plan) => this.#plans.get(plan)));
    const gainOf = (plan) => this.#plans.get(plan).filter((name) => !covered.has(name)).length;
    const left = new Set([...this.#plans.keys()].filter((plan) => !this.#failures.has(plan)));
    while (chosen.length < mostPlans && left.size > 0) {
      const best = [...left].reduce((a, b) => (gainOf(b) > gainOf(a) ? b : a));
      if (gainOf(best) === 0) break;
      left.delete(best);
      chosen.push(best);
      for (const name of this.#plans.get(best)) covered.add(name);
    }
    for (const file of readdirSync(this.#folder)) {
      if (/^plan-.*\.json$/.test(file)) rmSync(join(this.#folder, file));
    }
    for (const plan of chosen) if (!this.#failures.has(plan)) this.#write('plan', plan);
    this.reached = covered;
  }

  /** Keeps the shrunk plan of a failure; returns its file. */
  keepFailure({ plan }) {
    return plan === undefined ? undefined : this.#write('failure', plan);
  }

  #write(kind, plan) {
    const file = join(this.#folder, `${kind}-${createHash('sha256').update(plan).digest('hex').slice(0, 8)}.json`);
    writeFileSync(file, plan);
    return file;
  }
}
