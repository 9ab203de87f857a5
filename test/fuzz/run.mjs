/**
 * Checks the parsers of foreign bytes with generated inputs:
 *
 *   npm run fuzz -- --minutes 10                            all targets, each with the same CPU time
 *   npm run fuzz -- --only json --inputs 100000             the targets whose names begin with json
 *   npm run fuzz -- --only cel --from 4711 --inputs 1       one input: seeds are numbered, and each is an input
 *   npm run fuzz -- --minutes 60 --results fuzz.json        continues where the runs before ended, and adds the figures
 *   npm run fuzz -- --minutes 60 --most 20000000            a target ends with so many inputs in all runs; else with 5 million
 *   npm run fuzz -- --list                                  the targets, and what must hold for each
 *
 * It ends with 1 if there was a finding: a crash, a mismatch, a hang (more than a second of CPU time) or a leak.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = fileURLToPath(new URL('../../.reports/fuzz', import.meta.url));
const build = await rolldown({
  input: { main: `${root}test/fuzz/main.ts`, worker: `${root}test/fuzz/worker.ts` },
  platform: 'node',
  transform: { target: 'node20' },
  external: (id) => !/^(?:[./]|@oxc-project)/.test(id),
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
});
await build.write({ dir: out, format: 'es', entryFileNames: '[name].js', sourcemap: true });
await build.close();
// Targets read test data by paths of the repository.
const args = ['--enable-source-maps', `${out}/main.js`, ...process.argv.slice(2)];
const { status, signal } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
// Targets compare with parsers of Node.js, whose native code may end the process.
if (signal !== null) console.error(`${signal} ended the process; a call with the same --results continues`);
process.exit(status ?? 1);
