import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const usage = `Replays recorded requests on the embedded server and compares the answers with those of kube-apiserver 1.36.3.

  node test/golden/run.mjs [PART] [--show [--id ID]] [--write] [--real]

  PART     one of the files in test/golden/data, without .json
  --show   prints the differences of the cases that fail; with --id those of one case
  --write  rewrites the lists of expected failures
  --real   replays on a real kube-apiserver, to check the replay itself
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    show: { type: 'boolean' },
    id: { type: 'string' },
    write: { type: 'boolean' },
    real: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}

const env = { ...process.env };
if (positionals[0] !== undefined) env.GOLDEN_PART = positionals[0];
if (values.show || values.id !== undefined) env.GOLDEN_SHOW = values.id ?? '';
if (values.write) env.GOLDEN_WRITE = '1';
if (values.real) env.GOLDEN_REAL = '1';

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const options = ['--reporter', 'dot', 'test/golden/'];
spawn(process.execPath, [vitest, 'run', '--root', root, ...options], { stdio: 'inherit', env }).on('exit', (code) =>
  process.exit(code ?? 1),
);
