// Measures the cost of importing and installing kubeflect and the official client. Run after `npm run build`.
//
// Each import runs in its own process, alternately; figures are medians. On a busy machine compare the CPU time. Sizes and dependencies are those of a
// production install, read from node_modules; kubeflect's files are those that npm would pack.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ROUNDS = 15;
const MB = 1024 * 1024;

const subjects = [
  { name: 'kubeflect', specifier: join(root, 'dist/index.js'), folder: root },
  {
    name: '@kubernetes/client-node',
    specifier: '@kubernetes/client-node',
    folder: join(root, 'node_modules/@kubernetes/client-node'),
  },
];

const runs = new Map(subjects.map(({ name }) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const { name, specifier } of subjects) runs.get(name).push(importOnce(specifier));
}

const rows = subjects.map(({ name, folder }) => {
  const own = readManifest(folder);
  const dependencies = productionDependencies(folder);
  const bytes =
    (folder === root ? packedBytes() : folderBytes(folder)) +
    dependencies.reduce((sum, dependency) => sum + folderBytes(dependency), 0);
  return {
    name: `${name} ${own.version}`,
    ms: median(runs.get(name).map(({ ms }) => ms)),
    cpu: median(runs.get(name).map(({ cpu }) => cpu)),
    rss: median(runs.get(name).map(({ rss }) => rss)),
    dependencies: dependencies.length,
    bytes,
  };
});

console.log(`Node ${process.versions.node}, ${ROUNDS} processes each\n`);
console.log('| | import | of it CPU | memory | packages it brings | installed |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const { name, ms, cpu, rss, dependencies, bytes } of rows) {
  const cells = [
    `${ms.toFixed(0)} ms`,
    `${cpu.toFixed(0)} ms`,
    `${(rss / MB).toFixed(1)} MB`,
    dependencies,
    `${(bytes / MB).toFixed(1)} MB`,
  ];
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}

/** Time and resident memory of one import, in a new process. */
function importOnce(specifier) {
  const script = `
    const rss = process.memoryUsage.rss();
    const before = process.cpuUsage();
    const begin = performance.now();
    await import(${JSON.stringify(specifier)});
    const ms = performance.now() - begin;
    const { user, system } = process.cpuUsage(before);
    console.log(JSON.stringify({ ms, cpu: (user + system) / 1000, rss: process.memoryUsage.rss() - rss }));`;
  const args = ['--input-type=module', '--eval', script];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
}

/** The folders of all packages that are installed with a package, each once. */
function productionDependencies(folder) {
  const found = new Set();
  const follow = (from) => {
    const { dependencies = {}, optionalDependencies = {} } = readManifest(from);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const target = installedAt(from, name);
      if (target === undefined || found.has(target)) continue;
      found.add(target);
      follow(target);
    }
  };
  follow(folder);
  return [...found];
}

/** Where Node would find a package, or undefined for an optional one that is not installed. */
function installedAt(from, name) {
  for (let folder = from; ; folder = dirname(folder)) {
    const target = join(folder, 'node_modules', name);
    if (existsSync(join(target, 'package.json'))) return target;
    if (folder === root) return undefined;
  }
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function folderBytes(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? folderBytes(path) : statSync(path).size;
  }
  return bytes;
}

function packedBytes() {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [pack] = JSON.parse(
    execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  return pack.unpackedSize;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
