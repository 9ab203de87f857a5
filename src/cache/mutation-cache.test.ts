import { describe, expect, it } from 'vitest';
import { forms, show, thing } from '../../test/support/forms.js';
import { DeletedFinalStateUnknown } from '../meta/key.js';
import { FakeClock } from '../time/fake-clock.js';
import { Indexer } from './indexer.js';
import { MutationCache, type MutationCacheOptions } from './mutation-cache.js';

describe.each(forms)('MutationCache of $name', (form) => {
  const make = (options: Partial<MutationCacheOptions<unknown, 'value'>> = {}) => {
    const clock = new FakeClock();
    const store = new Indexer<unknown, 'value'>({
      accessor: form.accessor,
      indexers: {
        value: (each) => {
          const { value } = form.read(each);
          if (value === 'bad') throw new Error('cannot index this');
          return [String(value)];
        },
      },
    });
    const cache = new MutationCache<unknown, 'value'>({
      accessor: form.accessor,
      backingStore: store,
      indexer: store,
      includeAdds: true,
      clock,
      ...options,
    });
    return { cache, store, clock };
  };
  const pod = (resourceVersion: string, uid = 'uid-1', value: string | number = resourceVersion, key = 'ns/pod') =>
    form.make(thing(key, value, { resourceVersion, uid }));
  const seen = (item: unknown) => (item === undefined ? undefined : form.read(item).value);

  it.each([
    ['as new', '3', undefined],
    ['newer', '4', undefined],
    ['older', '2', '3'],
  ])('[S213] a state that is %s as the write', (_, resourceVersion, left) => {
    const { cache } = make();
    cache.mutation(pod('3'));
    cache.onAddOrUpdate(pod(resourceVersion));
    expect(seen(cache.getByKey('ns/pod'))).toBe(left);
  });

  it.each([
    ['an older state of the same object', '2', 'uid-1', undefined],
    ['a newer state of another object', '4', 'uid-2', undefined],
    ['an older state of another object', '2', 'uid-2', '3'],
  ])('[S214] after the deletion of %s', (_, resourceVersion, uid, left) => {
    const { cache } = make();
    cache.mutation(pod('3'));
    cache.onDelete(pod(resourceVersion, uid));
    expect(seen(cache.getByKey('ns/pod'))).toBe(left);
  });

  it('[S215] a write that is answered after the deletion was seen does not bring the object back', () => {
    const { cache, store } = make();
    store.add(pod('1'));
    cache.onAddOrUpdate(pod('1'));
    store.delete(pod('3'));
    cache.onDelete(pod('3'));
    cache.mutation(pod('2'));
    expect(cache.getByKey('ns/pod')).toBeUndefined();
    expect(cache.byIndex('value', '2')).toEqual([]);
    cache.mutation(pod('4'));
    expect(cache.getByKey('ns/pod')).toBeUndefined();
    expect(cache.size).toBe(1);
    cache.mutation(pod('5', 'uid-2'));
    expect(seen(cache.getByKey('ns/pod'))).toBe('5');
  });

  it('[S216] a write that is answered after the object was made anew loses to the new one', () => {
    const { cache, store } = make();
    store.add(pod('1'));
    cache.onDelete(pod('3'));
    store.add(pod('4', 'uid-2'));
    cache.onAddOrUpdate(pod('4', 'uid-2'));
    cache.mutation(pod('2'));
    expect(seen(cache.getByKey('ns/pod'))).toBe('4');
    expect(cache.size).toBe(0);
  });

  it('[S217] a deletion takes a write that only the cache knew out of the indexes', () => {
    const { cache } = make();
    cache.mutation(pod('3', 'uid-1', 'x'));
    expect(cache.byIndex('value', 'x').map((each) => show(form, each))).toEqual(['pod=x']);
    cache.onDelete(pod('4', 'uid-1', 'x'));
    expect(cache.byIndex('value', 'x')).toEqual([]);
  });

  it('shows the newer of the write and the store, and the store where they are equal', () => {
    const { cache, store } = make({ includeAdds: false });
    cache.mutation(pod('5', 'uid-1', 'written'));
    expect(cache.getByKey('ns/pod')).toBeUndefined();
    store.add(pod('4', 'uid-1', 'stored'));
    expect(seen(cache.getByKey('ns/pod'))).toBe('written');
    expect(cache.byIndex('value', 'stored').map(seen)).toEqual(['written']);
    expect(cache.byIndex('value', 'written')).toEqual([]);
    cache.mutation(pod('3', 'uid-1', 'late answer'));
    expect(seen(cache.getByKey('ns/pod'))).toBe('written');
    store.add(pod('5', 'uid-1', 'stored again'));
    expect(seen(cache.getByKey('ns/pod'))).toBe('stored again');
    expect(cache.size).toBe(0);
  });

  it('finds additions through indexes, unless they cannot be indexed', () => {
    const { cache, store } = make();
    store.add(pod('1', 'uid-1', 'x'));
    cache.mutation(pod('2', 'uid-1', 'x'));
    cache.mutation(pod('3', 'uid-2', 'x', 'ns/other'));
    cache.mutation(pod('4', 'uid-3', 'bad', 'ns/bad'));
    expect(cache.byIndex('value', 'x').map((each) => form.read(each).metadata.resourceVersion)).toEqual(['2', '3']);
    expect(() => make({ indexer: undefined }).cache.byIndex('value', 'x')).toThrow('this MutationCache has no indexer');
  });

  it('a write that the store has left behind is found under no index', () => {
    const { cache, store } = make();
    store.add(pod('1', 'uid-1', 'first'));
    cache.mutation(pod('2', 'uid-1', 'mine'));
    expect(cache.byIndex('value', 'mine')).toHaveLength(1);
    store.update(pod('3', 'uid-1', 'theirs'));
    expect(cache.byIndex('value', 'mine')).toEqual([]);
    expect(cache.byIndex('value', 'theirs').map(seen)).toEqual(['theirs']);
  });

  it('forgets after a while, and the least used first', async () => {
    const { cache, clock } = make({ ttlMs: 1000, size: 2 });
    cache.mutation(pod('1', 'a', 1, 'a'));
    cache.mutation(pod('2', 'b', 2, 'b'));
    expect(seen(cache.getByKey('a'))).toBe(1);
    cache.mutation(pod('3', 'c', 3, 'c'));
    expect(cache.getByKey('b')).toBeUndefined();
    await clock.advance(1000);
    expect(cache.size).toBe(0);
    expect(cache.getByKey('a')).toBeUndefined();
  });

  it('takes tombstones, with or without a last state', () => {
    const { cache } = make();
    cache.mutation(pod('3'));
    cache.onDelete(new DeletedFinalStateUnknown('ns/pod', pod('1')));
    expect(cache.getByKey('ns/pod')).toBeUndefined();
    expect(cache.size).toBe(1);
    cache.onDelete(new DeletedFinalStateUnknown<unknown>('ns/pod', undefined));
    expect(cache.size).toBe(0);
  });

  it('believes the store where versions cannot be ordered', () => {
    const { cache, store } = make();
    cache.mutation(pod('b-7', 'uid-1', 'written'));
    expect(seen(cache.getByKey('ns/pod'))).toBe('written');
    store.add(pod('a-9', 'uid-1', 'stored'));
    expect(seen(cache.getByKey('ns/pod'))).toBe('stored');
    expect(cache.size).toBe(0);
  });

  it('compares versions beyond what a number can hold', () => {
    const { cache, store } = make();
    store.add(pod('9007199254740993', 'uid-1', 'stored'));
    cache.mutation(pod('9007199254740994', 'uid-1', 'written'));
    expect(seen(cache.getByKey('ns/pod'))).toBe('written');
  });
});
