import { fieldInvalid, fieldRequired } from '../../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../../meta/errors/status.js';
import { getField, isJsonObject, type JsonObject } from '../../../../meta/json-values.js';
import { dns1035LabelErrors, pathSegmentErrors } from '../../../../meta/names.js';
import type { ObjectMeta } from '../../../../meta/objects.js';
import { type ObjectSchema, type Schema, typeSchema } from '../../../../resources/schema.js';
import { isStepDue, type Steps } from '../../../../time/steps.js';
import type { CauseSteps } from '../../causes.js';
import { metadataCauses } from '../../object-meta.js';
import { readTyped, TypeMismatch } from '../../typed-object.js';
import { fieldOf, type Structural } from '../definition/structural.js';
import { MAX_REPORTED } from './pruning.js';

/*
 * Fields with `x-kubernetes-embedded-resource` hold whole objects: their kind, apiVersion and metadata follow Kubernetes'
 * own types.
 */

/** What is done with metadata that has wrong types: a request is refused, an object from the storage loses these fields. */
export type WrongMetadata = 'refuse' | 'drop';

/**
 * Reads the metadata of embedded resources: wrong types are refused or dropped, unknown fields dropped. Returns the paths of
 * unknown fields, sorted.
 *
 * @throws TypeMismatch
 */
export function* readEmbedded(value: unknown, schema: Structural, wrong: WrongMetadata): Steps<string[]> {
  const reader = new MetadataReader(wrong);
  if (hasEmbedded(schema)) yield* reader.read(value, schema, '');
  return reader.unknown.sort();
}

class MetadataReader {
  readonly unknown: string[] = [];
  readonly #wrong: WrongMetadata;

  constructor(wrong: WrongMetadata) {
    this.#wrong = wrong;
  }

  *read(value: unknown, schema: Structural, path: string): Steps<void> {
    if (isStepDue()) yield;
    if (Array.isArray(value)) {
      if (schema.items === undefined || !hasEmbedded(schema.items)) return;
      for (const [at, item] of value.entries()) yield* this.read(item, schema.items, `${path}[${at}]`);
      return;
    }
    if (!isJsonObject(value)) return;
    if (schema.isEmbedded) this.#readObject(value, path);
    for (const name of Object.keys(value)) {
      const field = fieldOf(schema, name);
      if (field !== undefined && hasEmbedded(field)) {
        yield* this.read(getField(value, name), field, childPath(schema, path, name));
      }
    }
  }

  #readObject(object: JsonObject, path: string): void {
    for (const field of ['apiVersion', 'kind']) {
      const value = getField(object, field);
      if (value === undefined || typeof value === 'string') continue;
      if (this.#wrong === 'refuse')
        throw new EmbeddedMismatch(fieldInvalid(join(path, field), value, 'must be a string'));
      delete object[field];
    }
    const metadata = getField(object, 'metadata');
    if (metadata === undefined) return;
    const place = join(path, 'metadata');
    try {
      object['metadata'] = readObjectMeta(metadata);
    } catch (error) {
      if (!(error instanceof TypeMismatch)) throw error;
      if (this.#wrong === 'refuse') throw new EmbeddedMismatch(fieldInvalid(place, metadata, error.message));
      object['metadata'] = isJsonObject(metadata) ? readableFields(metadata) : {};
    }
    this.#findUnknown(metadata, objectMeta(), place);
  }

  #findUnknown(value: unknown, schema: Schema, path: string): void {
    if (schema.type === 'list' && Array.isArray(value)) {
      for (const [at, item] of value.entries()) this.#findUnknown(item, schema.items, `${path}[${at}]`);
    }
    if (schema.type !== 'object' || !isJsonObject(value)) return;
    for (const name of Object.keys(value)) {
      const field = schema.fields.get(name);
      if (field !== undefined) this.#findUnknown(getField(value, name), field.schema, `${path}.${name}`);
      else if (this.unknown.length < MAX_REPORTED) this.unknown.push(`${path}.${name}`);
    }
  }
}

/** Metadata of a wrong type in an embedded resource. */
export class EmbeddedMismatch extends TypeMismatch {
  readonly found: StatusCause;

  constructor(found: StatusCause) {
    super(`${found.field}: ${found.message}`);
    this.found = found;
  }
}

function objectMeta(): ObjectSchema {
  return typeSchema('meta/v1.ObjectMeta')!;
}

function readObjectMeta(metadata: unknown): JsonObject {
  if (metadata === null) return {};
  if (!isJsonObject(metadata)) {
    const found = Array.isArray(metadata) ? 'array' : typeof metadata === 'boolean' ? 'bool' : typeof metadata;
    throw new TypeMismatch(`json: cannot unmarshal ${found} into Go value of type v1.ObjectMeta`);
  }
  const read = readTyped(metadata, objectMeta());
  for (const name of Object.keys(read)) if (read[name] === '' || read[name] === 0) delete read[name];
  return read;
}

function readableFields(metadata: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const name of Object.keys(metadata)) {
    try {
      Object.assign(kept, readObjectMeta({ [name]: getField(metadata, name) }));
    } catch (error) {
      if (!(error instanceof TypeMismatch)) throw error;
    }
  }
  return kept;
}

/** Causes for embedded resources without kind or apiVersion, or with invalid ones or invalid metadata. */
export function* embeddedCauses(value: unknown, schema: Structural, path = ''): CauseSteps {
  if (typeof value !== 'object' || value === null || !hasEmbedded(schema)) return;
  yield undefined;
  if (Array.isArray(value)) {
    if (schema.items === undefined) return;
    for (const [at, item] of value.entries()) yield* embeddedCauses(item, schema.items, `${path}[${at}]`);
    return;
  }
  if (!isJsonObject(value)) return;
  if (schema.isEmbedded) yield* objectCauses(value, path);
  for (const name of Object.keys(value)) {
    const field = fieldOf(schema, name);
    if (field !== undefined) yield* embeddedCauses(getField(value, name), field, childPath(schema, path, name));
  }
}

function* objectCauses(object: JsonObject, path: string): CauseSteps {
  const apiVersion = getField(object, 'apiVersion');
  const versionField = join(path, 'apiVersion');
  if (apiVersion === undefined) yield fieldRequired(versionField, '');
  else if (typeof apiVersion !== 'string') yield fieldInvalid(versionField, apiVersion, 'must be a string');
  else if (apiVersion === '') yield fieldInvalid(versionField, apiVersion, 'must not be empty');
  else if (apiVersion.split('/').length > 2) {
    yield fieldInvalid(versionField, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  }
  const kind = getField(object, 'kind');
  const kindField = join(path, 'kind');
  if (kind === undefined) yield fieldRequired(kindField, '');
  else if (typeof kind !== 'string') yield fieldInvalid(kindField, kind, 'must be a string');
  else if (kind === '') yield fieldInvalid(kindField, kind, 'must not be empty');
  else {
    const errors = dns1035LabelErrors(kind.toLowerCase());
    if (errors.length > 0) {
      yield fieldInvalid(kindField, kind, `may have mixed case, but should otherwise match: ${errors.join(',')}`);
    }
  }
  const metadata = getField(object, 'metadata');
  if (!isJsonObject(metadata)) return;
  const named = { ...metadata, name: metadata['name'] ?? 'fakename' } as ObjectMeta;
  // An embedded object may be of any kind: its name needs only be a path segment.
  const anyKind = {
    group: '',
    namespaced: named.namespace !== undefined,
    isCustom: true,
    strategy: { nameErrors: pathSegmentErrors },
  };
  for (const cause of metadataCauses(named, anyKind)) {
    yield cause && { ...cause, field: join(path, cause.field ?? '') };
  }
}

const knownEmbedded = new WeakMap<Structural, boolean>();

/** Whether a schema or one below it is an embedded resource: most have none, and are not walked. */
function hasEmbedded(schema: Structural): boolean {
  let has = knownEmbedded.get(schema);
  if (has === undefined) {
    has =
      schema.isEmbedded ||
      (schema.items !== undefined && hasEmbedded(schema.items)) ||
      (typeof schema.additionalProperties === 'object' && hasEmbedded(schema.additionalProperties)) ||
      [...schema.properties.values()].some(hasEmbedded);
    knownEmbedded.set(schema, has);
  }
  return has;
}

function childPath(schema: Structural, path: string, name: string): string {
  return schema.properties.has(name) ? join(path, name) : `${path}[${name}]`;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
