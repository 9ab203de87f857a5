import { describe, expect, it } from 'vitest';
import { forms, type Thing, thing } from '../../../test/support/forms.js';
import type { Accessor } from '../../meta/accessor.js';
import type { OwnerReference } from '../../meta/objects.js';
import { byLabel, byNamespace, byOwnerUid } from './index-functions.js';
import { type IndexSpec, namespaceIndex, toItemIndexFunction } from './index-spec.js';
import { Indexer } from './indexer.js';

const owner = (uid: string): OwnerReference => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid });

describe.each(forms)('indexes of $name', (form) => {
  /** An accessor that refuses to parse. */
  const bytesOnly: Accessor<unknown, Thing> = {
    ...form.accessor,
    decode: () => {
      throw new Error('this index parses');
    },
  };
  const things = [
    thing('default/a', 1, { labels: { app: 'web' }, ownerReferences: [owner('u1'), owner('u2')] } as never),
    thing('default/b', 'x', { labels: { app: 'db', constructor: 'me' }, ownerReferences: [owner('u2')] } as never),
    thing('kube-system/a', 1, { labels: {} }),
    { ...thing('cluster-wide'), flag: true, spec: { deep: { nodeName: 'worker-1' }, list: ['no'] } },
  ];
  const indexed = (spec: IndexSpec<Thing>, accessor = bytesOnly) => {
    const store = new Indexer({ accessor, indexers: { it: toItemIndexFunction(spec, accessor) } });
    for (const each of things) store.add(form.make(each));
    return Object.fromEntries(store.indexValues('it').map((value) => [value, store.indexKeys('it', value)]));
  };

  it('by namespace', () => {
    expect(namespaceIndex).toBe('namespace');
    expect(indexed(byNamespace())).toEqual({
      default: ['default/a', 'default/b'],
      'kube-system': ['kube-system/a'],
      '': ['cluster-wide'],
    });
  });

  it('by label; an object without the label is not in the index', () => {
    expect(indexed(byLabel('app'))).toEqual({ web: ['default/a'], db: ['default/b'] });
    expect(indexed(byLabel('constructor'))).toEqual({ me: ['default/b'] });
    expect(indexed(byLabel('toString'))).toEqual({});
    expect(() => byLabel('')).toThrow('key must be a string that is not empty');
  });

  it('by the uid of every owner', () => {
    expect(indexed(byOwnerUid())).toEqual({ u1: ['default/a'], u2: ['default/a', 'default/b'] });
  });

  it('by any path: text, numbers and booleans', () => {
    expect(indexed(['value'])).toEqual({ 1: ['default/a', 'kube-system/a'], x: ['default/b'] });
    expect(indexed(['spec', 'deep', 'nodeName'])).toEqual({ 'worker-1': ['cluster-wide'] });
    expect(indexed(['flag'])).toEqual({ true: ['cluster-wide'] });
    expect(indexed(['spec', 'deep'])).toEqual({});
    expect(indexed(['metadata', 'labels', 'app'])).toEqual(indexed(byLabel('app')));
    expect(indexed(['spec', 'nothing', 'here'])).toEqual({});
  });

  it('by a function of the object, which parses', () => {
    const byKindAndName = (each: Thing) => [each.kind, each.metadata.name];
    expect(indexed(byKindAndName, form.accessor)).toEqual({
      Thing: ['cluster-wide', 'default/a', 'default/b', 'kube-system/a'],
      a: ['default/a', 'kube-system/a'],
      b: ['default/b'],
      'cluster-wide': ['cluster-wide'],
    });
    expect(() => indexed(byKindAndName)).toThrow('this index parses');
  });

  it('a write throws what an index function throws, and stores nothing', () => {
    const broken = toItemIndexFunction<unknown, Thing>(() => {
      throw new Error('no such field');
    }, form.accessor);
    const store = new Indexer({ accessor: form.accessor, indexers: { broken } });
    expect(() => store.add(form.make(thing('a')))).toThrow('no such field');
    expect(store.size).toBe(0);
  });
});
