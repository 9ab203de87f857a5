import { createHash } from 'node:crypto';
import { asError } from '../../meta/errors/errors.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { pathSegmentErrors } from '../../meta/names.js';
import { checkOptions } from '../../meta/options/known-options.js';
import { optionError } from '../../meta/options/validate.js';
import { type GroupVersion, parseApiVersion } from '../../meta/resource.js';
import type { Clock } from '../../time/clock.js';
import { type ByteSource, fileSource, textSource } from './byte-source.js';
import type { ManifestPlace, ManifestProblem } from './manifest-error.js';
import { manifestFiles, objectsOf, readAgain, readDocuments } from './read-documents.js';

/**
 * Objects of any kinds: a text of YAML or JSON, objects, or files. A folder stands for its `.yaml`, `.yml` and `.json` files.
 * Files are read document by document, so that they may be larger than the memory of the process.
 */
export type ManifestSource = string | object | readonly object[] | { readonly path: string | readonly string[] };

/** An object as it was written. */
export interface WrittenObject extends GroupVersion {
  readonly apiVersion: string;
  readonly kind: string;
  /** As written; undefined if it names none. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly place: ManifestPlace;
  /** A hash of its content. */
  readonly digest: string;
  /** The whole object, which must not be changed. */
  load(): Promise<JsonObject>;
}

/** What a manifest has: its objects, and what could not be read of it. */
export interface ManifestSet extends AsyncDisposable {
  readonly objects: readonly WrittenObject[];
  readonly problems: readonly ManifestProblem[];
  /** The places of all of these, in the order of the manifest. */
  readonly places: readonly ManifestPlace[];
}

/** Documents are kept as JSON up to this much text; the others are read again when they are sent. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;
/** How long documents are parsed without a turn of the event loop. */
const SLICE_MS = 8;

/** Reads a manifest, and checks what can be checked without a server. */
export async function readManifestSet(
  source: ManifestSource,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<ManifestSet> {
  const reading = new Reading(clock, signal);
  try {
    if (typeof source === 'string') await reading.readSource(textSource(source), undefined);
    else if (Array.isArray(source)) for (const [at, object] of source.entries()) reading.readObject(object, at + 1);
    else if (isPath(source)) await reading.readFiles(source.path);
    else if (isJsonObject(source)) reading.readObject(source, 1);
    else throw optionError('the manifest', 'a text, objects or { path }', source);
    return reading;
  } catch (error) {
    await reading[Symbol.asyncDispose]();
    throw error;
  }
}

function isPath(source: unknown): source is { readonly path: string | readonly string[] } {
  if (!isJsonObject(source) || !('path' in source) || 'kind' in source) return false;
  checkOptions('the manifest', source as { readonly path: unknown }, { path: true });
  return true;
}

class Reading implements ManifestSet {
  readonly objects: WrittenObject[] = [];
  readonly problems: ManifestProblem[] = [];
  readonly places: ManifestPlace[] = [];
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #sources: ByteSource[] = [];
  #kept = 0;

  constructor(clock: Clock, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#signal = signal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sources.splice(0).map((source) => source[Symbol.asyncDispose]()));
  }

  async readFiles(given: string | readonly string[]): Promise<void> {
    const paths = typeof given === 'string' ? [given] : given;
    if (!Array.isArray(paths) || paths.length === 0 || !paths.every((path) => typeof path === 'string')) {
      throw optionError('path', 'a path or several', given);
    }
    for (const path of paths) {
      const files = await manifestFiles(path).catch((error: unknown) => this.#unreadable(path, error));
      for (const file of files) {
        const source = await fileSource(file).catch((error: unknown) => void this.#unreadable(file, error));
        if (source !== undefined) await this.readSource(source, file);
      }
    }
  }

  async readSource(source: ByteSource, file: string | undefined): Promise<void> {
    this.#sources.push(source);
    let sliceEnd = this.#clock.monotonicNow() + SLICE_MS;
    try {
      for await (const read of readDocuments(source, file)) {
        this.#signal?.throwIfAborted();
        if ('error' in read) this.#add(read.place, read.error);
        else {
          const { object, place, span } = read;
          const json = JSON.stringify(object);
          const digest = digestOf(json);
          const isKept = this.#kept + json.length <= KEPT_CHARACTERS;
          if (isKept) this.#kept += json.length;
          const load = isKept
            ? async () => JSON.parse(json) as JsonObject
            : async () => unchanged(await readAgain(source, span, place.item), digest);
          this.#check(object, digest, place, load);
        }
        if (this.#clock.monotonicNow() < sliceEnd) continue;
        await this.#clock.yield();
        sliceEnd = this.#clock.monotonicNow() + SLICE_MS;
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#add({ file, document: this.objects.length + 1, line: undefined, item: undefined }, error);
    }
  }

  readObject(given: unknown, number: number): void {
    const at: ManifestPlace = { file: undefined, document: number, line: undefined, item: undefined };
    for (const read of objectsOf(given, at)) {
      if ('error' in read) this.#add(read.place, read.error);
      else this.#check(read.object, digestOf(JSON.stringify(read.object)), read.place, async () => read.object);
    }
  }

  #unreadable(file: string, error: unknown): string[] {
    const why = new Error(`cannot read it: ${asError(error).message}`, { cause: error });
    this.#add({ file, document: 1, line: undefined, item: undefined }, why);
    return [];
  }

  #add(place: ManifestPlace, error: Error): void {
    this.places.push(place);
    this.problems.push({ place, object: undefined, error });
  }

  #check(object: JsonObject, digest: string, place: ManifestPlace, load: () => Promise<JsonObject>): void {
    try {
      this.objects.push({ ...identityOf(object), place, digest, load });
      this.places.push(place);
    } catch (error) {
      this.#add(place, asError(error));
    }
  }
}

function digestOf(json: string): string {
  return createHash('sha256').update(json).digest('base64');
}

/** The object that was read again, unless its file was written in place since the first time. */
function unchanged(object: unknown, digest: string): JsonObject {
  if (isJsonObject(object) && digestOf(JSON.stringify(object)) === digest) return object;
  throw new Error('it has changed since it was read');
}

/** What identifies an object. Throws an Error that says what it lacks. */
function identityOf({ apiVersion, kind, metadata }: JsonObject): Omit<WrittenObject, 'place' | 'digest' | 'load'> {
  if (typeof kind !== 'string' || kind === '') throw new Error('it has no kind');
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new Error(`the ${kind} has no apiVersion`);
  if (!isJsonObject(metadata)) throw new Error(`the ${kind} has no metadata`);
  const { name, namespace, generateName } = metadata;
  if ((name === undefined || name === '') && typeof generateName === 'string' && generateName !== '') {
    throw new Error(
      `the ${kind} has generateName and no name: apply finds objects by their name; create it with client.forResource(…).create`,
    );
  }
  if (typeof name !== 'string' || name === '') throw new Error(`the ${kind} has no metadata.name`);
  if (namespace !== undefined && namespace !== null && typeof namespace !== 'string') {
    throw new Error(`the namespace of ${kind} ${name} is not a text`);
  }
  const wrong = pathSegmentErrors(name);
  if (wrong.length > 0) throw new Error(`the name ${JSON.stringify(name)} of the ${kind} ${wrong.join(' and ')}`);
  return { ...parseApiVersion(apiVersion), apiVersion, kind, name, namespace: namespace || undefined };
}
