import type { Accessor } from '../meta/accessor.js';
import { KeyError } from '../meta/key.js';
import type { DeepReadonly, OwnerReference } from '../meta/objects.js';
import type { Slab, SlabArena, SlabEntry } from './slab.js';

/** The path of a field from the root of an object, such as `['spec', 'nodeName']`. */
export type FieldPath = readonly string[];

/**
 * Reads objects from their bytes. Each codec has one for all of its objects.
 */
export interface RawFormat {
  /** Parses the whole object into a new plain object. */
  decode(raw: Raw<unknown>): unknown;
  /** The object as JSON text. */
  json(raw: Raw<unknown>): string;
  /** The decoded value at a path of the object; undefined if there is none. */
  value(raw: Raw<unknown>, path: FieldPath): unknown;
}

/** The data that all objects of one list or watch share. */
export interface RawOrigin {
  readonly format: RawFormat;
  /** The kind of objects without one, such as items of a list, and of objects with `RAW_TYPED`. */
  readonly kind: string;
  readonly apiVersion: string;
  /** The paths that were read when each object was decoded, in the order of {@link Raw.texts}. */
  readonly paths: readonly FieldPath[];
}

/** The bytes contain `kind`. */
export const RAW_HAS_KIND = 1;
/** The bytes contain `apiVersion`. */
export const RAW_HAS_API_VERSION = 2;
/** Kind and apiVersion in the bytes are equal to those of the origin, and need not be read. */
export const RAW_TYPED = 16;
/** The object has duplicate fields: the last one counts. */
export const RAW_IRREGULAR = 4;
/** The object has no `metadata`, and so no key. */
export const RAW_NO_METADATA = 8;
/** The filter of the decoder left the object out: see {@link leftOutRaw}. */
export const RAW_LEFT_OUT = 64;
/** Only the key and resourceVersion are known, if they were found: see {@link unreadableRaw}. */
const RAW_UNREADABLE = 32;

const noLabels: Readonly<Record<string, string>> = Object.freeze({});
const noOwners: readonly OwnerReference[] = Object.freeze([]);

/**
 * An object as bytes in a {@link Slab}, with its key and resourceVersion. It is parsed by {@link decode} only.
 *
 * - It stays readable as long as it is referenced: its bytes are never overwritten. Compaction may move them, which
 *   changes only {@link slab} and {@link offset}.
 * - The bytes were validated when they arrived: reading never throws, except for an {@link unreadableRaw}.
 * - Every `decode()` makes a new object, which the caller may change.
 *
 * It implements `ObjectFacts`: those getters read single fields from the bytes.
 */
export class Raw<T> {
  /** @internal `slab`, `offset`, `length` and `held` implement {@link SlabEntry}. */
  slab: Slab;
  /** @internal */
  offset: number;
  /** The size of the object in bytes. */
  readonly length: number;
  /** @internal */
  held = false;
  /** @internal The parsed object while the cache of decoded objects keeps it. Only that cache uses this and `touched`. */
  decoded: unknown = undefined;
  /** @internal Whether it was read since the last sweep of that cache. */
  touched = false;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly resourceVersion: string;
  /** @internal `RAW_` bits. */
  readonly flags: number;
  /** @internal */
  readonly origin: RawOrigin;
  /** @internal The texts at the paths of {@link RawOrigin.paths}. */
  readonly texts: readonly (string | undefined)[] | undefined;

  /** @internal Called by codecs only. */
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

  /** Parses the object; each call makes a new one. */
  decode(): T {
    return this.origin.format.decode(this) as T;
  }

  /** The object as JSON text. */
  json(): string {
    return this.origin.format.json(this);
  }

  /** The decoded value at a path; undefined if there is none. */
  value(path: readonly string[]): unknown {
    return this.origin.format.value(this, path);
  }

  /** The string, number or boolean at a path, as text; undefined if there is none. The decoder's `paths` were read already. */
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
 * Stands for an object that could not be decoded, such as one that is nested too deeply, so that decoding can continue after
 * it. {@link Accessor.unreadable} returns the error; reading anything else throws it. Reflectors never add one to a queue.
 *
 * @param key undefined if it was not found
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

/** A copy of the object in memory of another arena: it does not keep the slab of the original in memory. */
export function copyRaw<T>(raw: Raw<T>, arena: SlabArena): Raw<T> {
  const { offset, length } = raw;
  const slab = arena.reserve(length);
  raw.slab.bytes.copy(slab.bytes, slab.used, offset, offset + length);
  const copy = new Raw<T>(slab, slab.used, length, raw.key, raw.resourceVersion, raw.flags, raw.origin, raw.texts);
  slab.used += length;
  return copy;
}

/** Stands for an object that the filter of a decoder left out. Only its key, resourceVersion and type can be read. */
export function leftOutRaw<T>(slab: Slab, key: string, resourceVersion: string, origin: RawOrigin): Raw<T> {
  return new Raw<T>(slab, 0, 0, key, resourceVersion, RAW_LEFT_OUT, origin, undefined);
}

/** Whether the filter of the decoder left the object out. It has bytes only if the filter needed them. */
export function isLeftOut(raw: Raw<unknown>): boolean {
  return (raw.flags & RAW_LEFT_OUT) !== 0;
}

/** The uid of the controller among owner references, if there is one. */
export function controllerUidOf(owners: unknown): string {
  if (!Array.isArray(owners)) return '';
  const controller = (owners as readonly Partial<OwnerReference>[]).find((owner) => owner?.controller === true);
  return typeof controller?.uid === 'string' ? controller.uid : '';
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
