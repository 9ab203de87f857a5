import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { yamlToJson } from '../../codec/yaml/yaml-to-json.js';
import { asError } from '../../meta/errors/errors.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { ByteSource } from './byte-source.js';
import type { ManifestPlace } from './manifest-error.js';
import { type DocumentSpan, documentText, linesBeforeContent, splitDocuments } from './split-documents.js';

/** An object of a document, or why the document cannot be read. */
export type Read =
  | { readonly object: JsonObject; readonly place: ManifestPlace; readonly span: DocumentSpan }
  | { readonly error: Error; readonly place: ManifestPlace };

const MANIFEST_NAME = /\.(ya?ml|json)$/;

/** The file, or the `.yaml`, `.yml` and `.json` files of a folder, sorted by name. Rejects if there are none. */
export async function manifestFiles(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => MANIFEST_NAME.test(name)).sort();
  if (names.length === 0) throw new Error(`${path} has no .yaml, .yml or .json files`);
  return names.map((name) => join(path, name));
}

/** Reads the objects of a source, document by document. The items of Lists are objects of their own. */
export async function* readDocuments(source: ByteSource, file: string | undefined): AsyncGenerator<Read, void, void> {
  for await (const { span, text } of splitDocuments(source)) {
    const line = span.line + (linesBeforeContent(text) ?? 0);
    const place: ManifestPlace = { file, document: span.number, line, item: undefined };
    let document: unknown;
    try {
      document = await parseDocument(text);
    } catch (error) {
      yield inFile(asError(error), place, span);
      continue;
    }
    if (document === null) continue;
    for (const read of objectsOf(document, place)) yield 'error' in read ? read : { ...read, span };
  }
}

/** Reads one document again, and the item in it. */
export async function readAgain(
  source: ByteSource,
  { start, length }: DocumentSpan,
  item: number | undefined,
): Promise<unknown> {
  const document = await parseDocument(documentText(await source.read(start, length)));
  if (item === undefined) return document;
  const found = [...objectsOf(document, { file: undefined, document: 1, line: 1, item: undefined })][item - 1];
  return found !== undefined && 'object' in found ? found.object : undefined;
}

async function parseDocument(text: string): Promise<unknown> {
  try {
    // JSON is YAML, but JSON.parse is faster, and reads any depth.
    if (/^\s*\{/.test(text)) return JSON.parse(text);
  } catch {
    // A flow mapping of YAML, or wrong.
  }
  const { json, duplicates } = await yamlToJson(text);
  if (duplicates.length > 0) throw new Error(`yaml: ${duplicates[0]}`);
  return JSON.parse(json);
}

/** Makes the line in a message of the parser, which counts from the start of the document, the line of the place. */
function inFile(error: Error, place: ManifestPlace, span: DocumentSpan): Read {
  const [found, line, reason] = /^yaml: line (\d+): (.*)$/s.exec(error.message) ?? [];
  if (found === undefined) return { error, place };
  const message = `not valid YAML: ${reason}`;
  return { error: new Error(message, { cause: error }), place: { ...place, line: span.line + Number(line) - 1 } };
}

/** The object, or the items of a List, also of Lists in it. */
export function* objectsOf(
  document: unknown,
  place: ManifestPlace,
): Generator<{ readonly object: JsonObject; readonly place: ManifestPlace } | { error: Error; place: ManifestPlace }> {
  let item = 0;
  const unread: unknown[] = [document];
  while (unread.length > 0) {
    const next = unread.pop();
    const isList =
      isJsonObject(next) && typeof next.kind === 'string' && next.kind.endsWith('List') && Array.isArray(next.items);
    if (isList) {
      unread.push(...[...(next.items as unknown[])].reverse());
      if (next === document) item = 1;
      continue;
    }
    const here = item === 0 ? place : { ...place, item: item++ };
    if (isJsonObject(next)) yield { object: next, place: here };
    else yield { error: new Error('it is not an object'), place: here };
  }
}
