import { describe, expect, it } from 'vitest';
import { type Form, forms, thing } from '../../../test/support/forms.js';
import { queueRig } from '../../../test/support/queue-rig.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import { DeltaFIFO, type DeltaFIFOOptions } from './delta-fifo.js';
import type { KnownObjects } from './queue.js';

describe.each(forms)('DeltaFIFO of $name', (form: Form<unknown>) => {
  const { item, known, showDeltas, drain, drainValues, interleave, popUnblocks } = queueRig(form);
  const make = (options: Partial<DeltaFIFOOptions<unknown>> = {}) =>
    new DeltaFIFO<unknown>({ accessor: form.accessor, ...options });

  it("[S63] keeps each producer's order", () => interleave(make()));

  it('[S64] a list after a queued deletion', () => {
    const queue = make({ knownObjects: known(thing('foo', 1)) });
    queue.delete(item('foo', 1));
    queue.replace([item('foo', 2)], '0');
    expect(drain(queue)).toEqual(['Deleted foo=1, Sync foo=2']);
  });

  it.each([true, false])('[S65] a list deletes objects that only the queue has (known objects: %s)', (withKnown) => {
    const outcome = (steps: (queue: DeltaFIFO<unknown>) => void, emitReplaced = false) => {
      const queue = make({ emitReplaced, ...(withKnown && { knownObjects: known() }) });
      steps(queue);
      return drain(queue);
    };
    const foo = () => item('foo', 2);
    expect(outcome((q) => (q.add(foo()), q.replace([], '0')))).toEqual(['Added foo=2, Deleted gone foo=2']);
    expect(outcome((q) => (q.add(foo()), q.replace([foo()], '0'), q.replace([], '0')), true)).toEqual([
      'Added foo=2, Replaced foo=2, Deleted gone foo=2',
    ]);
    expect(outcome((q) => (q.add(foo()), q.delete(foo()), q.replace([], '0')))).toEqual(['Added foo=2, Deleted foo=2']);
    expect(
      outcome((q) => (q.add(foo()), q.replace([foo()], '0'), q.replace([foo()], '0'), q.replace([], '0'))),
    ).toEqual(['Added foo=2, Sync foo=2, Sync foo=2, Deleted gone foo=2']);
    expect(outcome((q) => (q.add(foo()), q.replace([], '0'), q.replace([], '0')))).toEqual([
      'Added foo=2, Deleted gone foo=2',
    ]);
    expect(outcome((q) => (q.add(foo()), q.delete(foo()), q.add(item('foo', 3)), q.replace([], '0')))).toEqual([
      'Added foo=2, Deleted foo=2, Added foo=3, Deleted gone foo=3',
    ]);
  });

  it('[S66] deltas of one object are taken together, oldest first', () => {
    const queue = make();
    queue.add(item('foo', 10));
    queue.update(item('foo', 12));
    queue.delete(item('foo', 15));
    expect(queue.length).toBe(1);
    expect(drain(queue)).toEqual(['Added foo=10, Updated foo=12, Deleted foo=15']);
    expect(queue.length).toBe(0);
  });

  it('[S67] transforms each object once, and no tombstone', () => {
    const store = known(thing('foo', 'known foo'), thing('bar', 'known bar'));
    let calls = 0;
    const transform = (each: unknown) => {
      calls++;
      const read = form.read(each);
      return form.make({ ...read, value: `t(${read.value})` });
    };
    const queue = make({ knownObjects: store, transform });
    queue.add(item('foo', 1));
    queue.add(item('bar', 1));
    queue.update(item('foo', 2));
    queue.delete(item('foo', 3));
    queue.replace([], '0');
    queue.add(item('bar', 4));
    queue.replace([], '0');
    expect(calls).toBe(5);
    expect(drain(queue)).toEqual([
      'Added foo=t(1), Updated foo=t(2), Deleted foo=t(3)',
      'Added bar=t(1), Deleted gone bar=t(1), Added bar=t(4), Deleted gone bar=t(4)',
    ]);
  });

  it('a transform that throws queues nothing', () => {
    const queue = make({
      transform: () => {
        throw new Error('no');
      },
    });
    expect(() => queue.add(item('foo'))).toThrow('no');
    expect(queue.length).toBe(0);
  });

  it('[S68] drops the deletion of an unknown object', () => {
    const queue = make();
    queue.add(item('foo', 10));
    queue.update(item('bar', 15));
    queue.add(item('qux', 17));
    queue.delete(item('qux', 18));
    queue.delete(item('baz', 20));
    expect(drainValues(queue)).toEqual([10, 15, 18]);
  });

  it('[S69] delivers the deletion of an object that the store has', () => {
    const queue = make({ knownObjects: known(thing('foo', 5), thing('bar', 6), thing('baz', 7)) });
    queue.add(item('foo', 10));
    queue.update(item('bar', 15));
    queue.delete(item('baz', 20));
    expect(drainValues(queue)).toEqual([10, 15, 20]);
  });

  it('[S70] a list after an add: both deltas of the object, oldest first', () => {
    const queue = make();
    queue.add(item('foo', 10));
    queue.replace([item('foo', 15)], '15');
    expect(drainValues(queue)).toEqual([15]);
  });

  it('[S71] a resync skips objects with a queued deletion', () => {
    const queue = make({ knownObjects: known(thing('foo', 5)) });
    queue.delete(item('foo', 10));
    queue.resync();
    expect(drain(queue)).toEqual(['Deleted foo=10']);
  });

  it('[S72] a resync queues the objects of the store; without a store it does nothing', () => {
    const queue = make({ knownObjects: known(thing('foo', 5)) });
    queue.resync();
    expect(drain(queue)).toEqual(['Sync foo=5']);
    const bare = make();
    bare.resync();
    expect(bare.length).toBe(0);
  });

  it('[S73] keeps the deletion of an object that is only queued', () => {
    const queue = make({ knownObjects: known() });
    queue.add(item('foo', 5));
    queue.delete(item('foo', 6));
    expect(drain(queue)).toEqual(['Added foo=5, Deleted foo=6']);
  });

  it('[S74] a list deletes objects that it does not have', () => {
    const store = () => known(thing('foo', 5), thing('bar', 6), thing('baz', 7));
    const outcome = (
      steps: (queue: DeltaFIFO<unknown>) => void,
      knownObjects: KnownObjects<unknown> | undefined = store(),
    ) => {
      const queue = make({ knownObjects });
      steps(queue);
      return drain(queue);
    };
    expect(outcome((q) => (q.delete(item('baz', 10)), q.replace([item('foo', 5)], '0')))).toEqual([
      'Deleted baz=10',
      'Sync foo=5',
      'Deleted gone bar=6',
    ]);
    expect(outcome((q) => (q.add(item('baz', 10)), q.replace([item('foo', 5)], '0')))).toEqual([
      'Added baz=10, Deleted gone baz=10',
      'Sync foo=5',
      'Deleted gone bar=6',
    ]);
    expect(
      outcome((q) => (q.delete(item('bar', 6)), q.add(item('bar', 100)), q.replace([item('foo', 5)], '0'))),
    ).toEqual(['Deleted bar=6, Added bar=100, Deleted gone bar=100', 'Sync foo=5', 'Deleted gone baz=7']);
    expect(
      outcome((q) => (q.replace([item('bar', 100), item('foo', 5)], '0'), q.replace([item('foo', 5)], '0'))),
    ).toEqual(['Sync bar=100, Deleted gone bar=100', 'Sync foo=5, Sync foo=5', 'Deleted gone baz=7']);
    const bare = make();
    bare.add(item('baz', 10));
    bare.replace([item('foo', 5)], '0');
    expect(drain(bare)).toEqual(['Added baz=10, Deleted gone baz=10', 'Sync foo=5']);
  });

  it('[S75] the same with emitReplaced', () => {
    const queue = make({
      emitReplaced: true,
      knownObjects: known(thing('foo', 5), thing('bar', 6), thing('baz', 7)),
    });
    queue.delete(item('baz', 10));
    queue.replace([item('foo', 6)], '0');
    expect(drain(queue)).toEqual(['Deleted baz=10', 'Replaced foo=6', 'Deleted gone bar=6']);
  });

  it('[S76] emitReplaced distinguishes a list from a resync', () => {
    const queue = make({ emitReplaced: true, knownObjects: known(thing('foo', 5)) });
    queue.replace([item('foo', 5)], '0');
    expect(drain(queue)).toEqual(['Replaced foo=5']);
  });

  it('[S77] a resync skips objects with queued deltas', () => {
    const queue = make({ knownObjects: known(thing('foo', 5)) });
    queue.update(item('foo', 6));
    queue.resync();
    expect(drain(queue)).toEqual(['Updated foo=6']);
  });

  it('[S78] has synced after the last deletion of the first list was processed', () => {
    const queue = make({ knownObjects: known(thing('foo', 5), thing('bar', 6), thing('baz', 7)) });
    queue.replace([item('foo', 5)], '0');
    const expected = ['Sync foo=5', 'Deleted gone bar=6', 'Deleted gone baz=7'];
    for (const each of expected) {
      expect(queue.hasSynced).toBe(false);
      const taken = queue.take(1);
      expect(taken?.isInInitialList).toBe(true);
      expect(showDeltas(taken?.deltas ?? [])).toBe(each);
      taken?.finish();
      taken?.finish();
    }
    expect(queue.hasSynced).toBe(true);
  });

  it('[S79] a later delta does not move an object forward', () => {
    const queue = make();
    for (const [key, value] of [
      ['foo', 10],
      ['bar', 1],
      ['foo', 11],
      ['foo', 13],
      ['zab', 30],
    ] as const)
      queue.add(item(key, value));
    const first = queue.take(1);
    expect(showDeltas(first?.deltas ?? [])).toBe('Added foo=10, Added foo=11, Added foo=13');
    queue.add(item('foo', 14));
    expect(drainValues(queue)).toEqual([1, 30, 14]);
  });

  it('[S80] keys of objects, tombstones and deltas', () => {
    const queue = make();
    expect(queue.keyOf(item('foo', 10))).toBe('foo');
    expect(queue.keyOf(new DeletedFinalStateUnknown<unknown>('bar', undefined))).toBe('bar');
    expect(
      queue.keyOf([
        { type: 'Added', object: item('old') },
        { type: 'Updated', object: item('new') },
      ]),
    ).toBe('new');
    expect(queue.keyOf([{ type: 'Deleted', object: new DeletedFinalStateUnknown('gone', item('x')) }])).toBe('gone');
    expect(() => queue.keyOf([])).toThrow('0 length Deltas object');
  });

  it('[S81] when it has synced', () => {
    const synced = (steps: (queue: DeltaFIFO<unknown>) => void) => {
      const queue = make();
      steps(queue);
      return queue.hasSynced;
    };
    const pop = (queue: DeltaFIFO<unknown>) => queue.take(1)?.finish();
    expect(synced(() => {})).toBe(false);
    expect(synced((q) => q.add(item('a')))).toBe(true);
    expect(synced((q) => q.replace([], '0'))).toBe(true);
    expect(synced((q) => q.replace([item('a'), item('b')], '0'))).toBe(false);
    expect(synced((q) => (q.replace([item('a'), item('b')], '0'), pop(q)))).toBe(false);
    expect(synced((q) => (q.replace([item('a'), item('b')], '0'), pop(q), pop(q)))).toBe(true);
    expect(synced((q) => (q.replace([item('a'), item('a')], '0'), pop(q)))).toBe(true);
  });

  it('[S82] closing rejects waiting pops', () => popUnblocks(make()));

  it('of two deletions in a row the one with the final state is kept', () => {
    const gone = new DeletedFinalStateUnknown('foo', item('foo', 1));
    const queue = make({ knownObjects: known(thing('foo', 1)) });
    queue.delete(gone);
    queue.delete(item('foo', 2));
    expect(drain(queue)).toEqual(['Deleted foo=2']);
    queue.delete(item('foo', 3));
    queue.delete(item('foo', 4));
    expect(drain(queue)).toEqual(['Deleted foo=3']);
  });
});
