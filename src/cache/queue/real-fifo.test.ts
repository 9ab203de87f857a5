import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Form, forms, show, thing } from '../../../test/support/forms.js';
import { queueRig } from '../../../test/support/queue-rig.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import type { KnownObjects } from './queue.js';
import { batchSize, RealFIFO, type RealFIFOOptions } from './real-fifo.js';

describe.each(forms)('RealFIFO of $name', (form: Form<unknown>) => {
  const { item, known, showDeltas, drain, drainValues, interleave, popUnblocks } = queueRig(form);
  const make = (knownObjects: KnownObjects<unknown> = known(), options: Partial<RealFIFOOptions<unknown>> = {}) =>
    new RealFIFO<unknown>({ accessor: form.accessor, atomic: false, knownObjects, ...options });
  const makeAtomic = () => new RealFIFO<unknown>({ accessor: form.accessor });

  it("[S84] keeps each producer's order", () => interleave(make()));

  it('[S85] a list after a queued deletion', () => {
    const queue = make(known(thing('foo', 1)));
    queue.delete(item('foo', 1));
    queue.replace([item('foo', 2)], '0');
    expect(drain(queue)).toEqual(['Deleted foo=1', 'Replaced foo=2']);
  });

  it('[S86] a list deletes objects that only the queue has', () => {
    const outcome = (steps: (queue: RealFIFO<unknown>) => void) => {
      const queue = make();
      steps(queue);
      return drain(queue);
    };
    const foo = () => item('foo', 2);
    expect(outcome((q) => (q.add(foo()), q.replace([], '0')))).toEqual(['Added foo=2', 'Deleted gone foo=2']);
    expect(outcome((q) => (q.add(foo()), q.replace([foo()], '0'), q.replace([], '0')))).toEqual([
      'Added foo=2',
      'Replaced foo=2',
      'Deleted gone foo=2',
    ]);
    expect(outcome((q) => (q.add(foo()), q.delete(foo()), q.replace([], '0')))).toEqual([
      'Added foo=2',
      'Deleted foo=2',
    ]);
    expect(
      outcome((q) => (q.add(foo()), q.replace([foo()], '0'), q.replace([foo()], '0'), q.replace([], '0'))),
    ).toEqual(['Added foo=2', 'Replaced foo=2', 'Replaced foo=2', 'Deleted gone foo=2']);
    expect(outcome((q) => (q.add(foo()), q.replace([], '0'), q.replace([], '0')))).toEqual([
      'Added foo=2',
      'Deleted gone foo=2',
    ]);
    expect(outcome((q) => (q.add(foo()), q.delete(foo()), q.add(item('foo', 3)), q.replace([], '0')))).toEqual([
      'Added foo=2',
      'Deleted foo=2',
      'Added foo=3',
      'Deleted gone foo=3',
    ]);
    expect(outcome((q) => (q.progress('1'), q.replace([], '0'), q.replace([], '0')))).toEqual([]);
  });

  it('[S87] every delta is taken by itself', () => {
    const queue = make();
    queue.add(item('foo', 10));
    queue.update(item('foo', 12));
    queue.delete(item('foo', 15));
    expect(drain(queue)).toEqual(['Added foo=10', 'Updated foo=12', 'Deleted foo=15']);
  });

  it('[S88] order and transformation of a mixed sequence', () => {
    let calls = 0;
    const transform = (each: unknown) => {
      calls++;
      const read = form.read(each);
      return form.make({ ...read, value: Number(read.value) + 1 });
    };
    const queue = make(known(), { transform });
    queue.add(item('foo', 10));
    queue.add(item('bar', 10));
    queue.update(item('foo', 12));
    queue.delete(item('foo', 15));
    queue.replace([], '');
    queue.add(item('bar', 15));
    queue.replace([], '');
    expect(drain(queue)).toEqual([
      'Added foo=11',
      'Added bar=11',
      'Updated foo=13',
      'Deleted foo=16',
      'Deleted gone bar=11',
      'Added bar=16',
      'Deleted gone bar=16',
    ]);
    expect(calls).toBe(5);
  });

  it('[S89] delivers the deletion of an unknown object', () => {
    const queue = make();
    queue.add(item('foo', 10));
    queue.update(item('bar', 15));
    queue.add(item('qux', 17));
    queue.delete(item('qux', 18));
    queue.delete(item('baz', 20));
    expect(drainValues(queue)).toEqual([10, 15, 17, 18, 20]);
  });

  it('[S90] deltas of known objects', () => {
    const queue = make(known(thing('foo', 5), thing('bar', 6), thing('baz', 7)));
    queue.add(item('foo', 10));
    queue.update(item('bar', 15));
    queue.delete(item('baz', 20));
    expect(drainValues(queue)).toEqual([10, 15, 20]);
  });

  it('[S91] a list after an add: both deltas', () => {
    const queue = make();
    queue.add(item('foo', 10));
    queue.replace([item('foo', 15)], '15');
    expect(drainValues(queue)).toEqual([10, 15]);
  });

  it('[S92] a resync skips objects with a queued deletion', () => {
    const queue = make(known(thing('foo', 5)));
    queue.delete(item('foo', 10));
    queue.resync();
    expect(drain(queue)).toEqual(['Deleted foo=10']);
  });

  it('[S93] a resync queues the objects of the store', () => {
    const queue = make(known(thing('foo', 5)));
    queue.resync();
    expect(drain(queue)).toEqual(['Sync foo=5']);
  });

  it('[S94] keeps the deletion of an object that is only queued', () => {
    const queue = make();
    queue.add(item('foo', 5));
    queue.delete(item('foo', 6));
    expect(drain(queue)).toEqual(['Added foo=5', 'Deleted foo=6']);
  });

  it('[S95] a list queues deletions before Replaced deltas', () => {
    const store = () => known(thing('foo', 5), thing('bar', 6), thing('baz', 7));
    const outcome = (steps: (queue: RealFIFO<unknown>) => void, knownObjects = store()) => {
      const queue = make(knownObjects);
      steps(queue);
      return drain(queue);
    };
    expect(outcome((q) => (q.delete(item('baz', 10)), q.replace([item('foo', 5)], '0')))).toEqual([
      'Deleted baz=10',
      'Deleted gone bar=6',
      'Replaced foo=5',
    ]);
    expect(outcome((q) => (q.add(item('baz', 10)), q.replace([item('foo', 5)], '0')))).toEqual([
      'Added baz=10',
      'Deleted gone baz=10',
      'Deleted gone bar=6',
      'Replaced foo=5',
    ]);
    expect(
      outcome((q) => (q.delete(item('bar', 6)), q.add(item('bar', 100)), q.replace([item('foo', 5)], '0'))),
    ).toEqual(['Deleted bar=6', 'Added bar=100', 'Deleted gone bar=100', 'Deleted gone baz=7', 'Replaced foo=5']);
    expect(
      outcome((q) => (q.replace([item('bar', 100), item('foo', 5)], '0'), q.replace([item('foo', 5)], '0'))),
    ).toEqual(['Deleted gone baz=7', 'Replaced bar=100', 'Replaced foo=5', 'Deleted gone bar=100', 'Replaced foo=5']);
    expect(outcome((q) => (q.add(item('baz', 10)), q.replace([item('foo', 5)], '0')), known())).toEqual([
      'Added baz=10',
      'Deleted gone baz=10',
      'Replaced foo=5',
    ]);
  });

  it('[S96] deletions are taken before Replaced deltas, one by one', () => {
    const queue = make(known(thing('foo', 5), thing('bar', 6), thing('baz', 7)));
    queue.delete(item('baz', 10));
    queue.replace([item('foo', 6)], '0');
    expect(drain(queue)).toEqual(['Deleted baz=10', 'Deleted gone bar=6', 'Replaced foo=6']);
  });

  it('[S97] a resync skips objects with queued deltas', () => {
    const queue = make(known(thing('foo', 5)));
    queue.update(item('foo', 6));
    queue.resync();
    expect(drain(queue)).toEqual(['Updated foo=6']);
  });

  it('[S98] has synced after the last item of the first list was processed', () => {
    const queue = make(known(thing('foo', 5), thing('bar', 6), thing('baz', 7)));
    queue.replace([item('foo', 5)], '0');
    for (const each of ['Deleted gone bar=6', 'Deleted gone baz=7', 'Replaced foo=5']) {
      const taken = queue.take(1);
      expect(taken?.isInInitialList).toBe(true);
      expect(showDeltas(taken?.deltas ?? [])).toBe(each);
      expect(queue.hasSynced).toBe(false);
      taken?.finish();
    }
    expect(queue.hasSynced).toBe(true);
  });

  it('[S99] strict order of arrival', () => {
    const queue = make();
    for (const [key, value] of [
      ['foo', 10],
      ['bar', 1],
      ['foo', 11],
      ['foo', 13],
      ['zab', 30],
    ] as const)
      queue.add(item(key, value));
    expect(showDeltas(queue.take(1)?.deltas ?? [])).toBe('Added foo=10');
    queue.add(item('foo', 14));
    expect(drainValues(queue)).toEqual([1, 11, 13, 30, 14]);
  });

  it('[S100] keys of objects, tombstones and deltas', () => {
    const queue = make();
    expect(queue.keyOf(item('foo', 10))).toBe('foo');
    expect(queue.keyOf(new DeletedFinalStateUnknown<unknown>('bar', undefined))).toBe('bar');
    expect(queue.keyOf({ type: 'Added', object: item('one') })).toBe('one');
    expect(queue.keyOf([{ type: 'Deleted', object: new DeletedFinalStateUnknown('gone', item('x')) }])).toBe('gone');
    expect(() => queue.keyOf({ type: 'SyncAll' })).toThrow('a SyncAll delta is about the whole collection');
  });

  it('[S101] when it has synced', () => {
    const synced = (steps: (queue: RealFIFO<unknown>) => void, queue = make()) => {
      steps(queue);
      return queue.hasSynced;
    };
    const pop = (queue: RealFIFO<unknown>) => queue.take(1)?.finish();
    expect(synced(() => {})).toBe(false);
    expect(synced((q) => q.add(item('a')))).toBe(true);
    expect(synced((q) => q.replace([], '0'))).toBe(true);
    expect(synced((q) => q.replace([item('a'), item('b')], '0'))).toBe(false);
    expect(synced((q) => (q.replace([item('a'), item('b')], '0'), pop(q)))).toBe(false);
    expect(synced((q) => (q.replace([item('a'), item('b')], '0'), pop(q), pop(q)))).toBe(true);
    expect(synced((q) => (q.replace([item('a'), item('a')], '0'), pop(q)))).toBe(false);
    expect(synced((q) => (q.replace([item('a'), item('a')], '0'), pop(q), pop(q)))).toBe(true);
    expect(synced((q) => q.replace([], '0'), makeAtomic())).toBe(false);
    expect(synced((q) => (q.replace([], '0'), pop(q)), makeAtomic())).toBe(true);
  });

  it('[S102] closing rejects waiting pops', () => popUnblocks(make()));

  it('[S103] where batches end', () => {
    const batches = (initial: [string, number][], updates: [string, number][], most = 1000) => {
      const queue = make();
      queue.replace(
        initial.map(([key, value]) => item(key, value)),
        '0',
      );
      for (const [key, value] of updates) queue.update(item(key, value));
      const seen: string[] = [];
      for (let next = queue.take(most); next !== undefined; next = queue.take(most)) {
        const values = next.deltas.map((delta) => ('object' in delta ? show(form, delta.object) : delta.type));
        seen.push(`${next.isInInitialList ? 'initial ' : ''}${values.join(' ')}`);
        next.finish();
      }
      return seen;
    };
    const one: [string, number] = ['1', 1];
    const two: [string, number] = ['2', 2];
    const three: [string, number] = ['3', 3];
    expect(batches([one, two, three], [])).toEqual(['initial 1=1 2=2 3=3']);
    expect(
      batches(
        [one, two],
        [
          ['1', 11],
          ['2', 12],
        ],
        2,
      ),
    ).toEqual(['initial 1=1 2=2', '1=11 2=12']);
    expect(
      batches(
        [one],
        [
          ['1', 11],
          ['1', 12],
        ],
      ),
    ).toEqual(['initial 1=1', '1=11', '1=12']);
    expect(
      batches(
        [one, two],
        [
          ['2', 12],
          ['3', 13],
        ],
      ),
    ).toEqual(['initial 1=1 2=2', '2=12 3=13']);
    expect(batches([one, two, three], [['2', 12]])).toEqual(['initial 1=1 2=2 3=3', '2=12']);
    expect(batches([one, two, three], [], 2)).toEqual(['initial 1=1 2=2', 'initial 3=3']);
    expect(batches([], [one, two, three], 2)).toEqual(['1=1 2=2', '3=3']);
    expect(batches([one, two, three], [['4', 4]], 2)).toEqual(['initial 1=1 2=2', 'initial 3=3', '4=4']);
  });

  it('[S104] an object without a key ends its batch', () => {
    const batches = (...names: string[]) => {
      const queue = make(known(), {
        keyOf: (each) => {
          const { name } = form.read(each).metadata;
          if (name.startsWith('f')) throw new Error('no key');
          return name;
        },
      });
      for (const name of names) queue.update(item(name));
      return drain(queue, 1000);
    };
    expect(batches('f3')).toEqual(['Updated f3']);
    expect(batches('s1', 's2', 'f3')).toEqual(['Updated s1, Updated s2, Updated f3']);
    expect(batches('s1', 's2', 'f3', 'f4')).toEqual(['Updated s1, Updated s2, Updated f3', 'Updated f4']);
    expect(batches('f3', 's1', 'f4')).toEqual(['Updated f3', 'Updated s1, Updated f4']);
  });

  it('[S105] an atomic list is one delta', () => {
    const outcome = (steps: (queue: RealFIFO<unknown>) => void) => {
      const queue = makeAtomic();
      steps(queue);
      return drain(queue);
    };
    expect(outcome((q) => q.replace([], '123'))).toEqual(['ReplacedAll 123 []']);
    expect(outcome((q) => (q.add(item('foo', 2)), q.replace([], '10')))).toEqual(['Added foo=2', 'ReplacedAll 10 []']);
    expect(
      outcome(
        (q) => (
          q.add(item('foo', 2)),
          q.replace([item('foo', 2)], '10'),
          q.replace([item('foo', 3)], '20'),
          q.replace([], '56')
        ),
      ),
    ).toEqual(['Added foo=2', 'ReplacedAll 10 [foo=2]', 'ReplacedAll 20 [foo=3]', 'ReplacedAll 56 []']);
    expect(outcome((q) => (q.progress('123'), q.replace([], '1234')))).toEqual(['Bookmark 123', 'ReplacedAll 1234 []']);
  });

  it('[S106] an atomic list is taken as one batch', () => {
    const queue = makeAtomic();
    queue.add(item('foo', 10));
    queue.replace([item('foo', 15)], '15');
    expect(drain(queue, 1000)).toEqual(['Added foo=10', 'ReplacedAll 15 [foo=15]']);
  });

  it('[S107] an atomic resync is one delta', () => {
    const queue = makeAtomic();
    queue.resync();
    queue.add(item('foo', 10));
    queue.resync();
    expect(drain(queue, 1000)).toEqual(['SyncAll', 'Added foo=10', 'SyncAll']);
  });

  it('requires knownObjects with atomic: false, and refuses them otherwise', () => {
    expect(() => new RealFIFO({ accessor: form.accessor, knownObjects: known() })).toThrow(
      /knownObjects must be left out when atomic/,
    );
    expect(() => new RealFIFO({ accessor: form.accessor, atomic: false })).toThrow(/knownObjects must be the store/);
  });

  it('popBatch() calls processBatch or processSingle, and drops a batch that fails', async () => {
    const queue = makeAtomic();
    const seen: string[] = [];
    const popBatch = () =>
      queue.popBatch(
        (deltas) => void seen.push(`batch of ${deltas.length}`),
        (deltas) => void seen.push(showDeltas(deltas)),
      );
    const waiting = popBatch();
    queue.add(item('a', 1));
    await waiting;
    for (let i = 0; i < batchSize + 5; i++) queue.add(item(`x${i}`));
    await popBatch();
    await popBatch();
    queue.add(item('lost'));
    await expect(
      queue.pop(() => {
        throw new Error('process failed');
      }),
    ).rejects.toThrow('process failed');
    expect(queue.length).toBe(0);
    expect(seen).toEqual(['Added a=1', `batch of ${batchSize}`, 'batch of 5']);
    const stop = new AbortController();
    const aborted = Array.from({ length: 12 }, () => queue.pop(() => {}, { signal: stop.signal }));
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    stop.abort(new Error('enough'));
    for (const each of aborted) await expect(each).rejects.toThrow('enough');
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });

  it('calls its listener when a delta is queued, until undone, and when it is closed', async () => {
    const queue = makeAtomic();
    let wakes = 0;
    const undo = queue.onReady(() => wakes++);
    queue.add(item('a'));
    queue.progress('2');
    expect(wakes).toBe(2);
    undo();
    queue.add(item('b'));
    expect(wakes).toBe(2);
    queue.onReady(() => wakes++);
    expect(wakes).toBe(3);
    queue.close();
    expect(wakes).toBe(4);
    expect(queue.isClosed).toBe(true);
    await queue.whenSynced();
    const stop = new AbortController();
    const never = makeAtomic().whenSynced({ signal: stop.signal });
    stop.abort(new Error('gave up'));
    await expect(never).rejects.toThrow('gave up');
  });
});
