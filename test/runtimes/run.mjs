// Runs program.mjs with the packed package on the runtimes that people use, and bundled to one file.
//
//   npm run test:runtimes [-- --only bun,rollup] [--short]
//
// --short: one version of Node, Bun, Deno and the bundles of esbuild; .ci/run has it. The runtimes and bundlers are npm packages,
// installed into a folder of their own.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startApiServer } from '../../dist/apiserver/index.js';

const VERSIONS = { bun: '1.4.4', deno: '2.9.6', esbuild: '0.28.2', rollup: '4.68.2' };
const PLUGINS = ['@rollup/plugin-node-resolve@16.0.3', '@rollup/plugin-commonjs@29.0.3', '@rollup/plugin-json@6.1.0'];
const LIMIT_MS = 5 * 60_000;

const repository = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const { values: flags } = parseArgs({
  options: { only: { type: 'string' }, short: { type: 'boolean', default: false } },
});

const folder = mkdtempSync(join(tmpdir(), 'kubeflect-runtimes-'));
const tools = join(folder, 'tools');
const project = join(folder, 'project');
const bin = (name) => join(tools, 'node_modules/.bin', name);
const node = (version) => ['npx', '--yes', '-p', `node@${version}`, '-c'];

/** Each row: what runs, and the command for it, in the folder of the project. Bundles run in a folder without the package. */
const rows = [
  { name: 'node', command: () => [process.execPath, 'program.mjs'], short: true },
  { name: 'worker thread', command: () => [process.execPath, 'worker.mjs'], short: true },
  { name: 'node 22', command: () => [...node(22), 'node program.mjs'] },
  { name: 'node 24', command: () => [...node(24), 'node program.mjs'] },
  { name: 'bun', command: () => [bin('bun'), 'program.mjs'], short: true },
  {
    name: 'deno',
    command: () => [bin('deno'), 'run', '--allow-all', '--node-modules-dir=manual', 'program.mjs'],
    short: true,
  },
  {
    name: 'esbuild esm',
    bundle: () => esbuild('esm', 'mjs'),
    command: () => [process.execPath, 'esbuild.mjs'],
    short: true,
  },
  {
    name: 'esbuild cjs',
    bundle: () => esbuild('cjs', 'cjs'),
    command: () => [process.execPath, 'esbuild.cjs'],
    short: true,
  },
  { name: 'rollup esm', bundle: () => rollup('es', 'mjs'), command: () => [process.execPath, 'rollup.mjs'] },
  { name: 'rollup cjs', bundle: () => rollup('cjs', 'cjs'), command: () => [process.execPath, 'rollup.cjs'] },
  { name: 'bundle on bun', bundle: () => esbuild('esm', 'mjs'), command: () => [bin('bun'), 'esbuild.mjs'] },
];
const only = flags.only?.split(',');
const chosen = rows.filter(({ name, short }) =>
  only ? only.some((part) => name.startsWith(part)) : short || !flags.short,
);
if (chosen.length === 0) throw new Error(`--only must name one of ${rows.map(({ name }) => name).join(', ')}`);

let failed = false;
try {
  prepare();
  const api = await startApiServer({ tls: true, objects: largeObjects() });
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, api.kubeconfig);
  for (const { name, bundle, command } of chosen) {
    console.log(`\n== ${name}`);
    bundle?.();
    const code = await run(command(), join(folder, bundle === undefined ? 'project' : 'bundles'), kubeconfig);
    if (code !== 0) {
      failed = true;
      console.log(`FAIL ${name}: exit code ${code}`);
    }
  }
  await api.stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

function prepare() {
  mkdirSync(join(project, 'node_modules/kubeflect'), { recursive: true });
  mkdirSync(join(folder, 'bundles'));
  mkdirSync(tools);
  must('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], repository);
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  must(
    'tar',
    ['-xzf', join(folder, tarball), '--strip-components=1', '-C', join(project, 'node_modules/kubeflect')],
    folder,
  );
  for (const file of ['program.mjs', 'worker.mjs']) cpSync(join(here, file), join(project, file));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(tools, 'package.json'), '{}');
  const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
  must('npm', ['install', '--no-save', '--silent', ...packages, ...PLUGINS], tools);
}

function esbuild(format, extension) {
  const out = join(folder, `bundles/esbuild.${extension}`);
  const options = ['--bundle', '--platform=node', '--target=node20', `--format=${format}`, '--log-level=error'];
  must(bin('esbuild'), ['program.mjs', ...options, `--outfile=${out}`], project);
}

function rollup(format, extension) {
  const out = join(folder, `bundles/rollup.${extension}`);
  const plugins = PLUGINS.flatMap((name) => ['-p', join(tools, 'node_modules', name.slice(0, name.lastIndexOf('@')))]);
  const options = ['-f', format, '--inlineDynamicImports', '--silent', '-o', out];
  must(bin('rollup'), ['program.mjs', ...plugins, ...options], project);
}

/** What the informer of another process lists: many megabytes in one answer. */
function largeObjects() {
  const text = 'x'.repeat(200_000);
  return Array.from({ length: 60 }, (_, i) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `large-${i}`, namespace: 'large' },
    data: { text },
  }));
}

/** Runs a command to its end, and ends it after a time. */
function run([file, ...args], cwd, kubeconfig) {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd,
      stdio: 'inherit',
      env: { ...process.env, RUNTIMES_KUBECONFIG: kubeconfig },
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      resolve(code ?? signal);
    });
  });
}

function must(file, args, cwd) {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed:\n${stdout}${stderr}`);
}
