import { describe, expect, it } from 'vitest';
import { forms, show, thing } from '../../test/support/forms.js';
import { expectStore } from '../../test/support/store-suite.js';
import { KeyError } from '../meta/key.js';
import { UndeltaStore } from './undelta-store.js';

describe.each(forms)('UndeltaStore of $name', (form) => {
  const make = () => {
    const pushes: string[] = [];
    const store = new UndeltaStore<unknown>({
      accessor: form.accessor,
      push: (items) => void pushes.push(items.map((item) => show(form, item)).join(' ')),
    });
    return { store, pushes };
  };
  const item = (key: string, value?: number) => form.make(thing(key, value));

  it('[S131] add and update push', () => {
    const { store, pushes } = make();
    store.add(item('a', 0));
    store.update(item('a', 1));
    expect(pushes).toEqual(['a=0', 'a=1']);
  });

  it('[S132] delete pushes', () => {
    const { store, pushes } = make();
    store.add(item('a'));
    store.delete(item('a'));
    expect(pushes).toEqual(['a', '']);
  });

  it('[S133] reading pushes nothing, nor do a bookmark and a resync', () => {
    const { store, pushes } = make();
    store.list();
    store.listKeys();
    store.get(item('a'));
    store.getByKey('a');
    store.bookmark('5');
    store.resync();
    expect([...store.iterate()]).toEqual([]);
    expect(pushes).toEqual([]);
  });

  it('[S134] replace pushes once, with the new contents', () => {
    const { store, pushes } = make();
    store.replace([item('a', 1), item('b', 2)], '1');
    expect(pushes).toEqual(['a=1 b=2']);
  });

  it('[S138] is a store', () => expectStore(form, make().store));

  it('pushes nothing for what could not be stored', () => {
    const { store, pushes } = make();
    const nameless = form.make({ apiVersion: 'v1', kind: 'Thing' } as never);
    expect(() => store.add(nameless)).toThrow(KeyError);
    expect(() => store.replace([item('a'), nameless], '1')).toThrow(KeyError);
    expect(pushes).toEqual([]);
    expect(() => new UndeltaStore({ accessor: form.accessor, push: 1 as never })).toThrow('push must be a function');
  });
});
