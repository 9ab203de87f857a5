import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainForm, type Thing, thing } from '../../../test/support/forms.js';
import { runs } from '../../../test/support/runs.js';
import { finish, type Steps } from '../../time/steps.js';
import { Indexer, type Replacement } from './indexer.js';

/** Splits the value of a thing at commas, and cannot index a bad one. */
function valuesOf({ value }: Thing): string[] {
  if (value === 'bad') throw new Error('cannot index this');
  return value === '' ? [] : String(value).split(',');
}

describe('Indexer', () => {
  it('agrees with a model of maps while replacements and indexes are built and index functions throw', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const value = fc.constantFrom('x', 'y', 'x,y', 'z', '', 'bad');
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ op: fc.constant('add' as const), key, value }) },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('delete' as const), key }) },
      { weight: 2, arbitrary: fc.record({ op: fc.constant('begin' as const) }) },
      { weight: 2, arbitrary: fc.record({ op: fc.constant('prepare' as const), items: fc.nat(3) }) },
      { weight: 2, arbitrary: fc.record({ op: fc.constantFrom('commit' as const, 'abandon' as const) }) },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('addIndexers' as const), isBad: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ op: fc.constant('beginIndexers' as const) }) },
      { weight: 2, arbitrary: fc.record({ op: fc.constant('build' as const), items: fc.nat(3) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const held = new Set<Thing>();
        const store = new Indexer<Thing>({
          accessor: plainForm.accessor,
          indexers: { i0: valuesOf },
          retention: { retain: (item) => void held.add(item), release: (item) => void held.delete(item) },
        });
        const readable = new Set(['i0']);
        const builds = new Map<string, Steps<void>>();
        let named = 1;
        let live = new Map<string, Thing>();
        let next: { replacement: Replacement<Thing>; contents: Map<string, Thing> } | undefined;
        for (const each of steps) {
          if (each.op === 'add') {
            const item = thing(each.key, each.value);
            const write = () => (next === undefined ? store.add(item) : next.replacement.add(item));
            if (each.value === 'bad') expect(write).toThrow('cannot index this');
            else {
              write();
              (next?.contents ?? live).set(each.key, item);
            }
          } else if (each.op === 'delete' && next === undefined) {
            store.delete(thing(each.key));
            live.delete(each.key);
          } else if (each.op === 'begin') {
            next?.replacement.abandon();
            next = { replacement: store.beginReplace(), contents: new Map() };
          } else if (each.op === 'prepare') {
            const preparing = next?.replacement.prepare();
            for (let i = 0; i < each.items; i++) preparing?.next();
          } else if (each.op === 'commit' && next !== undefined) {
            next.replacement.commit('1');
            finish(next.replacement.settle());
            live = next.contents;
            next = undefined;
            for (const name of builds.keys()) readable.add(name);
          } else if (each.op === 'abandon') {
            next?.replacement.abandon();
            next = undefined;
          } else if (each.op === 'addIndexers') {
            const name = `i${named++}`;
            const fail = () => {
              throw new Error('nothing can be indexed');
            };
            if (each.isBad && live.size > 0) {
              expect(() => store.addIndexers({ [name]: valuesOf, fails: fail })).toThrow('nothing can be indexed');
              expect(Object.keys(store.indexers)).not.toContain(name);
            } else {
              store.addIndexers({ [name]: valuesOf });
              readable.add(name);
            }
          } else if (each.op === 'beginIndexers') {
            const name = `i${named++}`;
            builds.set(name, store.beginIndexers({ [name]: valuesOf }));
            if (live.size === 0) readable.add(name);
          } else if (each.op === 'build') {
            for (const [name, build] of builds) {
              for (let i = 0; i < each.items; i++) if (build.next().done === true) readable.add(name);
            }
          }
          expect(new Map(store.list().map((item) => [item.metadata.name, item]))).toEqual(live);
          if (next === undefined) {
            expect(held.size).toBe(live.size);
            expect([...live.values()].every((item) => held.has(item))).toBe(true);
          }
          for (const name of readable) {
            const present = new Set([...live.values()].flatMap(valuesOf));
            expect(new Set(store.indexValues(name))).toEqual(present);
            for (const wanted of present) {
              const keys = [...live].filter(([, item]) => valuesOf(item).includes(wanted)).map(([k]) => k);
              expect(store.indexKeys(name, wanted)).toEqual(keys.sort());
            }
          }
        }
      }),
      { numRuns: runs(100) },
    );
  });
});
