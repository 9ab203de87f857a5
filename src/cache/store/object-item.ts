import { type Accessor, type ObjectWithMeta, objectAccessor } from '../../meta/accessor.js';
import { formatKey, KeyError } from '../../meta/key.js';
import type { DeepReadonly, ObjectMeta, OwnerReference } from '../../meta/objects.js';
import { messageOf } from '../../rest/http/request-errors.js';
import type { ItemView, ObjectFacts } from './item-view.js';

/**
 * An item of a cache with `storage: 'objects'` or with a transform function: the object, or what the transform returned. Its
 * facts are those of the object before the transform, which may remove the metadata.
 */
export class ObjectItem<T> {
  readonly facts: ObjectFacts;
  readonly apiVersion: string;
  readonly kind: string;
  readonly key: string;
  readonly object: T;
  /** Set if the object could not be parsed or transformed: `object` is undefined then. */
  readonly unreadable: Error | undefined;

  constructor(facts: ObjectFacts, apiVersion: string, kind: string, object: T, unreadable?: Error) {
    this.facts = facts;
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.key = formatKey(facts.namespace, facts.name);
    this.object = object;
    this.unreadable = unreadable;
  }
}

/** The view of {@link ObjectItem}s. */
export function objectView<T>(): ItemView<ObjectItem<T>, T> {
  const accessor: Accessor<ObjectItem<T>, T> = {
    key: (item) => {
      if (item.key === '' && item.unreadable !== undefined) throw new KeyError(item, 'it has no metadata');
      return item.key;
    },
    namespace: (item) => item.facts.namespace,
    name: (item) => item.facts.name,
    uid: (item) => item.facts.uid,
    resourceVersion: (item) => item.facts.resourceVersion,
    generation: (item) => item.facts.generation,
    creationTimestamp: (item) => metadataOf(item.object).creationTimestamp,
    deletionTimestamp: (item) => item.facts.deletionTimestamp,
    kind: (item) => item.kind,
    apiVersion: (item) => item.apiVersion,
    label: (item, key) => (Object.hasOwn(item.facts.labels, key) ? item.facts.labels[key] : undefined),
    labels: (item) => item.facts.labels,
    annotation: (item, key) => metadataOf(item.object).annotations?.[key],
    ownerReferences: (item) => item.facts.ownerReferences,
    field: (item, path) => objectAccessor.field(item.object as ObjectWithMeta, path),
    decode: (item) => item.object,
    unreadable: (item) => item.unreadable,
  };
  return {
    accessor,
    facts: (item) => item.facts,
    decode: (item) => item.object as DeepReadonly<T>,
    json: (item) => JSON.stringify(item.object),
    decodedSlot: () => undefined,
  };
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});
const noOwners: readonly OwnerReference[] = Object.freeze([]);

/** Decodes an item of a source, and transforms it if there is a transform. */
export function toObjectItem<I, T, U>(
  accessor: Accessor<I, T>,
  item: I,
  transform: ((object: T) => U) | undefined,
): ObjectItem<U> {
  const object = accessor.decode(item);
  const stored = transform === undefined ? (object as unknown as U) : transformed(object, transform);
  return new ObjectItem(factsOf(accessor, item, object), accessor.apiVersion(item), accessor.kind(item), stored);
}

function transformed<T, U>(object: T, transform: (object: T) => U): U {
  try {
    return transform(object);
  } catch (cause) {
    throw new Error(`the transform failed: ${messageOf(cause)}`, { cause });
  }
}

/** The item of an object that could not be parsed or transformed. */
export function unreadableItem<I, U>(accessor: Accessor<I>, item: I, error: Error): ObjectItem<U> {
  const text = (read: (item: I) => string): string => {
    try {
      return read(item);
    } catch {
      return '';
    }
  };
  const facts: ObjectFacts = {
    namespace: text(accessor.namespace),
    name: text(accessor.name),
    uid: '',
    resourceVersion: text(accessor.resourceVersion),
    generation: undefined,
    deletionTimestamp: undefined,
    labels: noLabels,
    ownerReferences: noOwners,
  };
  return new ObjectItem(facts, '', '', undefined as U, error);
}

function factsOf<I, T>(accessor: Accessor<I, T>, item: I, object: T): ObjectFacts {
  const metadata = metadataOf(object);
  return {
    namespace: accessor.namespace(item),
    name: accessor.name(item),
    uid: accessor.uid(item),
    resourceVersion: accessor.resourceVersion(item),
    generation: metadata.generation,
    deletionTimestamp: metadata.deletionTimestamp,
    labels: metadata.labels ?? noLabels,
    ownerReferences: metadata.ownerReferences ?? noOwners,
  };
}

function metadataOf(object: unknown): DeepReadonly<ObjectMeta> {
  const metadata = (object as { readonly metadata?: unknown } | null | undefined)?.metadata;
  return typeof metadata === 'object' && metadata !== null ? metadata : {};
}
