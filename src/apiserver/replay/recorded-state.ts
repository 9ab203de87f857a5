import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { OwnerReference } from '../../meta/objects.js';
import type { ApiResource } from '../resources/registry.js';
import { selectedFields } from '../resources/strategy.js';
import type { StoredChange } from '../storage/collection.js';
import { type ChangeType, type KeptState, LINE_PREFIX, LINE_SUFFIX } from '../storage/revision.js';
import type { RecordedObject } from './recording.js';

/** An object of a recording as a change of the storage. Throws if it is no object of the resource. */
export function storedChange(
  resource: ApiResource,
  type: ChangeType,
  object: RecordedObject,
  time: number,
): StoredChange {
  const { key, version } = object;
  const [namespace, name] = splitKey(resource, key);
  const state = new RecordedState(resource, namespace, name, LINE_PREFIX[type], version, object.bytes);
  return { type, version, time, collection: resource.collection.id, key, state };
}

function splitKey({ namespaced, resource }: ApiResource, key: string): readonly [namespace: string, name: string] {
  const parts = key.split('/');
  if (parts.length !== (namespaced ? 2 : 1) || parts.includes('')) {
    throw new Error(`${JSON.stringify(key)} is no key of ${resource}`);
  }
  return namespaced ? [parts[0]!, parts[1]!] : ['', key];
}

/** The parts of an object that are read when a request needs them: most objects are only sent. */
interface Facts {
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerReference[];
  readonly isTerminating: boolean;
}

/** The state of an object that was recorded. */
class RecordedState implements KeptState {
  readonly namespace: string;
  readonly name: string;
  readonly line: Uint8Array;
  readonly #resource: ApiResource;
  readonly #prefixLength: number;
  readonly #version: string;
  #facts: Facts | undefined;

  constructor(
    resource: ApiResource,
    namespace: string,
    name: string,
    prefix: Uint8Array,
    version: number,
    bytes: Buffer,
  ) {
    this.#resource = resource;
    this.namespace = namespace;
    this.name = name;
    this.#prefixLength = prefix.length;
    this.#version = String(version);
    this.line = Buffer.concat([prefix, typedBytes(resource, bytes), LINE_SUFFIX]);
  }

  get uid(): string {
    return this.#read().uid;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#read().labels;
  }

  get fields(): Readonly<Record<string, string>> {
    return this.#read().fields;
  }

  get owners(): readonly OwnerReference[] {
    return this.#read().owners;
  }

  get isTerminating(): boolean {
    return this.#read().isTerminating;
  }

  get versionAt(): number {
    try {
      return this.#prefixLength + versionPlace(this.#bytes, this.#version);
    } catch {
      // Only a file that was made by hand has an object without it: its event is not readable either.
      return this.#prefixLength;
    }
  }

  get #bytes(): Buffer {
    return (this.line as Buffer).subarray(this.#prefixLength, this.line.length - LINE_SUFFIX.length);
  }

  #read(): Facts {
    this.#facts ??= factsOf(this.#resource, this.#bytes);
    return this.#facts;
  }
}

/** An object of a file that was made by hand may be anything: it is not selected then. */
function factsOf(resource: ApiResource, bytes: Buffer): Facts {
  try {
    const object = JSON.parse(bytes.toString('utf8')) as JsonObject;
    const { uid, labels, ownerReferences, deletionTimestamp } = object['metadata'] as JsonObject;
    return {
      uid: typeof uid === 'string' ? uid : '',
      labels: isTexts(labels) ? labels : {},
      fields: selectedFields(resource.storedFields, object),
      owners: Array.isArray(ownerReferences) ? (ownerReferences as OwnerReference[]) : [],
      isTerminating: deletionTimestamp !== undefined,
    };
  } catch {
    return { uid: '', labels: {}, fields: {}, owners: [], isTerminating: false };
  }
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string');
}

/** The bytes with kind and apiVersion in front: the items of lists of built-in resources are cut from there. */
function typedBytes({ kind, apiVersion, isCustom }: ApiResource, bytes: Buffer): Buffer {
  const type = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
  if (isCustom ? bytes[0] === OPEN : bytes.toString('latin1', 0, type.length) === type) return bytes;
  const object: unknown = JSON.parse(bytes.toString('utf8'));
  if (!isJsonObject(object)) throw new Error('an object of the recording is no JSON object');
  const { kind: _, apiVersion: __, ...rest } = object;
  return Buffer.from(JSON.stringify({ kind, apiVersion, ...rest }));
}

const OPEN = 0x7b;
const VERSION_FIELD = /"resourceVersion"\s*:\s*"/g;

/** Where the resourceVersion of an object begins in its bytes. */
function versionPlace(bytes: Buffer, version: string): number {
  const field = `"resourceVersion":"${version}"`;
  const first = bytes.indexOf(field);
  if (first >= 0 && bytes.indexOf(field, first + 1) < 0) return first + field.length - version.length - 1;
  // Other fields have the same name and value, or there is white space: the right one changes the resourceVersion.
  const text = bytes.toString('utf8');
  for (const match of text.matchAll(VERSION_FIELD)) {
    const at = match.index + match[0].length;
    const { metadata } = JSON.parse(`${text.slice(0, at)}?${text.slice(at)}`) as { metadata: JsonObject };
    const changed = metadata['resourceVersion'];
    if (typeof changed === 'string' && changed.startsWith('?')) return Buffer.byteLength(text.slice(0, at));
  }
  throw new Error('an object of the recording has no resourceVersion');
}
