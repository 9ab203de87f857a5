/**
 * `npm run test:sim -- --seeds 5000 [--from 1]` simulates many seeds; `-- --seed 42` replays one. With `--shards` only the replicas
 * that share the work are simulated, with `--informers` only the informers; `--scale` simulates 100 replicas
 * with 256 shards, and prints what they cost.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string' },
    shards: { type: 'boolean' },
    informers: { type: 'boolean' },
    scale: { type: 'boolean' },
  },
});
const { shards, informers, scale, ...numbers } = values;
const env = { ...process.env };
for (const [name, value] of Object.entries(numbers)) {
  if (!/^\d+$/.test(value)) {
    console.error(`--${name} must be a whole number, got ${value}`);
    process.exit(2);
  }
  env[`SIMULATION_${name.toUpperCase()}`] = value;
}
if (scale) env.SIMULATION_SCALE = '1';
const tests = `test/simulation${scale ? '/shards/scale' : shards ? '/shards' : informers ? '/simulation.test.ts' : ''}`;
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, 'run', tests], { env, stdio: 'inherit' });
process.exit(status ?? 1);
