import { formatKey, KeyError, type ObjectName } from './key.js';
import type { DeepReadonly, ObjectMeta, OwnerReference } from './objects.js';

/**
 * Reads the metadata that queues, stores, selectors and indexes need from an item, which is a plain object or unparsed
 * bytes. The counterpart of apimachinery's `meta.Accessor`. Every method is cheap; only `decode` may parse.
 *
 * `T` is the stored item, `D` the object that it decodes to.
 */
export interface Accessor<T, D = unknown> {
  /** `namespace/name`, or `name`. Throws a KeyError when the item has no metadata. */
  key(item: T): string;
  /** Empty for cluster-scoped objects. */
  namespace(item: T): string;
  name(item: T): string;
  /** Empty if there is none, as in objects that were never sent to a server. */
  uid(item: T): string;
  /** Empty if there is none. */
  resourceVersion(item: T): string;
  generation(item: T): number | undefined;
  creationTimestamp(item: T): string | undefined;
  deletionTimestamp(item: T): string | undefined;
  /** Empty if the object has none. */
  kind(item: T): string;
  /** Empty if the object has none. */
  apiVersion(item: T): string;
  /** One label, without reading the others. */
  label(item: T, key: string): string | undefined;
  labels(item: T): Readonly<Record<string, string>>;
  annotation(item: T, key: string): string | undefined;
  ownerReferences(item: T): readonly DeepReadonly<OwnerReference>[];
  /** The string, number or boolean at a path, as text; undefined if there is none. */
  field(item: T, path: readonly string[]): string | undefined;
  /** The whole object. */
  decode(item: T): D;
  /**
   * The error of an item that could not be decoded, such as one over `maxObjectBytes`; only its `key` and
   * `resourceVersion` can be read, if these were found. Undefined for every other item. @default every item is readable
   */
  unreadable?(item: T): Error | undefined;
}

/** A plain object with metadata; its other fields are not read. */
export interface ObjectWithMeta {
  readonly metadata: ObjectName;
}

/** The {@link Accessor} of plain objects of any type: it is assignable to `Accessor<Pod, Pod>`. */
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

/** Own properties only: a label may be called `constructor`. */
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
