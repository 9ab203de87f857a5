// Joins the modules of build/, and the YAML parser, to the files that the package has: one for each entry, and chunks/ with what entries share or load
// later. Node takes about half a millisecond for each file that it imports; docs/decisions/0024-bundled-dist.md has the figures.
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * The folders whose sources are not in the source maps: with them the maps would be half of the package, and users do not step
 * through these.
 */
const withoutSources = /\/src\/(?:apiserver|cli|codec|compat|inspector|regexp|resources|streams)\/|\/node_modules\//;

/** Bundles the entries that package.json names from the compiled modules, and copies their declarations. */
export async function bundle(root, modules, out) {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.values(exports).filter((entry) => typeof entry === 'object');
  const names = [...entries.map((entry) => entry.default), ...Object.values(bin)].map(
    (file) => /^\.\/dist\/(.*)\.js$/.exec(file)[1],
  );
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
  const { output } = await build.write({
    dir: out,
    format: 'es',
    entryFileNames: '[name].js',
    // Chunks are one folder below dist/, as most modules are below build/: paths that are relative to import.meta.url stay true.
    chunkFileNames: (chunk) => `chunks/${nameOf(chunk, modules)}.js`,
    comments: { legal: true, annotation: true, jsdoc: false },
    sourcemap: true,
  });
  await build.close();
  for (const { fileName } of output) if (fileName.endsWith('.js.map')) leaveOutSources(join(out, fileName));
  for (const file of declarationsOf(entries.map(({ types }) => join(modules, relative('dist', types))))) {
    cpSync(file, join(out, relative(modules, file)));
  }
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

/** Removes sources from a map, and the map if less than a quarter of them is left. */
function leaveOutSources(file) {
  const map = JSON.parse(readFileSync(file, 'utf8'));
  map.sourcesContent = map.sourcesContent.map((text, at) => (withoutSources.test(map.sources[at]) ? null : text));
  const left = map.sourcesContent.filter((text) => text !== null);
  if (left.length >= map.sources.length / 4) writeFileSync(file, JSON.stringify(map));
  else {
    const script = file.slice(0, -'.map'.length);
    writeFileSync(script, readFileSync(script, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
    rmSync(file);
  }
}

/**
 * The declarations that the entries import, directly or not. They stay one file for each source: they cost nothing at run time,
 * and editors jump to the file that a name is from.
 */
function declarationsOf(entries) {
  const found = new Set(entries);
  for (const file of found) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      found.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  return found;
}
