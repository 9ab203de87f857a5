import type { Accessor } from '../../meta/accessor.js';
import { DeletedFinalStateUnknown, KeyError } from '../../meta/key.js';
import { requireFunction } from '../../meta/validate.js';

/** Makes the key of an item, or of what is left of one. */
export type ItemKey<T> = (item: T | DeletedFinalStateUnknown<T>) => string;

/**
 * How a store makes keys: with `keyOf`, or with the accessor when there is none. A tombstone knows its key, and whatever
 * else goes wrong becomes a KeyError.
 */
export function itemKey<T>(accessor: Accessor<T>, keyOf: ((item: T) => string) | undefined): ItemKey<T> {
  if (keyOf !== undefined) requireFunction('keyOf', keyOf);
  return (item) => {
    if (item instanceof DeletedFinalStateUnknown) return item.key;
    try {
      return keyOf === undefined ? accessor.key(item) : keyOf(item);
    } catch (error) {
      if (error instanceof KeyError) throw error;
      throw new KeyError(item, error instanceof Error ? error.message : String(error), { cause: error });
    }
  };
}
