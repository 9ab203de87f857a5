import { expect, it } from 'vitest';
import { type ObjectWithMeta, objectAccessor } from '../../meta/accessor.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import { itemKey } from './key-of.js';

it('returns the key of a tombstone, whatever its object is', () => {
  const keyOf = itemKey<ObjectWithMeta>(objectAccessor, undefined);
  expect(keyOf(new DeletedFinalStateUnknown<ObjectWithMeta>('a/b', undefined))).toBe('a/b');
  expect(keyOf(new DeletedFinalStateUnknown<ObjectWithMeta>('a/b', { metadata: { name: 'c' } }))).toBe('a/b');
  expect(keyOf({ metadata: { namespace: 'a', name: 'b' } })).toBe('a/b');
});
