import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../time/real-clock.js';
import { DecodedCache } from './decoded-cache.js';
import { type DecodedSlot, type ItemView, rawView } from './item-view.js';
import { objectView } from './object-item.js';

interface Item extends DecodedSlot {
  readonly id: number;
}

function setup(budget: number) {
  let decoded = 0;
  const view = {
    ...rawView<Item>(),
    decodedSlot: (item: Item) => item,
    decode: (item: Item) => {
      decoded++;
      return { id: item.id };
    },
  } as unknown as ItemView<Item, { id: number }>;
  const cache = new DecodedCache(view, budget);
  const item = (id: number, length = 10): Item => ({ id, length, decoded: undefined, touched: false });
  return { cache, item, count: () => decoded };
}

describe('DecodedCache', () => {
  it('decodes an object once if it is read repeatedly', () => {
    const { cache, item, count } = setup(100);
    const one = item(1);
    expect(cache.decode(one)).toEqual({ id: 1 });
    expect(cache.decode(one)).toBe(cache.decode(one));
    expect(count()).toBe(1);
  });

  it('drops objects that are not read before those that are', () => {
    const { cache, item } = setup(100);
    const [popular, forgotten] = [item(0), item(1)];
    cache.decode(forgotten);
    for (let id = 2; id < 40; id++) {
      cache.decode(popular);
      cache.decode(item(id));
    }
    expect(popular.decoded).toBeDefined();
    expect(forgotten.decoded).toBeUndefined();
  });

  it('does not store an object larger than half of the budget, nor one that needs no decoding', () => {
    const { cache, item, count } = setup(100);
    const large = item(1, 51);
    cache.decode(large);
    cache.decode(large);
    expect(large.decoded).toBeUndefined();
    expect(count()).toBe(2);
    expect(objectView().decodedSlot({} as never)).toBeUndefined();
  });

  it('does not keep an item from being garbage collected', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const { cache, item } = setup(100);
    const read = () => {
      const one = item(1);
      cache.decode(one);
      return new WeakRef(one);
    };
    const replaced = read();
    // A WeakRef keeps its target until the current job has ended.
    await realClock.yield();
    collectGarbage();
    expect(replaced.deref()).toBeUndefined();
  });

  it('does not count items that were garbage collected', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const { cache, item } = setup(100_000);
    const kept = item(0);
    cache.decode(kept);
    const readStates = () => {
      for (let id = 1; id <= 1500; id++) cache.decode(item(id, 20));
    };
    // Together they are three times the budget.
    for (let states = 0; states < 10; states++) {
      readStates();
      await realClock.yield();
      collectGarbage();
    }
    expect(kept.decoded).toBeDefined();
  });

  it('stays within its budget, and returns the object of the item', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(sizes, fc.array(fc.nat(), { maxLength: 200 }), (lengths, reads) => {
        const { cache, item } = setup(100);
        const items = lengths.map((length, id) => item(id, length));
        for (const read of reads) {
          const one = items[read % items.length] as Item;
          expect(cache.decode(one)).toEqual({ id: one.id });
          const weight = items.reduce((sum, { decoded, length }) => sum + (decoded === undefined ? 0 : length), 0);
          expect(weight).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});
