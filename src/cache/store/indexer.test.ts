import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Form, forms, plainForm, type Thing, thing } from '../../../test/support/forms.js';
import { runs } from '../../../test/support/runs.js';
import { expectStore } from '../../../test/support/store-suite.js';
import { DeletedFinalStateUnknown, KeyError } from '../../meta/key.js';
import { finish } from '../../time/steps.js';
import { Indexer, type Indexers, type ItemIndexFunction } from './indexer.js';
import { TransactionError } from './store-errors.js';

/** Splits the value of a thing at commas: several index values per object. */
const byValue =
  <T>(form: Form<T>): ItemIndexFunction<T> =>
  (item) => {
    const { value } = form.read(item);
    return value === undefined ? [] : String(value).split(',');
  };

describe.each(forms)('Indexer on $name', (form) => {
  const make = (indexers: Indexers<unknown> = {}) => new Indexer<unknown>({ accessor: form.accessor, indexers });
  const item = (key: string, value?: number | string, more = {}) => form.make(thing(key, value, more));
  const values = (items: readonly unknown[]) => items.map((each) => form.read(each).value).sort();

  it('[S135] is a store: add, update, delete, list, replace', () => expectStore(form, make()));

  it('[S136] transforms each item once, in every kind of write, and stores it under its untransformed key', () => {
    let calls = 0;
    const store = new Indexer({
      accessor: form.accessor,
      transform: (each) => {
        calls++;
        return form.make({ ...form.read(each), value: 'changed' });
      },
    });
    store.add(item('foo', 'bar'));
    store.replace([item('foo', 'bar'), item('baz', 1)], '5');
    expect(values(store.list())).toEqual(['changed', 'changed']);
    expect(calls).toBe(3);
    store.transaction([
      { type: 'add', item: item('new', 'bar') },
      { type: 'update', item: item('foo', 'bar') },
      { type: 'delete', item: item('baz', 1) },
    ]);
    expect(values(store.list())).toEqual(['changed', 'changed']);
    expect(calls).toBe(5);
    store.replace([], '6', (key) => key === 'foo');
    expect([store.listKeys(), calls]).toEqual([['foo'], 5]);
    const failing = new Indexer({
      accessor: form.accessor,
      transform: () => {
        throw new Error('no');
      },
    });
    expect(() => failing.add(item('foo'))).toThrow('transforming: no');
    expect(() => failing.transaction([{ type: 'add', item: item('foo') }])).toThrow(TransactionError);
    expect(failing.size).toBe(0);
  });

  it('[S139] finds objects by an index', () => {
    const store = make({ value: byValue(form) });
    for (const [key, value] of [
      ['a', 'b'],
      ['c', 'b'],
      ['e', 'f'],
      ['g', 'h'],
    ] as const)
      store.add(item(key, value));
    expect(store.indexKeys('value', 'b')).toEqual(['a', 'c']);
    expect(store.index('value', item('any', 'f'))).toHaveLength(1);
    expect(store.index('value', item('any', 'b,f'))).toHaveLength(3);
    expect(store.byIndex('value', 'none')).toEqual([]);
    expect(() => store.byIndex('unknown', 'b')).toThrow('Index with name unknown does not exist');
    expect(store.indexValues('unknown')).toEqual([]);
  });

  it('index() returns an object with several common values once', () => {
    const store = make({ value: byValue(form) });
    store.add(item('a', 'x,y'));
    store.add(item('b', 'y'));
    expect(values(store.index('value', item('any', 'x,y')))).toEqual(['x,y', 'y']);
  });

  it('an item that is refused does not change the version of the store', () => {
    const indexers = {
      picky: (each: unknown) => {
        if (form.accessor.name(each) === 'bad') throw new Error('cannot index');
        return ['v'];
      },
    };
    const store = new Indexer<unknown>({ accessor: form.accessor, indexers });
    const versioned = (name: string, resourceVersion: string) => form.make(thing(name, undefined, { resourceVersion }));
    store.add(versioned('a', '7'));
    expect(() => store.add(versioned('bad', '9'))).toThrow('cannot index');
    expect(store.resourceVersion).toBe('7');
    expect(store.listKeys()).toEqual(['a']);
  });

  it('[S141] a TransactionError has the indices of the changes that were applied', () => {
    const broken = { metadata: undefined };
    const store = new Indexer<unknown>({
      accessor: form.accessor,
      keyOf: (each) => {
        if (each === broken) throw new Error('no key');
        return form.accessor.key(each);
      },
    });
    const add = (each: unknown) => ({ type: 'add' as const, item: each });
    store.transaction([add(item('a')), add(item('b'))]);
    expect(store.size).toBe(2);
    const failure = (changes: Parameters<typeof store.transaction>[0]) => {
      try {
        store.transaction(changes);
      } catch (error) {
        return error as TransactionError;
      }
      return undefined;
    };
    expect(failure([add(broken), add(broken)])?.successfulIndices).toEqual([]);
    const error = failure([add(item('c')), add(broken), { type: 'delete', item: item('a') }, add(broken)]);
    expect(error).toBeInstanceOf(TransactionError);
    expect(error?.successfulIndices).toEqual([0, 2]);
    expect(error?.message).toMatch(/^failed to execute \(2\/4\) transactions failed due to: \[.*no key.*\]$/);
    expect(store.listKeys().sort()).toEqual(['b', 'c']);
  });

  it('[S143] [S144] an index value is removed with its last object', () => {
    const store = make({ value: byValue(form) });
    store.add(item('one', 'x'));
    store.add(item('two', 'x'));
    store.delete(item('one'));
    expect(store.indexValues('value')).toEqual(['x']);
    expect(store.indexCount('value', 'x')).toBe(1);
    store.delete(item('two'));
    expect(store.indexValues('value')).toEqual([]);
    expect(store.indexCount('value', 'x')).toBe(0);
  });

  it('[S145] several values per object stay correct through updates and deletes', () => {
    const store = make({ value: byValue(form) });
    const expectSets = (sets: Record<string, string[]>) => {
      expect(
        Object.fromEntries(store.indexValues('value').map((value) => [value, store.indexKeys('value', value)])),
      ).toEqual(sets);
    };
    store.add(item('key1', 'foo'));
    expectSets({ foo: ['key1'] });
    store.add(item('key2', 'foo,bar'));
    expectSets({ foo: ['key1', 'key2'], bar: ['key2'] });
    store.update(item('key1', 'foo,bar'));
    expectSets({ foo: ['key1', 'key2'], bar: ['key1', 'key2'] });
    store.update(item('key1', 'bar,foo'));
    expectSets({ foo: ['key1', 'key2'], bar: ['key1', 'key2'] });
    store.update(item('key1', 'foo,baz'));
    expectSets({ foo: ['key1', 'key2'], bar: ['key2'], baz: ['key1'] });
    store.update(item('key2', 'bar'));
    expectSets({ foo: ['key1'], bar: ['key2'], baz: ['key1'] });
    store.update(item('key1'));
    expectSets({ bar: ['key2'] });
    store.delete(item('key1'));
    expectSets({ bar: ['key2'] });
  });

  it('[S146] resourceVersion is that of the last write, even if it is older', () => {
    const store = make();
    const at = (key: string, resourceVersion: string) => item(key, undefined, { resourceVersion });
    expect(store.resourceVersion).toBe('');
    store.add(at('a', '10'));
    store.add(at('b', '10'));
    store.add(at('a', '20'));
    expect(store.resourceVersion).toBe('20');
    store.delete(at('a', '30'));
    expect(store.resourceVersion).toBe('30');
    store.add(item('without'));
    expect(store.resourceVersion).toBe('30');
    store.add(at('c', '40'));
    store.delete(new DeletedFinalStateUnknown('c', at('c', '35')));
    expect(store.resourceVersion).toBe('40');
    store.transaction([
      { type: 'add', item: at('x', '40') },
      { type: 'update', item: at('y', '30') },
      { type: 'delete', item: at('x', '50') },
    ]);
    expect(store.resourceVersion).toBe('50');
    store.replace([at('x', '99')], '55');
    expect(store.resourceVersion).toBe('55');
    store.delete(at('x', '20'));
    expect(store.resourceVersion).toBe('20');
    store.bookmark('60');
    expect(store.resourceVersion).toBe('60');
    store.replace([], '');
    expect(store.resourceVersion).toBe('');
  });

  it('[S148] lists the values of an index', () => {
    const store = make({ label: (each: unknown) => [form.accessor.label(each, 'foo') ?? ''] });
    for (const [name, foo] of [
      ['one', 'bar'],
      ['two', 'bar'],
      ['tre', 'biz'],
    ] as const)
      store.add(item(name, 1, { labels: { foo } }));
    expect(store.indexValues('label').sort()).toEqual(['bar', 'biz']);
  });

  it('[S149] several objects per value', () => {
    const store = make({ users: byValue(form) });
    store.add(item('one', 'ernie,bert'));
    store.add(item('two', 'bert,oscar'));
    store.add(item('tre', 'ernie,elmo'));
    const expectKeys = (sets: Record<string, string[]>) => {
      for (const [user, keys] of Object.entries(sets)) expect(store.indexKeys('users', user)).toEqual(keys);
    };
    expectKeys({ ernie: ['one', 'tre'], bert: ['one', 'two'], elmo: ['tre'], oscar: ['two'], elmo1: [] });
    store.delete(item('tre'));
    expectKeys({ ernie: ['one'], bert: ['one', 'two'], elmo: [], oscar: ['two'] });
    store.update(item('two', 'oscar'));
    expectKeys({ ernie: ['one'], bert: ['one'], elmo: [], oscar: ['two'] });
  });

  it('iterate() returns the items that were stored when it was called', () => {
    const store = make();
    for (let i = 0; i < 5; i++) store.add(item(`k${i}`, i));
    const seen: unknown[] = [];
    for (const each of store.iterate()) {
      seen.push(form.read(each).value);
      store.delete(item('k3'));
      store.add(item('k4', 'changed'));
      store.add(item(`new${seen.length}`, 'new'));
    }
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('Indexer', () => {
  const form = plainForm;
  const stored = (...keys: string[]) => {
    const store = new Indexer<Thing>({ accessor: form.accessor });
    for (const key of keys) store.add(thing(key, key));
    return store;
  };

  it('[S140] an error in keyOf is a KeyError with its cause', () => {
    const cause = new Error('inner');
    const store = new Indexer<Thing>({
      accessor: form.accessor,
      keyOf: () => {
        throw cause;
      },
    });
    expect(() => store.add(thing('x'))).toThrow(KeyError);
    try {
      store.add(thing('x'));
    } catch (error) {
      expect((error as KeyError).cause).toBe(cause);
      expect((error as KeyError).object).toEqual(thing('x'));
    }
    expect(() => new Indexer({ accessor: form.accessor }).replace([thing('a'), {} as Thing], '1')).toThrow(KeyError);
  });

  it('a key error in replace leaves the contents as they were', () => {
    const store = stored('a', 'b');
    store.bookmark('7');
    expect(() => store.replace([thing('c'), {} as Thing], '9')).toThrow(KeyError);
    expect(store.listKeys()).toEqual(['a', 'b']);
    expect(store.resourceVersion).toBe('7');
  });

  it('an index function that throws leaves the store and all indexes as they were', () => {
    const store = new Indexer({
      accessor: form.accessor,
      indexers: {
        value: byValue(form),
        picky: (each: Thing) => {
          if (each.value === 'bad') throw new Error('cannot index this');
          return ['ok'];
        },
      },
    });
    store.add(thing('a', 'good'));
    expect(() => store.update(thing('a', 'bad'))).toThrow('cannot index this');
    expect(() => store.add(thing('b', 'bad'))).toThrow('cannot index this');
    expect(store.indexKeys('value', 'good')).toEqual(['a']);
    expect(store.indexValues('value')).toEqual(['good']);
    expect(store.size).toBe(1);
  });

  it('a write is refused if an index function does not return an array of strings', () => {
    for (const wrong of [undefined, 'text', [undefined], ['a', 7]]) {
      const store = new Indexer<Thing>({ accessor: plainForm.accessor, indexers: { wrong: () => wrong as never } });
      expect(() => store.add(thing('a'))).toThrow('an index function must return an array of strings');
      expect(store.size).toBe(0);
      expect(() => store.transaction([{ type: 'update', item: thing('a') }])).toThrow(TransactionError);
      expect(store.size).toBe(0);
    }
  });

  it('an index function may reuse its array, and return a value twice', () => {
    const scratch: string[] = [];
    const reused = ({ value }: Thing) => {
      scratch.splice(0, scratch.length, ...String(value).split(','));
      return scratch;
    };
    const store = new Indexer<Thing, 'reused'>({ accessor: plainForm.accessor, indexers: { reused } });
    store.add(thing('a', 'x,y'));
    store.add(thing('b', 'y,z,y'));
    expect(store.indexKeys('reused', 'x')).toEqual(['a']);
    store.update(thing('a', 'z,w'));
    expect(store.indexKeys('reused', 'x')).toEqual([]);
    expect(store.indexKeys('reused', 'z')).toEqual(['a', 'b']);
    store.delete(thing('b'));
    expect(store.indexValues('reused').sort()).toEqual(['w', 'z']);
  });

  it('addIndexers() indexes the stored items, and adds all indexes or none', () => {
    const store = stored('a', 'b').addIndexers({ value: byValue(form) });
    expect(store.indexKeys('value', 'a')).toEqual(['a']);
    expect(() => store.addIndexers({ other: byValue(form), value: byValue(form) })).toThrow(
      /indexer conflict: .*value/,
    );
    expect(Object.keys(store.indexers)).toEqual(['value']);
    expect(() => store.addIndexers({ '': byValue(form) })).toThrow(TypeError);
    expect(() => store.addIndexers({ x: 1 as never })).toThrow('index function x must be a function, got 1');
  });

  it('addIndexers() adds no index if a function throws on a stored item', () => {
    const store = stored('a', 'b').addIndexers({ value: byValue(form) });
    const picky = (each: Thing) => {
      if (each.metadata.name === 'b') throw new Error('cannot index this');
      return ['ok'];
    };
    expect(() => store.addIndexers({ fine: () => ['x'], picky })).toThrow('cannot index this');
    expect(Object.keys(store.indexers)).toEqual(['value']);
    store.update(thing('b', 'b2'));
    const again = store.addIndexers({ picky: () => ['fine now'] });
    expect(again.indexKeys('picky', 'fine now')).toEqual(['a', 'b']);
    expect(again.indexValues('picky')).toEqual(['fine now']);
    expect(again.indexValues('value').sort()).toEqual(['a', 'b2']);
  });

  it('[S206] types the names of its indexes, and throws for an unknown one', () => {
    const store = new Indexer({ accessor: form.accessor, indexers: { value: byValue(form) } });
    for (const name of ['a', 'b']) store.add(thing(name, 'x'));
    expect(store.byIndex('value', 'x').map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(store.index('value', thing('any', 'x'))).toEqual(store.list());
    // @ts-expect-error there is no such index
    expect(() => store.byIndex('valeu', 'x')).toThrow('Index with name valeu does not exist');
    // @ts-expect-error there is no such index
    expect(() => store.index('valeu', thing('a'))).toThrow('Index with name valeu does not exist');
    const more = store.addIndexers({ name: ({ metadata }) => [metadata.name] });
    expect(more.byIndex('name', 'b').map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect(more.byIndex('value', 'x')).toHaveLength(2);
  });

  it('builds an index in steps while the store changes; reading it before the last step throws', () => {
    const store = stored('a', 'b', 'c', 'd');
    const build = store.beginIndexers({ value: byValue(form) });
    expect(() => store.byIndex('value', 'a')).toThrow(/still being built/);
    expect(() => store.indexValues('value')).toThrow(/still being built/);
    expect(build.next().done).toBe(false);
    store.update(thing('a', 'a2'));
    store.delete(thing('b'));
    store.update(thing('d', 'd2'));
    store.add(thing('e', 'e'));
    finish(build);
    expect(store.indexValues('value').sort()).toEqual(['a2', 'c', 'd2', 'e']);
  });

  it('an index that is being built does not contain items that a replacement removed', () => {
    const store = stored('a', 'b', 'c');
    const build = store.beginIndexers({ value: byValue(form) });
    build.next();
    store.replace([thing('d', 'd')], '9');
    finish(build);
    expect(store.indexValues('value')).toEqual(['d']);
  });

  it('readers see a replacement after commit(), which also fills indexes that were added meanwhile', () => {
    const store = stored('a', 'b').addIndexers({ value: byValue(form) });
    const replacement = store.beginReplace();
    replacement.add(thing('c', 'x'));
    expect(replacement.has('c')).toBe(true);
    expect(store.listKeys()).toEqual(['a', 'b']);
    const build = store.beginIndexers({ late: byValue(form) });
    build.next();
    replacement.add(thing('d', 'x'));
    replacement.commit('9');
    expect(store.indexKeys('value', 'x')).toEqual(['c', 'd']);
    expect(store.indexKeys('late' as never, 'x')).toEqual(['c', 'd']);
    finish(build);
    expect(store.indexKeys('value', 'a')).toEqual([]);
    expect(store.resourceVersion).toBe('9');
  });

  it('calls retain() and release() for the items it holds and drops', () => {
    const held = new Set<Thing>();
    const store = new Indexer<Thing>({
      accessor: form.accessor,
      retention: { retain: (each) => void held.add(each), release: (each) => void held.delete(each) },
    });
    const [a1, a2, b] = [thing('a', 1), thing('a', 2), thing('b', 1)];
    store.add(a1);
    store.add(a2);
    store.add(b);
    expect([...held]).toEqual([a2, b]);
    store.delete(b);
    expect([...held]).toEqual([a2]);
    const c = thing('c');
    store.replace([c], '1');
    expect([...held]).toEqual([c]);
    expect(() => store.replace([thing('d'), thing('c', 2), {} as Thing], '2')).toThrow(KeyError);
    expect([...held]).toEqual([c]);
    const replacement = store.beginReplace();
    replacement.add(c);
    replacement.add(thing('c', 3));
    expect(held.has(c)).toBe(true);
    replacement.abandon();
    expect([...held]).toEqual([c]);

    const [d, e] = [thing('d'), thing('e')];
    store.add(d);
    const another = store.beginReplace();
    another.add(d);
    another.add(e);
    another.commit('3');
    // Replaced items are released in steps.
    const settling = another.settle();
    expect(settling.next().done).toBe(false);
    expect([...held]).toEqual([c, d, e]);
    finish(settling);
    expect([...held]).toEqual([d, e]);
  });

  it('a transaction returns the items it found under each key', () => {
    const store = stored('a', 'b');
    const before = [store.getByKey('a'), store.getByKey('b')];
    const found: (Thing | undefined)[] = [];
    const changes = [
      { type: 'update', item: thing('a', 2) },
      { type: 'update', item: thing('c') },
      { type: 'update', item: {} as Thing },
      { type: 'delete', item: thing('b') },
    ] as const;
    expect(() => store.transaction(changes, found)).toThrow('(1/4)');
    expect([found[0], found[1], found[2], found[3]]).toEqual([before[0], undefined, undefined, before[1]]);
  });

  it('agrees with a linear search', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const value = fc.constantFrom('x', 'y', 'x,y', 'z', 'y,z', '');
    const step = fc.oneof(
      fc.record({ op: fc.constant('add' as const), key, value }),
      fc.record({ op: fc.constant('delete' as const), key }),
      fc.record({ op: fc.constant('replace' as const), all: fc.array(fc.tuple(key, value), { maxLength: 5 }) }),
      fc.record({ op: fc.constant('index' as const) }),
      fc.record({
        op: fc.constant('transaction' as const),
        all: fc.array(fc.tuple(key, fc.option(value)), { maxLength: 5 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const split = (text: unknown) => (text === '' ? [] : String(text).split(','));
        const indexes: string[] = ['i0'];
        const store = new Indexer<Thing>({ accessor: form.accessor, indexers: { i0: (each) => split(each.value) } });
        let model = new Map<string, string>();
        for (const each of steps) {
          if (each.op === 'add') {
            store.add(thing(each.key, each.value));
            model.set(each.key, each.value);
          } else if (each.op === 'delete') {
            store.delete(thing(each.key));
            model.delete(each.key);
          } else if (each.op === 'replace') {
            store.replace(
              each.all.map(([k, v]) => thing(k, v)),
              '1',
            );
            model = new Map(each.all);
          } else if (each.op === 'index') {
            const name = `i${indexes.length}`;
            indexes.push(name);
            store.addIndexers({ [name]: (item: Thing) => split(item.value) });
          } else {
            store.transaction(
              each.all.map(([k, v]) => ({ type: v === null ? 'delete' : 'add', item: thing(k, v ?? '') })),
            );
            for (const [k, v] of each.all) v === null ? model.delete(k) : model.set(k, v);
          }
          expect(store.listKeys().sort()).toEqual([...model.keys()].sort());
          for (const name of indexes) {
            const present = new Set([...model.values()].flatMap(split));
            expect(new Set(store.indexValues(name))).toEqual(present);
            for (const wanted of ['x', 'y', 'z']) {
              const keys = [...model].filter(([, v]) => split(v).includes(wanted)).map(([k]) => k);
              expect(store.indexKeys(name, wanted)).toEqual(keys.sort());
              expect(
                store
                  .byIndex(name, wanted)
                  .map((found) => found.metadata.name)
                  .sort(),
              ).toEqual(keys);
            }
          }
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
