/**
 * `npm run test:sim -- --seeds 1000000 [--from 1] [--workers 2]` simulates many seeds, and continues where an earlier run ended;
 * `-- --seed 42` replays one. `--guided` varies the plans of the corpus instead, and keeps those that reach something new.
 * Informers are simulated; with `--shards` replicas that share the work, with `--world` everything that a program uses. `--scale` simulates
 * 100 replicas with 256 shards, and prints what they cost.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleSubject, commitOf } from './runner/bundle.mjs';
import { Corpus } from './runner/corpus.mjs';
import { Progress, table } from './runner/progress.mjs';
import { StateFile } from './runner/state-file.mjs';
import { work } from './runner/workers.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The modules that can be simulated; each is a `Subject`. */
const subjects = {
  informers: 'test/simulation/informers.ts',
  shards: 'test/simulation/shards/replicas.ts',
  world: 'test/simulation/world/simulation.ts',
};
/** How many seeds must have run before a transition that has never happened is a failure. */
const manySeeds = 20_000;
const batchSize = 50;
const saveEveryMs = 30_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string' },
    workers: { type: 'string' },
    state: { type: 'string' },
    guided: { type: 'boolean' },
    shards: { type: 'boolean' },
    world: { type: 'boolean' },
    scale: { type: 'boolean' },
  },
});
for (const name of ['seed', 'seeds', 'from', 'workers']) {
  if (values[name] !== undefined && !/^\d+$/.test(values[name])) {
    console.error(`--${name} must be a whole number, got ${values[name]}`);
    process.exit(2);
  }
}
process.exit(values.scale ? measureScale() : await (values.guided ? search() : runSeeds()));

/** The seeds of a range, in parallel; resolves with the exit code. */
async function runSeeds() {
  const name = ['shards', 'world'].find((subject) => values[subject]) ?? 'informers';
  const first = Number(values.seed ?? values.from ?? 1);
  const last = first + (values.seed === undefined ? Number(values.seeds ?? 1000) : 1) - 1;
  const workers = Math.min(Number(values.workers ?? availableParallelism()), last - first + 1);
  const subject = await bundleSubject(root, name, subjects[name]);
  const commit = commitOf(root);
  const path = resolve(values.state ?? join(root, '.reports', 'simulation', `${name}.json`));
  const state = new StateFile(path, { commit, node: process.version, workers, startedAt: new Date().toISOString() });
  // One seed is simulated whether or not it was before.
  const ranges = values.seed === undefined ? [...state.open(first, last, batchSize)] : [[first, last]];
  const progress = new Progress(ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0));
  let savedAt = Date.now();
  let failure;
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (isStopped = true));
  const next = () => {
    const range = ranges.shift();
    return range && { from: range[0], to: range[1] };
  };
  const required = await work(subject, workers, next, (result) => {
    if (result.failure !== undefined) {
      failure ??= result.failure;
      return false;
    }
    state.add(result.from, result.to, result.figures, result.cpuSeconds);
    progress.add(result.to - result.from + 1, result.cpuSeconds, result.figures.events ?? 0);
    if (Date.now() - savedAt >= saveEveryMs) {
      savedAt = Date.now();
      state.save(progress.seconds);
    }
    return !isStopped;
  });
  state.save(progress.seconds);
  progress.end();
  console.log(table(state.figures));
  console.log(`${state.seeds} seeds in ${path}; this run: commit ${commit}`);
  if (failure !== undefined) {
    const file = new Corpus(root).keepFailure(failure);
    console.error(`${failure.text}\n${file === undefined ? '' : `the plan is in ${file}`}`);
    return 1;
  }
  const missing = [...required].filter((figure) => !(figure in state.figures));
  if (missing.length === 0 || state.seeds < manySeeds) return 0;
  console.error(`never happened, so that the plans do not test it:\n  ${missing.join('\n  ')}`);
  return 1;
}

/** Guided search: varies the corpus and writes it again. */
async function search() {
  const first = Number(values.from ?? 1);
  const last = first + Number(values.seeds ?? 10_000) - 1;
  const subject = await bundleSubject(root, 'informers', subjects.informers);
  const corpus = new Corpus(root);
  await work(subject, 1, corpus.question(), (result) => void corpus.learn(result.reaches));
  const before = corpus.reached.size;
  const progress = new Progress(last - first + 1);
  let failure;
  let from = first;
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (isStopped = true));
  const next = () => {
    if (from > last) return undefined;
    const message = { from, to: Math.min(from + batchSize - 1, last), ...corpus.content };
    from = message.to + 1;
    return message;
  };
  await work(subject, Number(values.workers ?? availableParallelism()), next, (result) => {
    for (const { plan, reached } of result.kept) corpus.offer(plan, reached);
    failure ??= result.failure;
    progress.add(result.to - result.from + 1, result.cpuSeconds, result.figures.events ?? 0);
    return !isStopped && failure === undefined;
  });
  progress.end();
  corpus.save();
  console.log(`the corpus reached ${before} transitions, pairs and orders, and reaches ${corpus.reached.size} now`);
  if (failure === undefined) return 0;
  console.error(`${failure.text}\nthe plan is in ${corpus.keepFailure(failure)}`);
  return 1;
}

function measureScale() {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, SIMULATION_SCALE: '1' };
  const args = [vitest, 'run', 'test/simulation/shards/scale'];
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1;
}
