// The quick checks: format and lint, the rules of this repository, types, the build unless dist/ is fresh, unused code. Two of
// them run at a time. A failing check names its remedy.
//
//   npm run check [-- name of a step …]     for example: npm run check -- lint types
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = join(dirname(fileURLToPath(import.meta.url)), '..');
const biome = 'node_modules/@biomejs/biome/bin/biome';
/** The compiler in Go, which needs a fifth of the time. */
const tsc = 'node_modules/typescript-native/bin/tsc';
const knip = 'node_modules/knip/bin/knip.js';

/** Slow steps first, so that none of them runs alone at the end. */
const steps = [
  {
    name: 'types',
    command: [tsc, '--noEmit', '-p', 'tsconfig.json'],
    remedy: 'fix the types that the compiler names; it checks tests and benchmarks too',
  },
  {
    name: 'build',
    command: ['scripts/build.mjs', '--if-stale'],
    remedy: 'fix the errors of `npm run build`; exported names need explicit types (isolatedDeclarations)',
  },
  {
    name: 'types of the page',
    command: [tsc, '--noEmit', '-p', 'src/inspector/page/tsconfig.json'],
    remedy: "fix the types of the inspector's page; it is compiled for browsers, apart from the library",
  },
  {
    name: 'lint',
    command: [biome, 'check', '--error-on-warnings', '.'],
    remedy: 'run `npm run lint:fix`, which fixes format, import order and most rules, and fix the rest by hand',
  },
  {
    name: 'source',
    command: ['scripts/check-source.mjs', 'src'],
    remedy: 'see ARCHITECTURE.md for the import table and CONTRIBUTING.md for the other rules',
  },
  {
    name: 'unused',
    command: [knip, '--cache'],
    remedy: 'remove the file, export or dependency that is named, or use it',
  },
  {
    name: 'unused in production',
    command: [knip, '--production', '--cache'],
    remedy:
      'remove exports that only tests use; mark an export that its own file needs and tests import with @internal',
  },
  {
    name: 'lockfile',
    command: ['scripts/check-lockfile.mjs'],
    remedy: 'run `node scripts/complete-lockfile.mjs`',
  },
];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`no step ${unknown.join(', ')}; there are ${steps.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const left = steps.filter(({ name }) => asked.length === 0 || asked.includes(name));
const remedies = [];
await Promise.all([lane(), lane()]);
for (const remedy of remedies) console.log(remedy);
process.exit(remedies.length === 0 ? 0 : 1);

async function lane() {
  for (let step = left.shift(); step !== undefined; step = left.shift()) {
    const started = performance.now();
    const { code, output } = await run(step.command);
    process.stdout.write(output);
    console.log(
      `${code === 0 ? 'ok  ' : 'FAIL'} ${step.name} (${((performance.now() - started) / 1000).toFixed(1)} s)`,
    );
    if (code !== 0) remedies.push(`${step.name}: ${step.remedy}`);
  }
}

/** Runs a tool of this repository in the current folder. */
function run([script, ...args]) {
  return new Promise((resolve, reject) => {
    const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
    const child = spawn(process.execPath, [join(repository, script), ...args], { env: { ...process.env, ...colour } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
