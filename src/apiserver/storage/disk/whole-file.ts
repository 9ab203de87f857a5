import type { JsonObject } from '../../../meta/json-values.js';
import { aboutBatch, readBatches } from './batch.js';
import { DataError, type DataFiles } from './data-files.js';
import { DRAFT_SUFFIX } from './file-names.js';

/** Reads a file that {@link writeWholeFile} has written. */
export async function readWholeFile(files: DataFiles, name: string): Promise<JsonObject> {
  const file = await files.open(name);
  try {
    const batches = readBatches(file, file.size);
    const first = await batches.next();
    const last = await batches.next();
    const isWhole = first.done !== true && last.done === true && last.value.kind === 'complete';
    if (isWhole && first.value.kind === 'about') return first.value.about;
    throw new DataError(`${files.path}/${name} is damaged; restore it from a copy, or remove it to get a new one`);
  } finally {
    await file.close();
  }
}

/** Replaces a file as a whole: after a crash there is the old or the new one. */
export async function writeWholeFile(files: DataFiles, name: string, content: JsonObject): Promise<void> {
  const draft = `${name}${DRAFT_SUFFIX}`;
  if ((await files.list()).includes(draft)) await files.remove(draft);
  const file = await files.create(draft);
  try {
    await file.append(aboutBatch(0, content));
    await file.sync();
  } finally {
    await file.close();
  }
  await files.rename(draft, name);
  await files.syncDirectory();
}
