import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { yamlToJson } from '../apiserver/wire/yaml-body.js';
import { isJsonObject, type JsonObject } from '../meta/json-values.js';
import { type CommandContext, CommandError } from './command.js';

/** An object of a manifest, and where it is, for messages. */
export interface Manifest {
  readonly object: JsonObject;
  /** Such as `deploy.yaml, document 2`. */
  readonly place: string;
}

const MANIFEST_NAME = /\.(ya?ml|json)$/;
/** The line between two documents of a file. */
const SEPARATOR = /^---(?:[ \t].*)?$/m;

/**
 * Reads the objects of manifests: each path is a file, a folder whose `.yaml`, `.yml` and `.json` files are read in order, or `-`
 * for the standard input.
 */
export async function readManifests(
  paths: readonly string[],
  stdin: CommandContext['stdin'] = process.stdin,
): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const path of paths) {
    if (path === '-') manifests.push(...(await objectsIn(await textOf(stdin), 'the standard input')));
    else for (const file of await filesOf(path)) manifests.push(...(await readFileOf(file)));
  }
  return manifests;
}

async function textOf(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString();
}

async function filesOf(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => MANIFEST_NAME.test(name)).sort();
    if (names.length === 0) throw new CommandError(`${path} has no .yaml, .yml or .json files`);
    return names.map((name) => join(path, name));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

async function readFileOf(path: string): Promise<Manifest[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandError(`cannot read ${path}: ${(error as Error).message}`);
  }
  return objectsIn(text, path);
}

async function objectsIn(text: string, path: string): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const [at, part] of text.split(SEPARATOR).entries()) {
    const place = `${path}, document ${at + 1}`;
    const document = await parse(part, place);
    // A document of comments only.
    if (document === null) continue;
    if (!isJsonObject(document)) throw new CommandError(`${place}: not an object`);
    manifests.push(...objectsOf(document, place));
  }
  return manifests;
}

async function parse(text: string, place: string): Promise<unknown> {
  try {
    // JSON is YAML, but JSON.parse is faster, and reads any depth.
    if (/^\s*\{/.test(text)) return JSON.parse(text);
  } catch {
    // A flow mapping of YAML, or wrong.
  }
  try {
    return JSON.parse((await yamlToJson(text)).json);
  } catch (error) {
    throw new CommandError(`${place}: ${(error as Error).message}`);
  }
}

/** The object, or the items of a List. */
function objectsOf(document: JsonObject, place: string): Manifest[] {
  const { kind, items } = document;
  if (typeof kind !== 'string' || kind === '') throw new CommandError(`${place}: it has no kind`);
  if (!kind.endsWith('List') || !Array.isArray(items)) return [{ object: document, place }];
  return items.flatMap((item: unknown, at) => {
    if (!isJsonObject(item)) throw new CommandError(`${place}, item ${at + 1}: not an object`);
    return objectsOf(item, `${place}, item ${at + 1}`);
  });
}
