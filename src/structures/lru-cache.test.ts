import { expect, it } from 'vitest';
import { LruCache } from './lru-cache.js';

it('removes the least recently used entry, where reading counts as use', () => {
  const cache = new LruCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect(cache.get('b')).toBeUndefined();
  expect([cache.get('a'), cache.get('c'), cache.size]).toEqual([1, 3, 2]);
  cache.set('a', 4);
  cache.set('d', 5);
  expect([cache.get('a'), cache.get('c'), cache.get('d')]).toEqual([4, undefined, 5]);
});
