import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forms, thing } from '../../test/support/forms.js';
import { Heap, HeapClosedError } from './heap.js';

describe.each(forms)('Heap of $name', (form) => {
  const numberOf = (item: unknown) => form.read(item).value as number;
  const make = (...things: [key: string, value: number][]) => {
    const heap = new Heap<unknown>({
      keyOf: (item) => form.accessor.key(item),
      compare: (a, b) => numberOf(a) - numberOf(b),
    });
    for (const [key, value] of things) heap.add(item(key, value));
    return heap;
  };
  const item = (key: string, value: number) => form.make(thing(key, value));
  const pop = async (heap: Heap<unknown>) => numberOf(await heap.pop());
  const drain = async (heap: Heap<unknown>) => {
    const values: number[] = [];
    while (heap.length > 0) values.push(await pop(heap));
    return values;
  };

  it('[S114] pops in ascending order, whoever added', async () => {
    const heap = make();
    for (let i = 500; i > 0; i--) {
      heap.add(item(`a${i}`, i));
      heap.add(item(`b${i}`, i + 1));
    }
    const values = await drain(heap);
    expect(values).toHaveLength(1000);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
  });

  it('[S115] adding again replaces and moves', async () => {
    const heap = make(['foo', 10], ['bar', 1], ['baz', 11], ['zab', 30], ['foo', 13]);
    expect(await pop(heap)).toBe(1);
    expect(await pop(heap)).toBe(11);
    expect(() => heap.delete(item('baz', 11))).toThrow('object not found');
    heap.add(item('foo', 14));
    expect(await drain(heap)).toEqual([14, 30]);
  });

  it('[S116] many added at once come out in order, the smallest to whoever waits', async () => {
    const heap = make();
    const waiting = [pop(heap), pop(heap)];
    heap.addAll(Array.from({ length: 500 }, (_, i) => item(`k${i}`, 500 - i)));
    expect(await Promise.all(waiting)).toEqual([1, 2]);
    expect(await drain(heap)).toEqual(Array.from({ length: 498 }, (_, i) => i + 3));
  });

  it('[S117] closing ends the wait for an item', async () => {
    const heap = make();
    const popped = heap.pop();
    heap.close();
    await expect(popped).rejects.toThrow(HeapClosedError);
    await expect(heap.pop()).rejects.toThrow('heap is closed');
  });

  it('[S118] adds only what is not there', async () => {
    const heap = make();
    for (const [key, value] of [
      ['foo', 10],
      ['bar', 1],
      ['baz', 11],
      ['zab', 30],
      ['foo', 13],
    ] as const)
      heap.addIfNotPresent(item(key, value));
    expect(heap.length).toBe(4);
    expect(await pop(heap)).toBe(1);
    expect(await pop(heap)).toBe(10);
    heap.addIfNotPresent(item('bar', 14));
    expect(await drain(heap)).toEqual([11, 14, 30]);
  });

  it('[S119] deletes by key, wherever the item is', async () => {
    const heap = make(['foo', 10], ['bar', 1], ['bal', 31], ['baz', 11], ['zab', 30], ['faz', 30]);
    heap.delete(item('bar', 200));
    expect(numberOf(heap.peek())).toBe(10);
    expect(() => heap.delete(item('non', 10))).toThrow('object not found: there is no non in the heap');
    expect(heap.length).toBe(5);
    heap.delete(item('bal', 31));
    heap.delete(item('zab', 30));
    expect(await drain(heap)).toEqual([10, 11, 30]);
    expect(heap.length).toBe(0);
  });

  it('[S120] an update moves forward and back', async () => {
    const heap = make(['foo', 10], ['bar', 1], ['bal', 31], ['baz', 11]);
    heap.update(item('baz', 0));
    expect(await pop(heap)).toBe(0);
    heap.update(item('bar', 100));
    expect(await drain(heap)).toEqual([10, 31, 100]);
  });

  it('[S121] [S122] finds by key', () => {
    const heap = make(['foo', 10], ['bar', 1], ['bal', 31], ['baz', 11]);
    expect(numberOf(heap.get(item('baz', 0)))).toBe(11);
    expect(numberOf(heap.getByKey('baz'))).toBe(11);
    expect(heap.get(item('non', 1))).toBeUndefined();
    expect(heap.getByKey('non')).toBeUndefined();
  });

  it('[S123] knows whether it is closed, and gives out what it has', async () => {
    const heap = make(['foo', 10], ['bar', 1]);
    expect(heap.isClosed).toBe(false);
    heap.close();
    expect(heap.isClosed).toBe(true);
    expect(await drain(heap)).toEqual([1, 10]);
  });

  it('[S124] [S125] lists items and keys', () => {
    const heap = make();
    expect([heap.list(), heap.listKeys()]).toEqual([[], []]);
    const all = { foo: 10, bar: 1, bal: 30, baz: 11, faz: 30 };
    for (const [key, value] of Object.entries(all)) heap.add(item(key, value));
    expect(Object.fromEntries(heap.list().map((each) => [form.read(each).metadata.name, numberOf(each)]))).toEqual(all);
    expect(heap.listKeys().sort()).toEqual(Object.keys(all).sort());
  });

  it('[S126] takes nothing after it was closed', () => {
    const heap = make();
    heap.close();
    expect(() => heap.add(item('a', 1))).toThrow('heap is closed');
    expect(() => heap.addIfNotPresent(item('a', 1))).toThrow('heap is closed');
    expect(() => heap.addAll([item('a', 1)])).toThrow('heap is closed');
    expect(heap.length).toBe(0);
  });

  it('an abort ends one wait and loses nothing', async () => {
    const heap = make();
    const stop = new AbortController();
    const aborted = heap.pop({ signal: stop.signal });
    const patient = pop(heap);
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    heap.add(item('a', 1));
    expect(await patient).toBe(1);
    heap.add(item('b', 2));
    await expect(heap.pop({ signal: stop.signal })).rejects.toThrow('enough');
    expect(heap.length).toBe(1);
  });
});

describe('Heap', () => {
  it('agrees with a list sorted each time', async () => {
    const step = fc.oneof(
      fc.record({ op: fc.constantFrom('add' as const, 'addIfNotPresent' as const), key: fc.nat(6), value: fc.nat(99) }),
      fc.record({ op: fc.constantFrom('delete' as const, 'pop' as const), key: fc.nat(6), value: fc.constant(0) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        type Item = { readonly key: number; readonly value: number };
        const heap = new Heap<Item>({ keyOf: ({ key }) => String(key), compare: (a, b) => a.value - b.value });
        const model = new Map<number, number>();
        for (const { op, key, value } of steps) {
          if (op === 'pop') {
            if (model.size === 0) continue;
            const popped = await heap.pop();
            expect(popped.value).toBe(Math.min(...model.values()));
            expect(model.get(popped.key)).toBe(popped.value);
            model.delete(popped.key);
          } else if (op === 'delete') {
            if (model.delete(key)) heap.delete({ key, value });
            else expect(() => heap.delete({ key, value })).toThrow('object not found');
          } else {
            heap[op]({ key, value });
            if (op === 'add' || !model.has(key)) model.set(key, value);
          }
          expect(new Map(heap.list().map((each) => [each.key, each.value]))).toEqual(model);
        }
      }),
    );
  });

  it('needs to know how', () => {
    expect(() => new Heap({ keyOf: 1 as never, compare: () => 0 })).toThrow('keyOf must be a function');
    expect(() => new Heap({ keyOf: () => '', compare: 1 as never })).toThrow('compare must be a function');
  });
});
