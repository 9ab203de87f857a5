// @ts-check
// Generates src/resources/ and src/compat/models.ts from discovery and OpenAPI of a real kube-apiserver, and from the Go types of its version.
//
//   npm run generate                   start a real server, save its documents in input/, and write src/resources/
//   npm run generate -- --offline      use the documents in input/
//   … --check                          write nothing; exit 1 and name the files that would change
//   … --out FOLDER                     write there instead of src/resources/, and save no documents
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readInput, readServer, saveInput } from './documents.mjs';
import { buildModel } from './model.mjs';
import { renderCatalogue } from './render-catalogue.mjs';
import { renderDefaultObjects } from './render-default-objects.mjs';
import { renderModels } from './render-models.mjs';
import { renderSchema } from './render-schema.mjs';
import { renderTree } from './render-tree.mjs';
import { renderTypes } from './render-types.mjs';

const { values: flags } = parseArgs({
  options: {
    offline: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});
const folder = flags.out ?? fileURLToPath(new URL('../../src/resources/', import.meta.url));

const documents = flags.offline ? await readInput() : await readServer();
const model = buildModel(documents);
/** @type {Map<string, string>} path below the folder → content */
const files = new Map([
  ['catalogue.ts', renderCatalogue(model)],
  ['default-objects.ts', renderDefaultObjects(documents.version, documents.defaultObjects)],
  ['tree.ts', renderTree(model)],
  ['type-fields.ts', renderSchema(model)],
  ['../compat/models.ts', renderModels(model)],
  ...renderTypes(model),
]);

if (flags.check) {
  const changed = await differences();
  if (!flags.offline && JSON.stringify(await readInput()) !== JSON.stringify(documents))
    changed.push('scripts/generate/input');
  for (const name of changed) process.stderr.write(`differs from ${documents.version}: ${name}\n`);
  if (changed.length > 0) process.stderr.write('run `npm run generate`\n');
  process.exitCode = changed.length > 0 ? 1 : 0;
} else {
  await rm(join(folder, 'types'), { recursive: true, force: true });
  for (const [name, content] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  if (!flags.offline && flags.out === undefined) await saveInput(documents);
  process.stdout.write(
    `${files.size} files from ${documents.version}: ${model.resources.length} resources in ${model.groups.length} groups, ${model.types.length} types\n`,
  );
}

async function differences() {
  const changed = [];
  for (const [name, content] of files) {
    const present = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (present !== content) changed.push(name);
  }
  for (const name of await readdir(join(folder, 'types')))
    if (!files.has(`types/${name}`)) changed.push(`types/${name}`);
  return changed;
}
