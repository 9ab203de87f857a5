/**
 * `npm run test:sim -- --seeds 5000 [--from 1]` simulates many seeds; `-- --seed 42` replays one. With `--shards` only the replicas
 * that share the work are simulated, with `--informers` only the informers.
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
  },
});
const { shards, informers, ...numbers } = values;
const env = { ...process.env };
for (const [name, value] of Object.entries(numbers)) {
  if (!/^\d+$/.test(value)) {
    console.error(`--${name} must be a whole number, got ${value}`);
    process.exit(2);
  }
  env[`SIMULATION_${name.toUpperCase()}`] = value;
}
const tests = `test/simulation${shards ? '/shards' : informers ? '/simulation.test.ts' : ''}`;
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, 'run', tests], { env, stdio: 'inherit' });
process.exit(status ?? 1);
