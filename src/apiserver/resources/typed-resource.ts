import { PIECE } from '../../codec/json/large-json.js';
import { isJsonObject, type JsonObject, jsonTypeName } from '../../meta/json-values.js';
import { schemaOf, typeSchema } from '../../resources/schema.js';
import type { Steps } from '../../time/steps.js';
import { withoutNullsInSteps } from '../patch/merge-patch.js';
import { readCustom } from './custom/reading.js';
import type { ApiResource } from './registry.js';
import { readTyped, readTypedInSteps, TypeMismatch } from './typed-object.js';

/** Takes the paths of unknown fields. */
interface UnknownFields {
  unknown(path: string): void;
}

/**
 * Reads a document of about that size by the schema of its kind. The unknown fields of a custom kind are added to `faults`;
 * those of other kinds are found before.
 *
 * @throws TypeMismatch
 */
export function* typed(
  object: JsonObject,
  resource: ApiResource,
  size: number,
  faults?: UnknownFields | undefined,
): Steps<JsonObject> {
  if (resource.custom !== undefined) {
    if (object['metadata'] !== undefined) object['metadata'] = yield* typedMetadata(object['metadata'], faults);
    const unknown = yield* readCustom(object, resource.custom.schema);
    for (const path of unknown) faults?.unknown(path);
    return object;
  }
  const schema = schemaOf(resource);
  if (schema === undefined) return (yield* withoutNullsInSteps(object)) as JsonObject;
  return size <= PIECE ? readTyped(object, schema) : yield* readTypedInSteps(object, schema);
}

/** The metadata of a custom resource, which is read by itself. Adds its unknown fields to `faults`. */
function* typedMetadata(metadata: unknown, faults: UnknownFields | undefined): Steps<JsonObject> {
  const schema = typeSchema('meta/v1.ObjectMeta')!;
  if (!isJsonObject(metadata)) {
    if (metadata === null) return {};
    throw new TypeMismatch(`json: cannot unmarshal ${jsonTypeName(metadata)} into Go value of type v1.ObjectMeta`);
  }
  for (const name of Object.keys(metadata).sort()) if (!schema.fields.has(name)) faults?.unknown(`metadata.${name}`);
  return yield* readTypedInSteps(metadata, schema);
}

/** What kube-apiserver says of a kind that it does not have. */
export function unregistered(kind: string, apiVersion: string): string {
  const what = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
  return `${what} in scheme "pkg/runtime/scheme.go:111"`;
}
