/**
 * `npm run test:kills -- [--kills 200] [--seed 1]` kills a server with a data directory many times under load, and prints what
 * it has seen.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
for (const [name, value] of Object.entries(values)) {
  if (/^\d+$/.test(value)) continue;
  console.error(`--${name} must be a whole number, got ${value}`);
  process.exit(2);
}
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const env = { ...process.env, KILLS: values.kills, KILLS_SEED: values.seed };
const { status } = spawnSync(process.execPath, [vitest, 'run', '--config', 'vitest.project.config.ts', 'test/data'], {
  env,
  stdio: 'inherit',
});
process.exit(status ?? 1);
