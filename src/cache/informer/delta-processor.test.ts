import { describe, expect, it } from 'vitest';
import { type Form, forms, plainForm, show, type Thing, thing } from '../../../test/support/forms.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import { finish, type Steps } from '../../time/steps.js';
import type { Deltas } from '../queue/delta.js';
import { Indexer } from '../store/indexer.js';
import { DeltaProcessor } from './delta-processor.js';

/** Runs what is left to do of a batch. */
const complete = (steps: Steps<void> | undefined): void => steps && finish(steps);

describe.each(forms)('DeltaProcessor on $name', (form: Form<unknown>) => {
  it('[S169] calls the handler for the changes of a batch that were applied', () => {
    const run = (...names: string[]) => {
      const told: string[] = [];
      const store = new Indexer<unknown>({
        accessor: form.accessor,
        keyOf: (item) => {
          const { name } = form.read(item).metadata;
          if (name.endsWith('!')) throw new Error('no key');
          return name;
        },
      });
      const processor = new DeltaProcessor<unknown>({
        store,
        keyOf: (item) => form.accessor.key(item),
        handler: { onAdd: (item) => void told.push(show(form, item)), onUpdate() {}, onDelete() {} },
      });
      const deltas = names.map((name) => ({ type: 'Added' as const, object: form.make(thing(name)) }));
      let message = '';
      try {
        complete(processor.process(deltas, false));
      } catch (error) {
        message = (error as Error).message;
      }
      return [told, message] as const;
    };
    expect(run('cm1')).toEqual([['cm1'], '']);
    expect(run('cm1!')).toEqual([[], expect.stringContaining('failed to execute (1/1) transactions')]);
    expect(run('cm1', 'cm2')).toEqual([['cm1', 'cm2'], '']);
    expect(run('cm1!', 'cm2!')).toEqual([[], expect.stringContaining('failed to execute (2/2) transactions')]);
    expect(run('cm1', 'cm2!')).toEqual([['cm1'], expect.stringContaining('failed to execute (1/2) transactions')]);
    expect(run('cm1', 'cm2!', 'cm3')).toEqual([
      ['cm1', 'cm3'],
      expect.stringContaining('failed to execute (1/3) transactions'),
    ]);
  });

  it.each([true, false])('passes isInInitialList: %s on for every addition of a batch', (isInInitialList) => {
    const deltas = ['a', 'b'].map((name) => ({ type: 'Added' as const, object: form.make(thing(name)) }));
    const flags: boolean[] = [];
    const processor = new DeltaProcessor<unknown>({
      store: new Indexer<unknown>({ accessor: form.accessor }),
      keyOf: (item) => form.accessor.key(item),
      handler: { onAdd: (_, flag) => void flags.push(flag), onUpdate() {}, onDelete() {} },
    });
    complete(processor.process(deltas, isInInitialList));
    expect(flags).toEqual([isInInitialList, isInInitialList]);
  });

  it('an object of a list that the store refuses stays what it was; the others are applied', () => {
    const { accessor } = form;
    const store = new Indexer<unknown>({
      accessor,
      indexers: {
        picky: (item: unknown) => {
          if (form.read(item).value === 'bad') throw new Error('cannot index');
          return ['v'];
        },
      },
    });
    for (const name of ['a', 'b', 'gone']) store.add(form.make(thing(name, 'old')));
    const told: string[] = [];
    const processor = new DeltaProcessor<unknown>({
      store,
      keyOf: (item: unknown) => accessor.key(item),
      handler: {
        onAdd: (item: unknown) => void told.push(`add ${show(form, item)}`),
        onUpdate: (_: unknown, item: unknown) => void told.push(`update ${show(form, item)}`),
        onDelete: (item: unknown) => void told.push(show(form, item)),
      },
    });
    const objects = [thing('a', 'bad'), thing('b', 'new'), thing('c', 'bad'), thing('d', 'new')].map(form.make);
    const list = { type: 'ReplacedAll' as const, resourceVersion: '9', objects };
    expect(() => complete(processor.process([list], false))).toThrow('failed to execute (2/4) transactions');
    expect(told).toEqual(['gone gone=old', 'update b=new', 'add d=new']);
    expect(store.list().map((item) => show(form, item))).toEqual(['a=old', 'b=new', 'd=new']);
    expect(store.indexKeys('picky', 'v')).toEqual(['a', 'b', 'd']);
    expect(store.resourceVersion).toBe('9');
  });
});

describe('DeltaProcessor', () => {
  it('says of each update whether a list found it', () => {
    const { accessor } = plainForm;
    const store = new Indexer<Thing>({ accessor });
    const flags: string[] = [];
    const processor = new DeltaProcessor<Thing>({
      store,
      keyOf: (item: Thing) => accessor.key(item),
      handler: {
        onAdd() {},
        onUpdate: (_: Thing, item: Thing, isFromList: boolean) =>
          void flags.push(`${show(plainForm, item)} ${isFromList}`),
        onDelete() {},
      },
    });
    const run = (deltas: Deltas<Thing>) => complete(processor.process(deltas, false));
    run([{ type: 'Added', object: thing('a', 1) }]);
    run([{ type: 'Updated', object: thing('a', 2) }]);
    run([{ type: 'Replaced', object: thing('a', 3) }]);
    run([{ type: 'ReplacedAll', resourceVersion: '9', objects: [thing('a', 4)] }]);
    run([{ type: 'SyncAll' }]);
    run([{ type: 'PartChanged', change: { gained: [thing('a', 5)], onProcessed() {} } }]);
    expect(flags).toEqual(['a=2 false', 'a=3 true', 'a=4 true', 'a=4 false', 'a=5 true']);
  });

  it('the store decides between an addition and an update, not the type of a delta', () => {
    const store = new Indexer<Thing>({ accessor: plainForm.accessor });
    const told: string[] = [];
    const processor = new DeltaProcessor<Thing>({
      store,
      keyOf: (item: Thing) => plainForm.accessor.key(item),
      handler: {
        onAdd: (item: Thing) => void told.push(`add ${show(plainForm, item)}`),
        onUpdate: (old: Thing, item: Thing) =>
          void told.push(`update ${show(plainForm, old)} ${show(plainForm, item)}`),
        onDelete: (item: Thing | DeletedFinalStateUnknown<Thing>) => void told.push(`delete ${show(plainForm, item)}`),
      },
    });
    const run = (deltas: Deltas<Thing>) => complete(processor.process(deltas, false));
    run([
      { type: 'Updated', object: thing('a', 1) },
      { type: 'Added', object: thing('a', 2) },
      { type: 'Sync', object: thing('a', 2) },
      { type: 'Deleted', object: new DeletedFinalStateUnknown('a', thing('a', 2)) },
    ]);
    expect(told).toEqual(['add a=1', 'update a=1 a=2', 'update a=2 a=2', 'delete gone a=2']);
    run([{ type: 'Bookmark', resourceVersion: '77' }]);
    expect(store.resourceVersion).toBe('77');
    store.add(thing('b', 1));
    told.length = 0;
    run([{ type: 'SyncAll' }]);
    expect(told).toEqual(['update b=1 b=1']);
    told.length = 0;
    run([]);
    expect(told).toEqual([]);
  });

  it('applies a list in steps, and readers see it after the last object was added', () => {
    const store = new Indexer<Thing>({ accessor: plainForm.accessor });
    store.add(thing('old', 1));
    let told = 0;
    const processor = new DeltaProcessor<Thing>({
      store,
      keyOf: (item) => plainForm.accessor.key(item),
      handler: { onAdd: () => void told++, onUpdate() {}, onDelete: () => void told++ },
    });
    const objects = Array.from({ length: 1000 }, (_, i) => thing(`n${i}`, i));
    const sizes = new Set<number>();
    let steps = 0;
    for (const _ of processor.process([{ type: 'ReplacedAll', resourceVersion: '9', objects }], true)!) {
      steps++;
      sizes.add(store.size);
    }
    expect(steps).toBeGreaterThan(1000);
    expect([...sizes]).toEqual([1, 1000]);
    expect(told).toBe(1001);
  });

  it('fills an index that was added during a list in steps; if that fails, the store stays as it was', () => {
    const begin = () => {
      const store = new Indexer<Thing, 'late'>({ accessor: plainForm.accessor });
      store.add(thing('old'));
      const told: string[] = [];
      const processor = new DeltaProcessor<Thing>({
        store,
        keyOf: (item) => plainForm.accessor.key(item),
        handler: { onAdd() {}, onUpdate() {}, onDelete: (item) => void told.push(show(plainForm, item)) },
        onStoreError: (error) => told.push((error as Error).message),
      });
      const objects = Array.from({ length: 1000 }, (_, i) => thing(`n${i}`, i));
      const replaced = { type: 'ReplacedAll' as const, resourceVersion: '9', objects };
      const steps = processor.process([replaced], false)!;
      for (let i = 0; i < 50; i++) steps.next();
      return { store, steps, told };
    };
    const good = begin();
    let calls = 0;
    good.store.addIndexers({ late: () => [String(++calls)].slice(1).concat('v') });
    let most = 0;
    for (let before = calls, done = false; !done; before = calls) {
      done = good.steps.next().done === true;
      most = Math.max(most, calls - before);
    }
    expect(most).toBeLessThanOrEqual(2);
    expect(good.store.indexCount('late', 'v')).toBe(1000);
    expect(good.told).toEqual(['gone old']);
    const bad = begin();
    bad.store.addIndexers({
      late: ({ value }: Thing) => {
        if (value === 7) throw new Error('cannot index');
        return ['v'];
      },
    });
    complete(bad.steps);
    expect(bad.told).toEqual(['cannot index']);
    expect(bad.store.listKeys()).toEqual(['old']);
    expect(bad.store.indexKeys('late', 'v')).toEqual(['old']);
  });
});
