// The quick checks, in the order of their speed: format and lint, the rules of this repository, the lockfile, types.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const steps = [
  ['format and lint', 'node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']],
  ['layers and time', 'scripts/check-source.mjs', []],
  ['lockfile', 'scripts/check-lockfile.mjs', []],
  ['types', 'node_modules/typescript/bin/tsc', ['--noEmit', '-p', 'tsconfig.json']],
];
let failed = false;
for (const [name, script, args] of steps) {
  const started = process.hrtime.bigint();
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit' });
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds.toFixed(1)} s)`);
  if (status !== 0) failed = true;
}
process.exit(failed ? 1 : 0);
