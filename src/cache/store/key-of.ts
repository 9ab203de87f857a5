import type { Accessor } from '../../meta/accessor.js';
import { DeletedFinalStateUnknown, KeyError } from '../../meta/key.js';
import { requireFunction } from '../../meta/options/validate.js';

/** Returns the key of an item or a tombstone. */
export type ItemKey<T> = (item: T | DeletedFinalStateUnknown<T>) => string;

/**
 * Makes the key function of a store or queue: `keyOf`, or the accessor's key. A tombstone has a key of its own. Every error
 * becomes a KeyError.
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
