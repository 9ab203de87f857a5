/**
 * Runs suites on sources with a planted bug. One process serves many mutants, because Vite keeps the modules that are the same in
 * all of them. run.mjs starts it, sends mutants, and ends its process group when a mutant hangs.
 */
import { relative } from 'node:path';
import { createVitest } from 'vitest/node';
import { plant, repository } from './mutants.mjs';

const absolute = (file) => `${repository}/${file}`;
const send = (message) => process.send?.(message);
/** The mutant of the current run. */
let planted;

const plantMutant = {
  name: 'plant-mutant',
  enforce: 'pre',
  transform(code, id) {
    return planted !== undefined && id === absolute(planted.file)
      ? { code: plant(planted, code), map: null }
      : undefined;
  },
};

/** The first failure of the current run. Vitest's own results hold those of earlier runs too. */
let failure;
let passed = 0;
/** The test that began or ended last. */
let current = '';

const reporter = {
  onTestCaseReady: note,
  onTestCaseResult(test) {
    const { state, errors } = test.result();
    if (state === 'passed') passed++;
    if (state === 'failed') noteFailure(titleOf(test), errors?.[0]);
    note(test);
  },
  onTestSuiteResult: (suite) => noteErrors(suite.module, suite.errors()),
  onTestModuleEnd: (module) => noteErrors(module, module.errors()),
};

const vitest = await createVitest(
  'test',
  {
    root: repository,
    config: false,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Each file in a process of its own: what a bug has broken in one must not fail the next.
    isolate: true,
    pool: 'forks',
    maxWorkers: 1,
    execArgv: ['--expose-gc', '--max-old-space-size=2048'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    watch: false,
    cache: false,
    reporters: [reporter],
  },
  { plugins: [plantMutant] },
);
await vitest.standalone();

process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
process.on('message', async ({ mutant, suites }) => {
  try {
    send({ done: await judge(mutant, suites) });
  } catch (error) {
    send({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
send({ ready: true });

/** The first test that fails, or undefined if all pass. */
async function judge(mutant, suites) {
  for (const one of [planted, mutant]) if (one !== undefined) vitest.invalidateFile(absolute(one.file));
  planted = mutant;
  for (const suite of suites) {
    const killer = await firstFailure(suite);
    if (killer !== undefined) return killer;
  }
  return undefined;
}

async function firstFailure({ file, titles }) {
  const options = titles === undefined ? {} : { testNamePattern: new RegExp(titles) };
  const specification = vitest.getRootProject().createSpecification(absolute(file), options);
  failure = undefined;
  passed = 0;
  current = file;
  const { unhandledErrors } = await vitest.runTestSpecifications([specification]);
  if (failure !== undefined) return failure;
  if (unhandledErrors.length > 0) return { by: current, message: firstLine(unhandledErrors[0]) };
  // A pattern that fits no title would let every mutant survive.
  if (passed === 0) throw new Error(`no test ran of ${file} ${titles ?? ''}`);
  return undefined;
}

function note(test) {
  current = titleOf(test);
  send({ running: current });
}

function noteErrors(module, errors) {
  if (errors.length > 0) noteFailure(relative(repository, module.moduleId), errors[0]);
}

/** Ends the run at its first failure. Not by the option `bail`: that loses failures of tests that run concurrently. */
function noteFailure(by, error) {
  if (failure !== undefined) return;
  failure = { by, message: firstLine(error) };
  void vitest.cancelCurrentRun('test-failure');
}

function titleOf(test) {
  return `${relative(repository, test.module.moduleId)} > ${test.fullName}`;
}

function firstLine(error) {
  return String(error?.message ?? error)
    .split('\n', 1)[0]
    .slice(0, 200);
}
