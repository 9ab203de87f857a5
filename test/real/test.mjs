// Runs the suites on a real kube-apiserver:
//
//   npm run test:real [-- --server 1.35] [--wire json|protobuf] [--long] [arguments of vitest]
//
// --long runs the soak of ten minutes after them.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const args = process.argv.slice(2);

/** Removes an option with a value from the arguments, and returns the value. */
function take(name) {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
}

/** Removes an option without a value, and returns whether it was there. */
function takeFlag(name) {
  const at = args.indexOf(name);
  if (at >= 0) args.splice(at, 1);
  return at >= 0;
}

const isLong = takeFlag('--long');
const server = take('--server');
const wire = take('--wire');
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const soak = fileURLToPath(new URL('soak.mjs', import.meta.url));
const env = {
  ...process.env,
  ...(server === undefined ? {} : { KUBEFLECT_SERVER: server }),
  ...(wire === undefined ? {} : { KUBEFLECT_WIRE: wire }),
};

/** Runs a script, and resolves with its exit code. */
function run(...command) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { stdio: 'inherit', env });
    const stop = (signal) => child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
    child.on('exit', (code) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop);
      resolve(code ?? 1);
    });
  });
}

const tested = await run(vitest, 'run', '--config', 'vitest.real.config.ts', ...args);
process.exit(tested === 0 && isLong ? await run(soak, '--minutes', '10') : tested);
