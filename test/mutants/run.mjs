/**
 * `npm run test:mutants` plants each bug of the list, runs the suites that should notice it, and prints which test did.
 * The sources are changed on their way into Vitest, never in their files, so that a run can be ended at any moment.
 *
 *   --only NAME       one mutant, or the mutants of one room; may be repeated
 *   --tenth N         every tenth mutant, from the Nth on, without those that are equivalent
 *   --from NAME       goes on with this mutant
 *   --jobs N          mutants at a time; 1 by default
 *   --record          writes the results to results.json
 *   --baseline        runs the suites without a bug instead; they have to pass
 *   --table           prints the table of docs/reliability.md from results.json
 */
import { execFileSync, fork } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadMutants, loadResults, loadSurvivors, repository, suitesOf } from './mutants.mjs';
import { tableOf } from './table.mjs';

/** A mutant hangs if no test begins or ends for this long. A test that waits for something fails before, by its own limit. */
const silenceMs = 150_000;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    tenth: { type: 'string' },
    from: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    record: { type: 'boolean' },
    baseline: { type: 'boolean' },
    table: { type: 'boolean' },
  },
});
if (values.table) {
  console.log(tableOf(loadMutants(), loadResults()));
  process.exit(0);
}
const everyMutant = loadMutants();
const chosen = values.baseline ? [baseline(choose(everyMutant))] : choose(everyMutant);
const commit = commitOf();
const started = performance.now();
const results = [];
const left = [...chosen];
await Promise.all(Array.from({ length: Number(values.jobs) }, lane));
process.exit(summary());

function choose(mutants) {
  const { only, tenth, from } = values;
  let some = mutants;
  if (from !== undefined) some = some.slice(indexOf(from));
  if (only !== undefined) some = some.filter(({ name, room }) => only.includes(name) || only.includes(room));
  if (tenth !== undefined) {
    if (!/^\d$/.test(tenth)) fail(`--tenth must be a number from 0 to 9, got ${tenth}`);
    some = some.filter((one) => mutants.indexOf(one) % 10 === Number(tenth) && one.equivalent === undefined);
  }
  if (some.length === 0) fail(`no mutant and no room is called ${only}`);
  return some;
}

function indexOf(name) {
  const index = everyMutant.findIndex((mutant) => mutant.name === name);
  return index < 0 ? fail(`no mutant is called ${name}`) : index;
}

/** The suites of all these mutants, without a bug. */
function baseline(mutants) {
  const suites = new Map();
  for (const suite of mutants.flatMap((mutant) => suitesOf(mutant)))
    suites.set(`${suite.file} ${suite.titles ?? ''}`, suite);
  return { name: 'no bug', suites: [...suites.values()] };
}

async function lane() {
  let host;
  for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
    host ??= await startHost();
    const begun = performance.now();
    const suites = values.baseline ? mutant.suites : suitesOf(mutant, noticedBy(mutant));
    const judgement = await host.judge(values.baseline ? undefined : mutant, suites);
    // A process that was ended, or whose modules are unknown, serves no other mutant.
    if (judgement.outcome === 'timed out') host = undefined;
    const seconds = Number(((performance.now() - begun) / 1000).toFixed(1));
    report(mutant, { name: mutant.name, ...judgement, seconds, commit });
  }
  host?.stop();
}

/** The test file that noticed the mutant last time. */
function noticedBy({ name }) {
  return loadResults()[name]?.by?.split(' > ', 1)[0];
}

function report(mutant, result) {
  results.push(result);
  const { outcome, by, message, seconds } = result;
  const explained = outcome === 'survived' && mutant.equivalent !== undefined ? 'equivalent' : outcome;
  console.log(`${explained.padEnd(10)} ${mutant.name} (${mutant.file ?? 'all suites'}, ${seconds} s)`);
  if (by !== undefined) console.log(`           ${by}${message === undefined ? '' : `: ${message}`}`);
  if (values.record) record(result);
}

/** Writes one result at a time, in the order of the list, so that an interrupted run can go on with --from. */
function record(result) {
  const all = new Map(Object.entries(loadResults()));
  const { name, message, ...rest } = result;
  all.set(name, rest);
  const ordered = Object.fromEntries(
    everyMutant.filter((one) => all.has(one.name)).map((one) => [one.name, all.get(one.name)]),
  );
  const file = `${repository}/test/mutants/results.json`;
  writeFileSync(`${file}.new`, `${JSON.stringify(ordered, undefined, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** The exit code: 1 if a bug was not noticed and is not known for it, or if a bug that is said not to be noticed was. */
function summary() {
  const count = (outcome) => results.filter((result) => result.outcome === outcome).length;
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  const reasonOf = new Map(everyMutant.map(({ name, equivalent }) => [name, equivalent]));
  if (values.baseline) return count('survived') === 1 ? 0 : 1;
  const missed = results.filter(({ name, outcome }) => outcome === 'survived' && reasonOf.get(name) === undefined);
  const noticed = results.filter(({ name, outcome }) => outcome !== 'survived' && reasonOf.get(name) !== undefined);
  const known = new Set(loadSurvivors());
  const equivalent = count('survived') - missed.length;
  console.log(
    `\n${results.length} mutants in ${minutes} minutes: ${count('killed')} killed, ${count('timed out')} timed out, ` +
      `${equivalent} equivalent, ${missed.length} survived`,
  );
  for (const { name } of missed) {
    const isKnown = known.has(name) ? ', as is known' : '';
    console.log(`survived${isKnown}: ${name}: write the test that notices it, or explain it in equivalent.json`);
  }
  const found = results.filter(({ name, outcome }) => outcome !== 'survived' && known.has(name));
  for (const { name, by } of found)
    console.log(`no survivor: ${name}: ${by} noticed it; remove it from survivors.json`);
  for (const { name, by } of noticed)
    console.log(`not equivalent: ${name}: ${by} noticed it; remove it from equivalent.json`);
  return missed.every(({ name }) => known.has(name)) && noticed.length + found.length === 0 ? 0 : 1;
}

/** A process that judges mutants; see host.mjs. It leads a process group, so that its workers can be ended with it. */
async function startHost() {
  const child = fork(fileURLToPath(new URL('./host.mjs', import.meta.url)), {
    detached: true,
    stdio: 'ignore',
    cwd: repository,
  });
  let listener = () => {};
  child.on('message', (message) => listener(message));
  child.on('exit', (code) => listener({ exited: code }));
  await new Promise((resolve, reject) => {
    listener = ({ ready, exited }) => (ready ? resolve() : reject(new Error(`the host exited with ${exited}`)));
  });
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  };
  process.on('exit', end);
  return {
    stop: end,
    judge: (mutant, suites) =>
      new Promise((resolve, reject) => {
        let running = 'before the first test';
        let timer;
        const wait = () => {
          clearTimeout(timer);
          timer = setTimeout(() => {
            listener = () => {};
            end();
            resolve({ outcome: 'timed out', by: running });
          }, silenceMs);
        };
        wait();
        listener = (message) => {
          if (message.running !== undefined) {
            running = message.running;
            wait();
            return;
          }
          clearTimeout(timer);
          if (message.failed !== undefined) reject(new Error(message.failed));
          else if ('exited' in message) reject(new Error(`the host exited with ${message.exited}, at ${running}`));
          else if (message.done === undefined || message.done === null) resolve({ outcome: 'survived' });
          else resolve({ outcome: 'killed', ...message.done });
        };
        child.send({ mutant, suites });
      }),
  };
}

function commitOf() {
  const git = (...args) => execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
  const isChanged =
    git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!test/mutants/results.json', ':!docs') !== '';
  return git('rev-parse', '--short=12', 'HEAD') + (isChanged ? ' and changes' : '');
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
