import { type Raw, rawAccessorOf } from '../../codec/raw.js';
import type { Accessor } from '../../meta/accessor.js';
import type { DeepReadonly, OwnerReference } from '../../meta/objects.js';

/** Parts of an object's metadata that are read from its bytes. Reading them never parses the object. */
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

/** Reads the items of a cache. `I` is the type of the stored items, `T` the type of the objects that users see. */
export interface ItemView<I, T> {
  readonly accessor: Accessor<I, T>;
  facts(item: I): ObjectFacts;
  /** The object. All readers share it and must not change it. */
  decode(item: I): DeepReadonly<T>;
  json(item: I): string;
  /** Where the decoded object can be stored; undefined if the item holds the object itself. */
  decodedSlot(item: I): DecodedSlot | undefined;
}

/** The part of an item that a {@link DecodedCache} stores the decoded object in. */
export interface DecodedSlot {
  decoded: unknown;
  /** Whether the decoded object was read since the cache cleared this flag. */
  touched: boolean;
  /** About the size of the decoded object in bytes. */
  readonly length: number;
}

/** The view of items that are handles to bytes. A handle has the facts of its object. */
export function rawView<T>(): ItemView<Raw<T>, T> {
  return {
    accessor: rawAccessorOf<T>(),
    facts: (raw) => raw,
    decode: (raw) => raw.decode() as DeepReadonly<T>,
    json: (raw) => raw.json(),
    decodedSlot: (raw) => raw,
  };
}
