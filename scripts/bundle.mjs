// Joins the modules of build/, and the YAML parser, to the files that the package has: one for each entry, and chunks/ with what entries share or load
// later. Node takes about half a millisecond for each file that it imports; docs/decisions/0024-bundled-dist.md has the figures.
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * The folders whose sources are not in the source maps: with them the maps would be half of the package, and users do not step
 * through these. Their lines are mapped, so that stack traces name them.
 */
const withoutSources = /\/src\/(?:apiserver|cli|codec|regexp|resources)\/|\/node_modules\//;

/** Bundles the entries that package.json names from the compiled modules. */
export async function bundle(root, modules, out) {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = [...Object.values(exports).map((entry) => entry.default), ...Object.values(bin)].filter(Boolean);
  const names = files.map((file) => /^\.\/dist\/(.*)\.js$/.exec(file)[1]);
  const build = await rolldown({
    input: {
      ...Object.fromEntries(names.map((name) => [name, join(modules, `${name}.js`)])),
      'yaml-thread': join(modules, 'codec/yaml/yaml-thread.js'),
    },
    platform: 'node',
    external: [/^node:/],
    resolve: { alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') } },
    plugins: [{ name: 'maps-of-tsc', load: readWithMap }],
    // A warning is a name or module that was not found, or code that does not work when it is joined.
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  await build.write({
    dir: out,
    format: 'es',
    entryFileNames: '[name].js',
    // Chunks are one folder below dist/, as most modules are below build/: paths that are relative to import.meta.url stay true.
    chunkFileNames: (chunk) => `chunks/${nameOf(chunk, modules)}.js`,
    comments: { legal: true, annotation: true, jsdoc: false },
    sourcemap: true,
    plugins: [{ name: 'sources', generateBundle: (_, files) => Object.values(files).forEach(leaveOutSources) }],
  });
  await build.close();
  copyFileSync(join(root, 'node_modules/yaml/LICENSE'), join(out, 'yaml.LICENSE'));
}

/** A compiled module with the map to its TypeScript source. */
function readWithMap(id) {
  if (!id.endsWith('.js') || !existsSync(`${id}.map`)) return null;
  return { code: readFileSync(id, 'utf8'), map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) };
}

/** The name of a chunk: that of the module that is loaded later, or of the folder that most of its modules are from. */
function nameOf({ name, isDynamicEntry, moduleIds }, modules) {
  if (isDynamicEntry) return name;
  const counts = new Map();
  for (const id of moduleIds) {
    const library = /[/\\]node_modules[/\\]([^/\\]+)/.exec(id)?.[1];
    const folder = library ?? relative(modules, id).split(sep).slice(0, -1).slice(0, 2).join('-');
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] || 'shared';
}

function leaveOutSources(file) {
  if (!file.fileName.endsWith('.map')) return;
  const map = JSON.parse(file.source);
  map.sourcesContent = map.sourcesContent.map((text, at) => (withoutSources.test(map.sources[at]) ? null : text));
  file.source = JSON.stringify(map);
}
