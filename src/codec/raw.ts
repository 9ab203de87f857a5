import type { Accessor } from '../meta/accessor.js';
import { KeyError } from '../meta/key.js';
import type { DeepReadonly, OwnerReference } from '../meta/objects.js';
import type { Slab, SlabEntry } from './slab.js';

/** Where a value is: a list of names from the object down, such as `['spec', 'nodeName']`. */
export type FieldPath = readonly string[];

/**
 * How to read an object from its bytes. A codec brings one for all of its handles; nobody else knows what the bytes are.
 */
export interface RawFormat {
  /** The whole object, as a plain object that is the caller's. */
  decode(raw: Raw<unknown>): unknown;
  /** The object as JSON text. */
  json(raw: Raw<unknown>): string;
  /** The decoded value at a path of the object; undefined when there is none. */
  value(raw: Raw<unknown>, path: FieldPath): unknown;
}

/** What all objects of one list or watch have in common. */
export interface RawOrigin {
  readonly format: RawFormat;
  /** What the objects are: those that do not say it themselves, as the items of a list, and those that say the same. */
  readonly kind: string;
  readonly apiVersion: string;
  /** The paths of which each object's text was read on arrival, in the order of {@link Raw.texts}. */
  readonly paths: readonly FieldPath[];
}

/** The object says its kind itself. */
export const RAW_HAS_KIND = 1;
/** The object says its apiVersion itself. */
export const RAW_HAS_API_VERSION = 2;
/** What the object says of its kind and apiVersion is what its origin says: nobody has to look. */
export const RAW_TYPED = 16;
/** Fields came twice: a reader has to look for the last one. */
export const RAW_IRREGULAR = 4;
/** There is no `metadata`, so there can be no key. */
export const RAW_NO_METADATA = 8;
/** Nothing is known of the object but its key, and its resourceVersion where that was found: see {@link unreadableRaw}. */
const RAW_UNREADABLE = 32;

const noLabels: Readonly<Record<string, string>> = Object.freeze({});
const noOwners: readonly OwnerReference[] = Object.freeze([]);

/**
 * An object as bytes in a {@link Slab}, with the facts that were read from them on the way in. Nothing is parsed until
 * somebody asks for it.
 *
 * - A handle stays readable for as long as somebody holds it: its bytes are never overwritten. They may move, which
 *   nobody but {@link slab} and {@link offset} shows.
 * - The bytes were checked when they came in: reading never throws. (Only of an object that could not be read at all; see
 *   {@link unreadableRaw}.)
 * - Every `decode()` makes a new object, which is the caller's.
 *
 * It is its own `facts`: the fields of `ObjectFacts` read the bytes, and never parse the whole object.
 */
export class Raw<T> {
  /** @internal As in {@link SlabEntry}, like the next three. */
  slab: Slab;
  /** @internal */
  offset: number;
  /** How many bytes the object takes. */
  readonly length: number;
  /** @internal */
  held = false;
  /** @internal The object, while a cache of decoded objects keeps it; that cache's alone, as the next one. */
  decoded: unknown = undefined;
  /** @internal Whether it was read since the cache last looked. */
  touched = false;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly resourceVersion: string;
  /** @internal What the scan found, as `RAW_` bits. */
  readonly flags: number;
  /** @internal */
  readonly origin: RawOrigin;
  /** @internal What was found at the paths of {@link RawOrigin.paths}. */
  readonly texts: readonly (string | undefined)[] | undefined;

  /** @internal Handles are made by a codec. */
  constructor(
    slab: Slab,
    offset: number,
    length: number,
    key: string,
    resourceVersion: string,
    flags: number,
    origin: RawOrigin,
    texts: readonly (string | undefined)[] | undefined,
  ) {
    this.slab = slab;
    this.offset = offset;
    this.length = length;
    this.key = key;
    this.resourceVersion = resourceVersion;
    this.flags = flags;
    this.origin = origin;
    this.texts = texts;
  }

  /** The object, parsed now; a new one each time, and yours. */
  decode(): T {
    return this.origin.format.decode(this) as T;
  }

  /** The object as JSON text. */
  json(): string {
    return this.origin.format.json(this);
  }

  /** The decoded value at a path; undefined when there is none. */
  value(path: readonly string[]): unknown {
    return this.origin.format.value(this, path);
  }

  /** The string, number or boolean at a path, as text; undefined when there is none. Paths a decoder was told of cost nothing. */
  field(path: readonly string[]): string | undefined {
    const known = this.texts === undefined ? -1 : this.origin.paths.indexOf(path);
    return known < 0 ? scalarText(this.value(path)) : this.texts?.[known];
  }

  get namespace(): string {
    const slash = this.key.indexOf('/');
    return slash < 0 ? '' : this.key.slice(0, slash);
  }

  get name(): string {
    return this.key.slice(this.key.indexOf('/') + 1);
  }

  get uid(): string {
    return textAt(this, ['metadata', 'uid']) ?? '';
  }

  get kind(): string {
    return (this.flags & (RAW_HAS_KIND | RAW_TYPED)) === RAW_HAS_KIND
      ? (textAt(this, ['kind']) ?? '')
      : this.origin.kind;
  }

  get apiVersion(): string {
    return (this.flags & (RAW_HAS_API_VERSION | RAW_TYPED)) === RAW_HAS_API_VERSION
      ? (textAt(this, ['apiVersion']) ?? '')
      : this.origin.apiVersion;
  }

  get generation(): number | undefined {
    const value = this.value(['metadata', 'generation']);
    return typeof value === 'number' ? value : undefined;
  }

  get creationTimestamp(): string | undefined {
    return textAt(this, ['metadata', 'creationTimestamp']);
  }

  get deletionTimestamp(): string | undefined {
    return textAt(this, ['metadata', 'deletionTimestamp']);
  }

  get labels(): Readonly<Record<string, string>> {
    const value = this.value(['metadata', 'labels']);
    return isObject(value) ? (value as Record<string, string>) : noLabels;
  }

  get ownerReferences(): readonly DeepReadonly<OwnerReference>[] {
    const value = this.value(['metadata', 'ownerReferences']);
    return Array.isArray(value) ? value : noOwners;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function textAt(raw: Raw<unknown>, path: FieldPath): string | undefined {
  const value = raw.value(path);
  return typeof value === 'string' ? value : undefined;
}

/** A string, number or boolean as text, as indexes and selectors compare them. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/**
 * Stands for an object that a codec could not read, such as one that is nested too deeply, so that what comes before and
 * behind it is not lost with it. Its accessor names the {@link Accessor.unreadable reason}; whatever else is read of it
 * throws that. Reflectors never let one into a queue.
 *
 * @param key undefined where not even that could be read
 */
export function unreadableRaw<T>(
  slab: Slab,
  key: string | undefined,
  resourceVersion: string,
  origin: RawOrigin,
  error: Error,
): Raw<T> {
  const fail = (): never => {
    throw error;
  };
  const format: UnreadableFormat = { error, decode: fail, json: fail, value: fail };
  const flags = RAW_UNREADABLE | (key === undefined ? RAW_NO_METADATA : 0);
  return new Raw<T>(slab, 0, 0, key ?? '', resourceVersion, flags, { ...origin, format }, undefined);
}

interface UnreadableFormat extends RawFormat {
  readonly error: Error;
}

function checked<T>(raw: Raw<T>): Raw<T> {
  if ((raw.flags & RAW_NO_METADATA) !== 0) throw new KeyError(raw, 'it has no metadata');
  return raw;
}

const rawAccessor: Accessor<Raw<unknown>> = {
  key: (raw) => checked(raw).key,
  namespace: (raw) => checked(raw).namespace,
  name: (raw) => checked(raw).name,
  uid: (raw) => checked(raw).uid,
  resourceVersion: (raw) => checked(raw).resourceVersion,
  generation: (raw) => checked(raw).generation,
  creationTimestamp: (raw) => checked(raw).creationTimestamp,
  deletionTimestamp: (raw) => checked(raw).deletionTimestamp,
  kind: (raw) => raw.kind,
  apiVersion: (raw) => raw.apiVersion,
  label: (raw, key) => textAt(checked(raw), ['metadata', 'labels', key]),
  labels: (raw) => checked(raw).labels,
  annotation: (raw, key) => textAt(checked(raw), ['metadata', 'annotations', key]),
  ownerReferences: (raw) => checked(raw).ownerReferences,
  field: (raw, path) => raw.field(path),
  decode: (raw) => raw.decode(),
  unreadable: (raw) => ((raw.flags & RAW_UNREADABLE) === 0 ? undefined : (raw.origin.format as UnreadableFormat).error),
};

/** The {@link Accessor} of `Raw<T>`. Only its `decode` parses the object. */
export function rawAccessorOf<T>(): Accessor<Raw<T>, T> {
  return rawAccessor as unknown as Accessor<Raw<T>, T>;
}
