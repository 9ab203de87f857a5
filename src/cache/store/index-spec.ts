import type { FieldPath } from '../../codec/raw.js';
import type { Accessor } from '../../meta/accessor.js';
import type { DeepReadonly } from '../../meta/objects.js';
import { optionError, requireFunction } from '../../meta/options/validate.js';
import type { ByteIndex, IndexFunction } from './index-functions.js';
import { type ItemIndexFunction, requireIndexValues } from './indexer.js';

/**
 * What an index is made from: a path such as `['spec', 'nodeName']`, whose string, number or boolean is the value; a
 * ready-made {@link ByteIndex}; or a function of the parsed object. An object without a value is not in the index.
 */
export type IndexSpec<T> = readonly string[] | ByteIndex | IndexFunction<T>;

/** The name of the index that every informer has: objects by namespace. */
export const namespaceIndex = 'namespace';

const nothing: readonly string[] = Object.freeze([]);

/** Makes the function that an Indexer calls for each item it stores. */
export function toItemIndexFunction<I, T>(spec: IndexSpec<T>, accessor: Accessor<I, T>): ItemIndexFunction<I> {
  if (typeof spec === 'function') return (item) => requireIndexValues(spec(accessor.decode(item) as DeepReadonly<T>));
  if (isPath(spec)) {
    if (spec.length === 0 || spec.some((part) => typeof part !== 'string')) {
      throw optionError('index path', "one or more names, such as ['spec', 'nodeName']", spec);
    }
    // The same array that the decoder got: it finds the field that it has read by the identity of the path.
    return (item) => fieldValues(accessor, item, spec);
  }
  if (typeof spec !== 'object' || spec === null || spec.kind !== 'byteIndex') {
    throw optionError('index', 'a path, a ready-made index such as byLabel(…), or a function', spec);
  }
  requireFunction('index.valuesOf', spec.valuesOf);
  return (item) => spec.valuesOf(accessor, item);
}

/** The path that an index reads, if it reads one: a decoder that knows the path reads the field while it decodes. */
export function pathOf<T>(spec: IndexSpec<T>): FieldPath | undefined {
  if (typeof spec === 'function') return undefined;
  return isPath(spec) ? spec : spec.path;
}

/** The value of one field as the values of an index. */
export function fieldValues<I>(accessor: Accessor<I>, item: I, path: FieldPath): readonly string[] {
  const value = accessor.field(item, path);
  return value === undefined ? nothing : [value];
}

function isPath(spec: FieldPath | ByteIndex): spec is FieldPath {
  return Array.isArray(spec);
}
