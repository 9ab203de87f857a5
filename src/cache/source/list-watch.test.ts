import { describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../../test/support/forms.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { ListWatch, type ListWatchFunctions } from './list-watch.js';

function make(functions: Partial<ListWatchFunctions<Thing>>): ListWatch<Thing> {
  const none: ListWatchFunctions<Thing> = {
    list: async () => ({ metadata: { resourceVersion: '1' }, items: [] }),
    watch: async function* () {},
  };
  return new ListWatch<Thing>({ ...none, ...functions });
}

const added = (name: string): WireEvent<Thing> => ({ type: 'ADDED', object: thing(name) });

describe('ListWatch of functions', () => {
  it('passes items and events on, and ends with the iterable', async () => {
    const source = make({
      list: async ({ limit }) => ({
        kind: 'ThingList',
        metadata: { resourceVersion: '7' },
        items: [thing(`limit-${limit}`)],
      }),
      async *watch({ resourceVersion }) {
        yield added(`from-${resourceVersion}`);
        yield added('b');
      },
    });
    const seen: string[] = [];
    const { signal } = new AbortController();
    const head = await source.list(
      { limit: 5 },
      { batch: (items) => seen.push(...items.map((item) => item.metadata.name)) > 0 },
      signal,
    ).done;
    expect(head).toEqual({ kind: 'ThingList', apiVersion: '', metadata: { resourceVersion: '7' } });
    const sink = {
      batch: (events: readonly WireEvent<Thing>[]) =>
        seen.push(...events.map((event) => (event.object as Thing).metadata.name)) > 0,
    };
    await source.open({ resourceVersion: '7' }, sink, signal).done;
    expect(seen).toEqual(['limit-5', 'from-7', 'b']);
  });

  it('treats null items as an empty list', async () => {
    const source = make({ list: async () => ({ metadata: { resourceVersion: '7' }, items: null as never }) });
    const batch = () => expect.fail('the list is empty');
    const { metadata } = await source.list({}, { batch }, new AbortController().signal).done;
    expect(metadata).toEqual({ resourceVersion: '7' });
  });

  it('requests no event while its sink pauses it', async () => {
    let asked = 0;
    const source = make({
      async *watch() {
        for (; asked < 3; asked++) yield added(String(asked));
      },
    });
    const flow = source.open({}, { batch: () => false }, new AbortController().signal);
    for (let i = 0; i < 20; i++) await Promise.resolve();
    expect(asked).toBe(0);
    flow.resume();
    for (let i = 0; i < 20; i++) await Promise.resolve();
    expect(asked).toBe(1);
    flow.resume();
    for (let i = 0; i < 20; i++) await Promise.resolve();
    flow.resume();
    await flow.done;
    expect(asked).toBe(3);
  });

  it.each(['watch', 'next', 'paused'] as const)(
    'ends on abort although its functions ignore the signal (%s)',
    async (where) => {
      let returned = false;
      const stuck = new Promise<never>(() => {});
      const source = make({
        watch: () => {
          if (where === 'watch') return stuck;
          const events = where === 'paused' ? [added('a')] : [];
          return {
            [Symbol.asyncIterator]: () => ({
              next: () =>
                events.length > 0
                  ? Promise.resolve({ done: false as const, value: events.shift() as WireEvent<Thing> })
                  : stuck,
              return: async () => {
                returned = true;
                return { done: true as const, value: undefined };
              },
            }),
          };
        },
        list: () => stuck,
      });
      const stop = new AbortController();
      const flow = source.open({}, { batch: () => false }, stop.signal);
      const list = source.list({}, { batch: () => true }, stop.signal);
      for (let i = 0; i < 20; i++) await Promise.resolve();
      stop.abort(new Error('enough'));
      await expect(flow.done).rejects.toThrow('enough');
      await expect(list.done).rejects.toThrow('enough');
      expect(returned).toBe(where !== 'watch');
    },
  );

  it('rejects with the errors of its functions', async () => {
    const failing = make({
      watch: () => Promise.reject(new Error('no watch')),
      list: () => Promise.reject(new Error('no list')),
    });
    const { signal } = new AbortController();
    await expect(failing.open({}, { batch: () => true }, signal).done).rejects.toThrow('no watch');
    await expect(failing.list({}, { batch: () => true }, signal).done).rejects.toThrow('no list');
    expect(() => make({ list: 1 as never })).toThrow('list must be a function, got 1');
  });
});
