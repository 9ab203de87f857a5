// @ts-check
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const usage = `Sends a request every 10 ms to a real kube-apiserver that calls webhooks of three replicas, while their certificates and
authorities are replaced again and again. Prints the number of requests; fails if one of them failed.

  npm run rotation:real [-- --minutes 10]
`;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help || !(Number(values.minutes) > 0)) {
  process.stderr.write(usage);
  process.exit(values.help ? 0 : 1);
}

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const limit = String(Number(values.minutes) * 60_000 + 300_000);
const args = [path('test/real/test.mjs'), 'test/real/webhooks.test.ts', `--testTimeout=${limit}`];
const env = { ...process.env, ROTATION_MINUTES: values.minutes };
spawn(process.execPath, args, { stdio: 'inherit', env, cwd: path('') }).on('exit', (code) => process.exit(code ?? 1));
