// @ts-check
// Writes src/resources/ from what a real kube-apiserver says of itself.
//
//   npm run generate                   start a real server, keep what it says in input/, and write src/resources/
//   npm run generate -- --offline      use what is kept in input/
//   … --check                          write nothing; exit 1 and name the files that would change
//   … --out FOLDER                     write there instead of src/resources/ (and keep nothing)
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readKept, readServer, saveKept } from './documents.mjs';
import { buildModel } from './model.mjs';
import { renderCatalogue } from './render-catalogue.mjs';
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

const documents = flags.offline ? await readKept() : await readServer();
const model = buildModel(documents);
/** @type {Map<string, string>} path below the folder → content */
const files = new Map([
  ['catalogue.ts', renderCatalogue(model)],
  ['tree.ts', renderTree(model)],
  ['patch-schema.ts', renderSchema(model)],
  ...renderTypes(model),
]);

if (flags.check) {
  const changed = await differences();
  if (!flags.offline && JSON.stringify(await readKept()) !== JSON.stringify(documents))
    changed.push('the kept documents');
  for (const name of changed) process.stderr.write(`not what ${documents.version} gives: ${name}\n`);
  if (changed.length > 0) process.stderr.write('run `npm run generate`\n');
  process.exitCode = changed.length > 0 ? 1 : 0;
} else {
  await rm(join(folder, 'types'), { recursive: true, force: true });
  for (const [name, content] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  if (!flags.offline && flags.out === undefined) await saveKept(documents);
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
