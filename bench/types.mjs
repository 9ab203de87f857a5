// Measures the compile time of the generated types and of the models of @kubernetes/client-node: time and memory of `tsc` for a
// file that imports Pod only, and for one that imports every kind.
//
//   node bench/types.mjs [--runs N]
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({ options: { runs: { type: 'string', default: '5' } } });
const runs = Number(flags.runs);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const require = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'kubeflect-bench-types-'));
const options = {
  strict: true,
  target: 'ES2023',
  module: 'NodeNext',
  skipLibCheck: true,
  noEmit: true,
  exactOptionalPropertyTypes: true,
  types: ['node'],
};

try {
  installPackages();
  const kinds = readKinds();
  const official = officialNames(kinds);
  const shared = kinds.filter((kind) => official.has(kind));
  const imports = (names, from) => `import type { ${names.join(', ')} } from '${from}';\n`;
  const ours = 'kubeflect/types';
  const theirs = '@kubernetes/client-node';
  const programs = {
    'no import': 'export {};\n',
    'kubeflect: Pod': imports(['Pod'], ours) + reader(['Pod']),
    'client-node: V1Pod': imports(['V1Pod'], theirs) + reader(['V1Pod']),
    [`kubeflect: ${shared.length} kinds`]: imports(shared, ours) + reader(shared),
    [`client-node: ${shared.length} kinds`]: imports([...official.values()], theirs) + reader([...official.values()]),
  };
  const projects = Object.entries(programs).map(([name, text], index) => ({
    name,
    project: writeProject(`p${index}`, text),
    samples: [],
  }));
  // Alternately, so that a slow moment of the machine affects all programs.
  for (let round = 0; round < runs; round++) {
    for (const { project, samples } of projects) samples.push(run(['-p', project, '--extendedDiagnostics']));
  }
  const rows = projects.map(({ name, samples }) => ({ program: name, ...figures(samples) }));
  console.table(rows);
} finally {
  rmSync(folder, { recursive: true });
}

/** A package with the published declarations, and a link to the installed client-node. */
function installPackages() {
  const types = join(folder, 'node_modules', 'kubeflect');
  const emit = [
    '--ignoreConfig',
    '--declaration',
    '--emitDeclarationOnly',
    '--rootDir',
    'src',
    '--outDir',
    join(types, 'dist'),
  ];
  const language = ['--target', 'ES2023', '--module', 'NodeNext', '--types', 'node'];
  run([...emit, ...language, 'src/resources/types/index.ts'], root);
  const manifest = {
    name: 'kubeflect',
    type: 'module',
    exports: { './types': { types: './dist/resources/types/index.d.ts' } },
  };
  writeFileSync(join(types, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  for (const name of ['@kubernetes', '@types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
}

/** The kinds with a bare name in the generated types. */
function readKinds() {
  const index = readFileSync(join(root, 'src', 'resources', 'types', 'index.ts'), 'utf8');
  const bare = new Set(index.match(/^ {2}\w+(?=,$)/gm).map((line) => line.trim()));
  const catalogue = readFileSync(join(root, 'src', 'resources', 'catalogue.ts'), 'utf8');
  return [...new Set([...catalogue.matchAll(/kind: '(\w+)', namespaced/g)].map(([, kind]) => kind))].filter((kind) =>
    bare.has(kind),
  );
}

/** Kind → the class of client-node for it, if it has one. */
function officialNames(kinds) {
  const manifest = require
    .resolve('@kubernetes/client-node')
    .replace(/(client-node)\/.*/, '$1/dist/gen/models/all.d.ts');
  const all = readFileSync(manifest, 'utf8');
  const names = kinds.map((kind) => [
    kind,
    ['V2', 'V1', 'ResourceV1', 'CoreV1'].map((prefix) => prefix + kind).find((name) => all.includes(`/${name}.js'`)),
  ]);
  return new Map(names.filter(([, name]) => name !== undefined));
}

/** A function that makes the compiler resolve each type. */
function reader(names) {
  return names
    .map((name) => `export const read${name} = (x: ${name}): string | undefined => x.metadata?.name ?? x.kind;\n`)
    .join('');
}

function writeProject(name, text) {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, 'main.ts'), text);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['main.ts'] }));
  return project;
}

/** The best of all runs: other processes only make figures worse. */
function figures(samples) {
  const best = (label) =>
    Math.min(...samples.map((sample) => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(sample)?.[1])));
  return {
    files: best('Files'),
    'lines of declarations': best('Lines of Definitions'),
    types: best('Types'),
    'time (s)': best('Total time'),
    'memory (MB)': Math.round(best('Memory used') / 1024),
  };
}

function run(args, cwd = folder) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, ...args], { encoding: 'utf8', cwd });
  if (status !== 0) throw new Error(`tsc ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
