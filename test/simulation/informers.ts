import { Figures } from './figures.js';
import { type Plan, planOf } from './plan.js';
import { printPlan, printStep, readPlan } from './plan-text.js';
import { ReflectorPaths } from './reflector-paths.js';
import { shrink } from './shrink.js';
import { simulate } from './simulation.js';
import { StageOrders } from './stage-orders.js';
import type { Explanation, SeedResult, Variation } from './subject.js';
import { varied } from './vary.js';

export { transitions as required } from './reflector-paths.js';

/** Informers and their handlers against a server with faults, as a {@link Subject} of the runner. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const figures = new Figures();
  const paths = new ReflectorPaths(figures);
  const problems = await simulate(planOf(seed), figures);
  paths.stop();
  return { problems, figures: withoutPairs(figures.counts) };
}

export async function explain(seed: number): Promise<Explanation> {
  return await explainPlan(planOf(seed), `seed ${seed}: npm run test:sim -- --seed ${seed}`);
}

/** Shrinks a failing plan. */
export async function explainPlan(plan: Plan, title: string): Promise<Explanation> {
  const problems = await simulate(plan);
  const smallest = await shrink(plan, async (smaller) => (await simulate(smaller)).length > 0);
  const found = await simulate(smallest);
  const text = [
    title,
    ...problems.slice(0, 10),
    `the shrunk plan (${smallest.informers.join(', ')}; sharding ${smallest.sharding}; ends ${smallest.ends}), and how it fails:`,
    ...smallest.steps.map((step) => `  ${printStep(step)}`),
    ...found.slice(0, 10),
  ].join('\n');
  return { text, plan: printPlan(smallest) };
}

export async function vary(
  from: number,
  to: number,
  corpus: readonly string[],
  reached: readonly string[],
): Promise<Variation> {
  const plans = corpus.map(readPlan);
  const known = new Set(reached);
  const total = new Figures();
  const kept: { plan: string; reached: readonly string[] }[] = [];
  for (let seed = from; seed <= to; seed++) {
    const plan = varied(plans, seed);
    const { problems, counts, reaches } = await reachOf(plan);
    for (const [name, count] of Object.entries(counts)) total.add(name, count);
    if (problems.length > 0) {
      const failure = await explainPlan(plan, `variation ${seed} of the corpus`);
      return { problems, figures: withoutPairs(total.counts), kept, failure };
    }
    if (reaches.every((name) => known.has(name))) continue;
    for (const name of reaches) known.add(name);
    plans.push(plan);
    kept.push({ plan: printPlan(plan), reached: reaches });
  }
  return { problems: [], figures: withoutPairs(total.counts), kept };
}

export async function reach(corpus: readonly string[]): Promise<readonly (readonly string[])[]> {
  const all: (readonly string[])[] = [];
  for (const text of corpus) all.push((await reachOf(readPlan(text))).reaches);
  return all;
}

/** Runs a plan; `reaches` has the transitions, the pairs of transitions and the orders of stages that occurred. */
async function reachOf(plan: Plan): Promise<{
  readonly problems: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly reaches: readonly string[];
}> {
  const figures = new Figures();
  const listeners = [new ReflectorPaths(figures), new StageOrders(figures)];
  const problems = await simulate(plan, figures);
  for (const listener of listeners) listener.stop();
  const reaches = Object.keys(figures.counts).filter((name) => /^(?:transition|pair|order) /.test(name));
  return { problems, counts: figures.counts, reaches };
}

/** Pairs and orders are many: they guide the search, and are not reported. */
function withoutPairs(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([name]) => !/^(?:pair|order) /.test(name)));
}
