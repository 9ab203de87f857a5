import { describe, expect, it } from 'vitest';
import { FakeClock } from '../time/fake-clock.js';
import { LruCache } from './lru-cache.js';

describe('LruCache', () => {
  it('pushes out what was used longest ago, where reading is a use', () => {
    const cache = new LruCache<string, number>({ clock: new FakeClock(), size: 2, ttlMs: 1000 });
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3);
    expect(cache.get('b')).toBeUndefined();
    expect(cache.values()).toEqual([1, 3]);
    cache.set('a', 4);
    cache.set('d', 5);
    expect(cache.values()).toEqual([4, 5]);
    expect(cache.delete('a')).toBe(true);
    expect(cache.delete('a')).toBe(false);
    expect(cache.size).toBe(1);
  });

  it('lets nothing outlive its time, and writing begins a new one', async () => {
    const clock = new FakeClock();
    const cache = new LruCache<string, number>({ clock, size: 10, ttlMs: 1000 });
    cache.set('a', 1);
    cache.set('b', 2);
    await clock.advance(999);
    expect(cache.get('a')).toBe(1);
    cache.set('b', 3);
    await clock.advance(1);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.size).toBe(1);
    expect(cache.values()).toEqual([3]);
    await clock.advance(999);
    expect(cache.values()).toEqual([]);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('without a time to live keeps what there is room for', async () => {
    const clock = new FakeClock();
    const cache = new LruCache<string, number>({ clock, size: 1 });
    cache.set('a', 1);
    await clock.advance(1e12);
    expect(cache.get('a')).toBe(1);
  });

  it('refuses a size or a time that makes no sense', () => {
    const clock = new FakeClock();
    expect(() => new LruCache({ clock, size: 0, ttlMs: 1 })).toThrow(
      'size must be a whole number of at least 1, got 0',
    );
    expect(() => new LruCache({ clock, size: 1, ttlMs: -1 })).toThrow('ttlMs must be a number of at least 0, got -1');
  });
});
