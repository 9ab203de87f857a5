import { expect } from 'vitest';
import type { Store } from '../../src/cache/store/store.js';
import { DeletedFinalStateUnknown } from '../../src/meta/key.js';
import { type Form, thing } from './forms.js';

/** Checks what every store can do, starting from an empty one. */
export function expectStore<T>(form: Form<T>, store: Store<T>): void {
  const item = (key: string, value?: string) => form.make(thing(key, value));
  const read = (each: T | undefined) => (each === undefined ? undefined : form.read(each).value);
  const values = () => store.list().map(read).sort();
  store.add(item('foo', 'bar'));
  expect(read(store.getByKey('foo'))).toBe('bar');
  store.update(item('foo', 'baz'));
  expect(read(store.get(item('foo', 'other')))).toBe('baz');
  store.delete(item('foo'));
  expect(store.getByKey('foo')).toBeUndefined();
  store.add(item('a', 'b'));
  store.add(item('c', 'd'));
  store.add(item('e', 'e'));
  expect(values()).toEqual(['b', 'd', 'e']);
  store.replace([item('foo', 'foo'), item('bar', 'bar'), item('bar', 'last wins')], '7');
  expect(values()).toEqual(['foo', 'last wins']);
  expect(Array.from(store.iterate(), read).sort()).toEqual(['foo', 'last wins']);
  expect(store.listKeys().sort()).toEqual(['bar', 'foo']);
  expect(store.size).toBe(2);
  expect(store.resourceVersion).toBe('7');
  store.bookmark('8');
  expect(store.resourceVersion).toBe('8');
  store.delete(new DeletedFinalStateUnknown<T>('foo', undefined));
  expect(store.listKeys()).toEqual(['bar']);
  store.resync();
  expect(store.size).toBe(1);
}
