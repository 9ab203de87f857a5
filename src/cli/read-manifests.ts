import { type ByteSource, fileSource, textSource } from '../client/manifests/byte-source.js';
import { printPlace } from '../client/manifests/manifest-error.js';
import { manifestFiles, readDocuments } from '../client/manifests/read-documents.js';
import type { JsonObject } from '../meta/json-values.js';
import { type CommandContext, CommandError } from './command.js';

/** An object of a manifest, and where it is, for messages. */
export interface Manifest {
  readonly object: JsonObject;
  /** Such as `deploy.yaml, document 2 (line 14)`. */
  readonly place: string;
}

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
    if (path === '-') {
      manifests.push(...(await objectsIn(textSource(await textOf(stdin)), 'the standard input')));
      continue;
    }
    for (const file of await readable(path, manifestFiles(path))) {
      manifests.push(...(await objectsIn(await readable(file, fileSource(file)), file)));
    }
  }
  return manifests;
}

async function textOf(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString();
}

async function readable<T>(path: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw new CommandError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

async function objectsIn(source: ByteSource, file: string): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  try {
    for await (const read of readDocuments(source, file)) {
      const place = printPlace(read.place);
      if ('error' in read) throw new CommandError(`${place}: ${read.error.message}`);
      const { kind } = read.object;
      if (typeof kind !== 'string' || kind === '') throw new CommandError(`${place}: it has no kind`);
      manifests.push({ object: read.object, place });
    }
    return manifests;
  } finally {
    await source[Symbol.asyncDispose]();
  }
}
