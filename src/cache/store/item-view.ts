import { type Raw, rawAccessorOf } from '../../codec/raw.js';
import { type Accessor, type ObjectWithMeta, objectAccessor } from '../../meta/accessor.js';
import { formatKey, KeyError } from '../../meta/key.js';
import type { DeepReadonly, ObjectMeta, OwnerReference } from '../../meta/objects.js';
import { messageOf } from '../../rest/http/request-errors.js';

/** Read from the bytes, on arrival or on first touch: looking at these never parses the object. */
export interface ObjectFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number | undefined;
  readonly deletionTimestamp: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly ownerReferences: readonly DeepReadonly<OwnerReference>[];
}

/** How the items of a cache are looked at; `I` is what it holds, `T` what its users see. */
export interface ItemView<I, T> {
  readonly accessor: Accessor<I, T>;
  facts(item: I): ObjectFacts;
  /** The object. Everybody's: never to be changed. */
  decode(item: I): DeepReadonly<T>;
  json(item: I): string;
  /** Where the decoded object can be kept; undefined where the item is the object. */
  keeper(item: I): Keeper | undefined;
}

/** An item that can keep its decoded object for somebody. */
export interface Keeper {
  decoded: unknown;
  /** Whether it was read since whoever keeps it last looked. */
  touched: boolean;
  /** About how many bytes the decoded object is worth. */
  readonly length: number;
}

/** Handles to bytes: a handle is its own facts. */
export function rawView<T>(): ItemView<Raw<T>, T> {
  return {
    accessor: rawAccessorOf<T>(),
    facts: (raw) => raw,
    decode: (raw) => raw.decode() as DeepReadonly<T>,
    json: (raw) => raw.json(),
    keeper: (raw) => raw,
  };
}

/**
 * A plain object in a cache, or whatever a transform made of one. Facts are those of the object as it came: a transform may
 * leave nothing of its metadata.
 */
export class HeldObject<T> {
  readonly facts: ObjectFacts;
  readonly apiVersion: string;
  readonly kind: string;
  readonly key: string;
  readonly object: T;
  /** Why there is no object: it could not be read, or not be transformed. */
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

/** The view of {@link HeldObject}s. */
export function heldView<T>(): ItemView<HeldObject<T>, T> {
  const accessor: Accessor<HeldObject<T>, T> = {
    key: (held) => {
      if (held.key === '' && held.unreadable !== undefined) throw new KeyError(held, 'it has no metadata');
      return held.key;
    },
    namespace: (held) => held.facts.namespace,
    name: (held) => held.facts.name,
    uid: (held) => held.facts.uid,
    resourceVersion: (held) => held.facts.resourceVersion,
    generation: (held) => held.facts.generation,
    creationTimestamp: (held) => metadataOf(held.object).creationTimestamp,
    deletionTimestamp: (held) => held.facts.deletionTimestamp,
    kind: (held) => held.kind,
    apiVersion: (held) => held.apiVersion,
    label: (held, key) => (Object.hasOwn(held.facts.labels, key) ? held.facts.labels[key] : undefined),
    labels: (held) => held.facts.labels,
    annotation: (held, key) => metadataOf(held.object).annotations?.[key],
    ownerReferences: (held) => held.facts.ownerReferences,
    field: (held, path) => objectAccessor.field(held.object as ObjectWithMeta, path),
    decode: (held) => held.object,
    unreadable: (held) => held.unreadable,
  };
  return {
    accessor,
    facts: (held) => held.facts,
    decode: (held) => held.object as DeepReadonly<T>,
    json: (held) => JSON.stringify(held.object),
    keeper: () => undefined,
  };
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});
const noOwners: readonly OwnerReference[] = Object.freeze([]);

/** What an item of a source becomes in a cache of objects: decoded, and transformed if there is a transform. */
export function hold<I, T, U>(
  accessor: Accessor<I, T>,
  item: I,
  transform: ((object: T) => U) | undefined,
): HeldObject<U> {
  const object = accessor.decode(item);
  const kept = transform === undefined ? (object as unknown as U) : transformed(object, transform);
  return new HeldObject(factsOf(accessor, item, object), accessor.apiVersion(item), accessor.kind(item), kept);
}

function transformed<T, U>(object: T, transform: (object: T) => U): U {
  try {
    return transform(object);
  } catch (cause) {
    throw new Error(`the transform failed: ${messageOf(cause)}`, { cause });
  }
}

/** Stands for an object that could not be read, or of which a transform could not make anything. */
export function holdUnreadable<I, U>(accessor: Accessor<I>, item: I, error: Error): HeldObject<U> {
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
  return new HeldObject(facts, '', '', undefined as U, error);
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
