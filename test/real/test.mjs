// Runs the suites on a real kube-apiserver:
//
//   npm run test:real [-- --server 1.35] [--wire json|protobuf] [arguments of vitest]
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const args = process.argv.slice(2);

/** Removes an option with a value from the arguments, and returns the value. */
function take(name) {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
}

const server = take('--server');
const wire = take('--wire');
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn(process.execPath, [vitest, 'run', '--config', 'vitest.real.config.ts', ...args], {
  stdio: 'inherit',
  env: {
    ...process.env,
    ...(server === undefined ? {} : { KUBEFLECT_SERVER: server }),
    ...(wire === undefined ? {} : { KUBEFLECT_WIRE: wire }),
  },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
