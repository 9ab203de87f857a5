// @ts-check
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const usage = `Churns a real kube-apiserver behind proxies that reset, stall, half-close, slow down and refuse connections, and
compares every informer's cache with the server in the end.

  npm run soak:real [-- --minutes 10] [--seed N]

  --minutes  how long there are faults; the end of it takes a minute more @default 10
  --seed     which faults, in which order @default a random one, which is printed
`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help || !(Number(values.minutes) > 0) || !Number.isInteger(Number(values.seed))) {
  process.stderr.write(usage);
  process.exit(values.help ? 0 : 1);
}

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const args = [
  path('node_modules/vitest/vitest.mjs'),
  'run',
  '--root',
  path(''),
  '--config',
  path('vitest.soak.config.ts'),
];
const env = { ...process.env, SOAK_MINUTES: values.minutes, SOAK_SEED: values.seed };
spawn(process.execPath, args, { stdio: 'inherit', env }).on('exit', (code) => process.exit(code ?? 1));
