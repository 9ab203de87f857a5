import { formatKey, KeyError, type ObjectName } from './key.js';
import type { DeepReadonly, ObjectMeta, OwnerReference } from './objects.js';

/**
 * Reads the facts of an item that queues, stores, selectors and indexes live by, whatever the item is: a plain object, or
 * bytes that nobody has parsed. Every method is cheap and independent of the others; only `decode` may parse.
 *
 * `T` is what is kept, `D` what it decodes to.
 */
export interface Accessor<T, D = unknown> {
  /** `namespace/name`, or `name`. Throws a KeyError when the item has no metadata. */
  key(item: T): string;
  /** Empty for objects of the cluster. */
  namespace(item: T): string;
  name(item: T): string;
  /** Empty when there is none, as in objects that never were on a server. */
  uid(item: T): string;
  /** Empty when there is none. */
  resourceVersion(item: T): string;
  generation(item: T): number | undefined;
  creationTimestamp(item: T): string | undefined;
  deletionTimestamp(item: T): string | undefined;
  /** Empty when the object does not say. */
  kind(item: T): string;
  /** Empty when the object does not say. */
  apiVersion(item: T): string;
  /** One label, without building the others. */
  label(item: T, key: string): string | undefined;
  labels(item: T): Readonly<Record<string, string>>;
  annotation(item: T, key: string): string | undefined;
  ownerReferences(item: T): readonly DeepReadonly<OwnerReference>[];
  /** The string, number or boolean at a path, as text; undefined when there is none. */
  field(item: T, path: readonly string[]): string | undefined;
  /** The whole object. */
  decode(item: T): D;
  /**
   * Why the item only stands for an object that could not be read: then `key` and `resourceVersion` are all it has, where
   * these were found. Undefined for every other item. @default every item is one that was read
   */
  unreadable?(item: T): Error | undefined;
}

/** A plain object with metadata; anything else in it is its own business. */
export interface ObjectWithMeta {
  readonly metadata: ObjectName;
}

/** The {@link Accessor} of plain objects, whatever their type: it fits `Accessor<Pod, Pod>` as well. */
export interface ObjectAccessor extends Accessor<ObjectWithMeta, ObjectWithMeta> {
  decode<T extends ObjectWithMeta>(item: T): T;
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});
const noOwners: readonly OwnerReference[] = Object.freeze([]);

function metaOf(item: ObjectWithMeta): DeepReadonly<ObjectMeta> {
  const metadata = (item as ObjectWithMeta | null | undefined)?.metadata;
  if (typeof metadata !== 'object' || metadata === null) throw new KeyError(item, 'it has no metadata');
  return metadata as DeepReadonly<ObjectMeta>;
}

/** Own fields only: a label may be called `constructor`. */
function own(record: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Reads plain objects. */
export const objectAccessor: ObjectAccessor = {
  key(item) {
    const { namespace, name } = metaOf(item);
    return formatKey(namespace, name ?? '');
  },
  namespace: (item) => metaOf(item).namespace ?? '',
  name: (item) => metaOf(item).name ?? '',
  uid: (item) => metaOf(item).uid ?? '',
  resourceVersion: (item) => metaOf(item).resourceVersion ?? '',
  generation: (item) => metaOf(item).generation,
  creationTimestamp: (item) => metaOf(item).creationTimestamp,
  deletionTimestamp: (item) => metaOf(item).deletionTimestamp,
  kind: (item) => (item as { readonly kind?: string }).kind ?? '',
  apiVersion: (item) => (item as { readonly apiVersion?: string }).apiVersion ?? '',
  label: (item, key) => own(metaOf(item).labels, key),
  labels: (item) => metaOf(item).labels ?? noLabels,
  annotation: (item, key) => own(metaOf(item).annotations, key),
  ownerReferences: (item) => metaOf(item).ownerReferences ?? noOwners,
  field(item, path) {
    let value: unknown = item;
    for (const name of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
      value = (value as Record<string, unknown>)[name];
    }
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  },
  decode: (item) => item,
};
