import { describe, expect, it } from 'vitest';
import { forms, show, thing } from '../../test/support/forms.js';
import { expectStore } from '../../test/support/store-suite.js';
import { FakeClock } from '../time/fake-clock.js';
import { ExpirationCache } from './expiration-cache.js';

describe.each(forms)('ExpirationCache of $name', (form) => {
  const item = (key: string, value?: number) => form.make(thing(key, value));

  it('[S127] what has expired is not found, and gone', () => {
    const cache = new ExpirationCache<unknown>({
      accessor: form.accessor,
      clock: new FakeClock(),
      expires: () => true,
    });
    cache.add(item('foo'));
    expect(cache.listKeys()).toEqual(['foo']);
    expect(cache.get(item('foo'))).toBeUndefined();
    expect(cache.listKeys()).toEqual([]);
  });

  it('[S128] what has expired can be added again', () => {
    let expires = true;
    const cache = new ExpirationCache<unknown>({
      accessor: form.accessor,
      clock: new FakeClock(),
      expires: () => expires,
    });
    cache.add(item('foo', 1));
    expect(cache.getByKey('foo')).toBeUndefined();
    expires = false;
    cache.add(item('foo', 2));
    expect(show(form, cache.getByKey('foo'))).toBe('foo=2');
  });

  it('[S129] a list leaves out what has expired, and removes it', () => {
    const cache = new ExpirationCache<unknown>({
      accessor: form.accessor,
      clock: new FakeClock(),
      expires: ({ key }) => key !== 'keep',
    });
    cache.replace([item('a'), item('keep'), item('b')], '3');
    expect(cache.size).toBe(3);
    expect(cache.list().map((each) => show(form, each))).toEqual(['keep']);
    expect(cache.listKeys()).toEqual(['keep']);
    expect(cache.resourceVersion).toBe('3');
  });

  it('[S130] lives for exactly its time, and for ever without one', async () => {
    const clock = new FakeClock();
    const make = (ttlMs: number) => new ExpirationCache<unknown>({ accessor: form.accessor, clock, ttlMs });
    const [some, zero, negative] = [make(30_000), make(0), make(-1)];
    for (const cache of [some, zero, negative]) cache.add(item('old'));
    await clock.advance(30_000);
    some.add(item('fresh'));
    expect(some.list()).toHaveLength(2);
    await clock.advance(1);
    expect(some.listKeys()).toEqual(['old', 'fresh']);
    expect(some.list().map((each) => show(form, each))).toEqual(['fresh']);
    some.update(item('fresh'));
    await clock.advance(30_000);
    expect(some.list()).toHaveLength(1);
    await clock.advance(1_000_000_000);
    expect([zero.size, zero.list().length, negative.list().length]).toEqual([1, 1, 1]);
    expect(some.list()).toEqual([]);
  });

  it('is a store', () => {
    expectStore(form, new ExpirationCache<unknown>({ accessor: form.accessor, clock: new FakeClock(), ttlMs: 1 }));
  });

  it('has one way to decide', () => {
    expect(() => new ExpirationCache({ accessor: form.accessor, ttlMs: 5, expires: () => true })).toThrow(
      'ttlMs must be left out when expires decides, got 5',
    );
    expect(() => new ExpirationCache({ accessor: form.accessor, ttlMs: Number.NaN })).toThrow(
      /^ttlMs must be a number/,
    );
  });
});
