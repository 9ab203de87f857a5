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
  it('decodes once what is read again and again', () => {
    const { cache, item, count } = setup(100);
    const one = item(1);
    expect(cache.decode(one)).toEqual({ id: 1 });
    expect(cache.decode(one)).toBe(cache.decode(one));
    expect(count()).toBe(1);
  });

  it('lets go of what nobody reads before what somebody does', () => {
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

  it('does not keep what would push everything else out, nor what is an object already', () => {
    const { cache, item, count } = setup(100);
    const large = item(1, 51);
    cache.decode(large);
    cache.decode(large);
    expect(large.decoded).toBeUndefined();
    expect(count()).toBe(2);
    expect(objectView().decodedSlot({} as never)).toBeUndefined();
  });

  it('holds on to no item: one that was replaced can go, and its bytes with it', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const { cache, item } = setup(100);
    const read = () => {
      const one = item(1);
      cache.decode(one);
      return new WeakRef(one);
    };
    const replaced = read();
    // A WeakRef holds on until the job that made it has ended.
    await realClock.yield();
    collectGarbage();
    expect(replaced.deref()).toBeUndefined();
  });

  it('never keeps more than its budget, whatever is read, and always hands out the object of the item', () => {
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
