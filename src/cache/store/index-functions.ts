import type { FieldPath } from '../../codec/raw.js';
import type { Accessor } from '../../meta/accessor.js';
import type { DeepReadonly } from '../../meta/objects.js';
import { optionError, requireFunction, requireString } from '../../meta/validate.js';
import { type ItemIndexFunction, requireIndexValues } from './indexer.js';

/**
 * The values under which an object is found. It is called with the parsed object at every change, so prefer a path or a
 * {@link ByteIndex}, which read bytes.
 *
 * It must depend on the object alone. An object for which it throws, or returns anything but strings, is in no place of
 * the index, and the error is reported.
 */
export type IndexFunction<T> = (object: DeepReadonly<T>) => readonly string[];

/** A ready-made index. It reads what it needs from the bytes of an object and never parses it. */
export interface ByteIndex {
  readonly kind: 'byteIndex';
  /** @internal */
  readonly valuesOf: <I>(accessor: Accessor<I>, item: I) => readonly string[];
  /** @internal The label whose values these are, so that a lister can use the index for a selector. */
  readonly label?: string | undefined;
  /** @internal The path it reads, so that a decoder can be told of it. */
  readonly path?: FieldPath | undefined;
}

/**
 * What an index is made from: a path such as `['spec', 'nodeName']`, whose string, number or boolean is the value; a
 * ready-made {@link ByteIndex}; or a function of the parsed object. Objects that have nothing there are not in the index.
 */
export type IndexSpec<T> = readonly string[] | ByteIndex | IndexFunction<T>;

/** The name of the index that every informer has: objects by namespace. */
export const namespaceIndex = 'namespace';

const nothing: readonly string[] = Object.freeze([]);

/** Objects by namespace; those of the cluster are under `''`. */
export function byNamespace(): ByteIndex {
  return { kind: 'byteIndex', valuesOf: (accessor, item) => [accessor.namespace(item)] };
}

/**
 * Objects by the value of one label.
 *
 * @example
 * const podsByApp = pods.addIndex('app', byLabel('app.kubernetes.io/name'));
 * podsByApp.list('web');
 */
export function byLabel(key: string): ByteIndex {
  requireString('key', key);
  const path = ['metadata', 'labels', key];
  return {
    kind: 'byteIndex',
    label: key,
    path,
    valuesOf: (accessor, item) => valueOrNothing(accessor.field(item, path)),
  };
}

/**
 * Objects by the uid of each of their owners.
 *
 * @example
 * const podsByOwner = pods.addIndex('owner', byOwnerUid());
 * podsByOwner.list(replicaSet.metadata.uid);
 */
export function byOwnerUid(): ByteIndex {
  return {
    kind: 'byteIndex',
    valuesOf: (accessor, item) => {
      const owners = accessor.ownerReferences(item);
      return owners.length === 0 ? nothing : owners.map((owner) => owner.uid);
    },
  };
}

/** What an index calls for each item that is stored, made from what its user wrote. */
export function toItemIndexFunction<I, T>(spec: IndexSpec<T>, accessor: Accessor<I, T>): ItemIndexFunction<I> {
  if (typeof spec === 'function') return (item) => requireIndexValues(spec(accessor.decode(item) as DeepReadonly<T>));
  if (isPath(spec)) {
    if (spec.length === 0 || spec.some((part) => typeof part !== 'string')) {
      throw optionError('index path', "one or more names, such as ['spec', 'nodeName']", spec);
    }
    // The same array as the user's: a decoder that was told of this path recognizes it, and has the text at hand.
    return (item) => valueOrNothing(accessor.field(item, spec));
  }
  if (typeof spec !== 'object' || spec === null || spec.kind !== 'byteIndex') {
    throw optionError('index', 'a path, a ready-made index such as byLabel(…), or a function', spec);
  }
  requireFunction('index.valuesOf', spec.valuesOf);
  return (item) => spec.valuesOf(accessor, item);
}

/** The path that an index reads, if it is made from one: told of it, a decoder reads it on the way in. */
export function pathOf<T>(spec: IndexSpec<T>): FieldPath | undefined {
  if (typeof spec === 'function') return undefined;
  return isPath(spec) ? spec : spec.path;
}

function valueOrNothing(value: string | undefined): readonly string[] {
  return value === undefined ? nothing : [value];
}

function isPath(spec: FieldPath | ByteIndex): spec is FieldPath {
  return Array.isArray(spec);
}
