import { expect } from 'vitest';
import type { Delta, Deltas } from '../../src/cache/queue/delta.js';
import type { KnownObjects, Queue } from '../../src/cache/queue/queue.js';
import { QueueClosedError } from '../../src/cache/store/store-errors.js';
import { DeletedFinalStateUnknown } from '../../src/meta/key.js';
import { type Form, show, type Thing, thing } from './forms.js';

/** Helpers for the tests of both queues: make items of one form, show deltas, and check what both queues promise. */
export function queueRig(form: Form<unknown>) {
  const item = (key: string, value?: number | string) => form.make(thing(key, value));
  const known = (...things: Thing[]): KnownObjects<unknown> => {
    const items = new Map(things.map((each) => [each.metadata.name, form.make(each)]));
    return { listKeys: () => [...items.keys()], getByKey: (key) => items.get(key) };
  };
  const showDelta = (delta: Delta<unknown>): string => {
    if (delta.type === 'ReplacedAll')
      return `ReplacedAll ${delta.resourceVersion} [${delta.objects.map((each) => show(form, each))}]`;
    if (delta.type === 'SyncAll' || delta.type === 'PartChanged') return delta.type;
    if (delta.type === 'Bookmark') return `Bookmark ${delta.resourceVersion}`;
    return `${delta.type} ${show(form, delta.object)}`;
  };
  const showDeltas = (deltas: Deltas<unknown>): string => deltas.map(showDelta).join(', ');
  /** Takes and finishes batches until the queue is empty. */
  const drain = (queue: Queue<unknown>, most = 1): string[] => {
    const taken: string[] = [];
    for (let next = queue.take(most); next !== undefined; next = queue.take(most)) {
      taken.push(showDeltas(next.deltas));
      next.finish();
    }
    return taken;
  };
  /** The newest value of each thing that is taken, as in most of client-go's tests. */
  const drainValues = (queue: Queue<unknown>): (string | number | undefined)[] => {
    const values: (string | number | undefined)[] = [];
    for (let next = queue.take(1); next !== undefined; next = queue.take(1)) {
      const newest = next.deltas[next.deltas.length - 1];
      if (newest !== undefined && 'object' in newest && !(newest.object instanceof DeletedFinalStateUnknown)) {
        values.push(form.read(newest.object).value);
      }
      next.finish();
    }
    return values;
  };
  const interleave = (queue: Queue<unknown>) => {
    for (let i = 0; i < 500; i++) {
      queue.add(item(`a${i}`, i));
      queue.add(item(`b${i}`, i));
    }
    const seen = { a: -1, b: -1 };
    for (let next = queue.take(1); next !== undefined; next = queue.take(1)) {
      const [delta] = next.deltas;
      if (delta === undefined || !('object' in delta)) throw new Error('nothing in it');
      const { metadata, value } = form.read(delta.object);
      const producer = metadata.name[0] as 'a' | 'b';
      expect(value).toBe(seen[producer] + 1);
      seen[producer] = value as number;
    }
    expect(seen).toEqual({ a: 499, b: 499 });
  };
  const popUnblocks = async (queue: Queue<unknown>) => {
    const pops = Array.from({ length: 10 }, () => queue.pop(() => {}));
    queue.close();
    for (const pop of pops) await expect(pop).rejects.toThrow(QueueClosedError);
  };

  return { item, known, showDelta, showDeltas, drain, drainValues, interleave, popUnblocks };
}
