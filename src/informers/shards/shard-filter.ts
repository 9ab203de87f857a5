import type { ObjectFilter } from '../../codec/codec.js';
import { controllerUidOf } from '../../codec/raw.js';
import type { Accessor } from '../../meta/accessor.js';
import type { OwnedKeys } from './owned-keys.js';
import { type ShardKey, shardOf, shardOfBytes } from './sharded-source.js';

/** A set of shards: 1 at the index of each shard that is in it. */
export type ShardBits = Uint8Array;

/** The set of these shards, of so many. */
export function bitsOf(count: number, shards: Iterable<number>): ShardBits {
  const bits = new Uint8Array(count);
  for (const shard of shards) bits[shard] = 1;
  return bits;
}

/** The shards that are in the set. */
export function shardsIn(bits: ShardBits): number[] {
  return [...bits.keys()].filter((shard) => bits[shard] === 1);
}

/** The shards that are in `bits` and not in `others`. */
export function shardsOnlyIn(bits: ShardBits, others: ShardBits): number[] {
  return [...bits.keys()].filter((shard) => bits[shard] === 1 && others[shard] !== 1);
}

/** Keeps the objects of some shards, and leaves out all others before they are stored. */
export class ShardFilter implements ObjectFilter {
  readonly by: ShardKey;
  /** The shards that it keeps; may change at any time. */
  readonly shards: ShardBits;
  readonly #count: number;
  readonly #owned: OwnedKeys | undefined;

  /** @param owned shared by all filters of one cache; only used with `controllerUid` */
  constructor(by: ShardKey, shards: ShardBits, owned?: OwnedKeys) {
    this.by = by;
    this.shards = shards;
    this.#count = shards.length;
    this.#owned = by === 'controllerUid' ? owned : undefined;
  }

  keeps(key: string, bytes: Uint8Array, start: number, end: number): boolean {
    if (start === end && this.by === 'controllerUid') return false;
    const shard = shardOfBytes(this.#count, bytes, start, end);
    if (this.shards[shard] !== 1) return false;
    this.#owned?.add(key, shard);
    return true;
  }

  needs(key: string): boolean {
    const shard = this.#owned?.shardOf(key);
    return shard !== undefined && this.shards[shard] === 1;
  }

  /** The shard of an object; -1 if it is in none. */
  shardOf<I>(accessor: Accessor<I>, item: I): number {
    const text = this.#textOf(accessor, item);
    return text === '' && this.by === 'controllerUid' ? -1 : shardOf({ count: this.#count }, text);
  }

  #textOf<I>(accessor: Accessor<I>, item: I): string {
    switch (this.by) {
      case 'uid':
        return accessor.uid(item);
      case 'namespace':
        return accessor.namespace(item);
      case 'controllerUid':
        return controllerUidOf(accessor.ownerReferences(item));
    }
  }
}
