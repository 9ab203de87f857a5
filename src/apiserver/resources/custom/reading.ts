import type { JsonObject } from '../../../meta/json-values.js';
import type { Steps } from '../../../time/steps.js';
import type { Structural } from './definition/structural.js';
import { setDefaults } from './object/defaulting.js';
import { readEmbedded } from './object/embedded-resources.js';
import { dropNulls, prune } from './object/pruning.js';

/**
 * Reads an object from a request by the schema of its version: removes unknown fields and nulls, and reads the metadata of
 * embedded resources. Defaults come later, with those of other kinds. Returns the paths of unknown fields.
 *
 * @throws TypeMismatch for embedded metadata of wrong types
 */
export function* readCustom(object: JsonObject, schema: Structural): Steps<string[]> {
  const unknown = yield* prune(object, schema, { isRoot: true, reports: true });
  yield* dropNulls(object, schema);
  unknown.push(...(yield* readEmbedded(object, schema, 'refuse')));
  return unknown;
}

/** Brings an object from the storage to the present schema of its version: the definition may have changed since. */
export function* restoreCustom(object: JsonObject, schema: Structural): Steps<void> {
  yield* pruneCustom(object, schema);
  yield* setDefaults(object, schema);
}

/** Removes what a version that an object is converted to does not have. */
export function* pruneCustom(object: JsonObject, schema: Structural): Steps<void> {
  yield* prune(object, schema, { isRoot: true });
  yield* dropNulls(object, schema);
  yield* readEmbedded(object, schema, 'drop');
}
