/** The ready-made indexes. The main entry exports everything in this file: an index that is added here is public. */
import type { FieldPath } from '../../codec/raw.js';
import type { Accessor } from '../../meta/accessor.js';
import type { DeepReadonly } from '../../meta/objects.js';
import { requireString } from '../../meta/options/validate.js';
import { fieldValues } from './index-spec.js';

/**
 * Returns the values under which an index files an object. It is called with the parsed object at every change; a path or a
 * {@link ByteIndex} reads bytes instead.
 *
 * It must depend on the object alone. An object for which it throws, or returns anything but strings, is not in the index, and
 * the error is reported.
 */
export type IndexFunction<T> = (object: DeepReadonly<T>) => readonly string[];

/** A ready-made index. It reads the bytes of an object and never parses it. */
export interface ByteIndex {
  readonly kind: 'byteIndex';
  /** @internal */
  readonly valuesOf: <I>(accessor: Accessor<I>, item: I) => readonly string[];
  /** @internal The label whose values it has: a lister uses the index for a selector on this label. */
  readonly label?: string | undefined;
  /** @internal The path it reads: a decoder that knows the path reads the field while it decodes. */
  readonly path?: FieldPath | undefined;
}

/** Files objects by namespace; cluster-scoped objects under `''`. */
export function byNamespace(): ByteIndex {
  return { kind: 'byteIndex', valuesOf: (accessor, item) => [accessor.namespace(item)] };
}

/**
 * Files objects by the value of one label.
 *
 * @example
 * const podsByApp = pods.addIndex('app', byLabel('app.kubernetes.io/name'));
 * podsByApp.list('web');
 */
export function byLabel(key: string): ByteIndex {
  requireString('key', key);
  const path = ['metadata', 'labels', key];
  return { kind: 'byteIndex', label: key, path, valuesOf: (accessor, item) => fieldValues(accessor, item, path) };
}

/**
 * Files objects by the uid of each of their owners.
 *
 * @example
 * const podsByOwner = pods.addIndex('owner', byOwnerUid());
 * podsByOwner.list(replicaSet.metadata.uid);
 */
export function byOwnerUid(): ByteIndex {
  return { kind: 'byteIndex', valuesOf: (accessor, item) => accessor.ownerReferences(item).map(({ uid }) => uid) };
}
