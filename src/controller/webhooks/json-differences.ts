import { getField, isJsonObject } from '../../meta/json-values.js';

/** A place where two JSON values differ. A missing value is undefined. */
export interface JsonDifference {
  /** Names of fields and numbers of items. */
  readonly path: readonly (string | number)[];
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * The smallest places where two JSON values differ: fields, items of lists of the same length, and whole lists of different
 * lengths. A field that is undefined counts as missing.
 */
export function* jsonDifferences(
  before: unknown,
  after: unknown,
  path: readonly (string | number)[] = [],
): Generator<JsonDifference> {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [i, item] of before.entries()) yield* jsonDifferences(item, after[i], [...path, i]);
  } else if (isJsonObject(before) && isJsonObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* jsonDifferences(getField(before, name), getField(after, name), [...path, name]);
  } else yield { path, before, after };
}

/** Whether two JSON values are equal. A field that is undefined counts as missing. */
export function sameJson(a: unknown, b: unknown): boolean {
  return jsonDifferences(a, b).next().done === true;
}
