import { describe, expect, it } from 'vitest';
import { forms, type Thing, thing } from '../../../test/support/forms.js';
import type { ListSource } from '../../codec/watch-source.js';
import { type Accessor, objectAccessor } from '../../meta/accessor.js';
import { StatusError } from '../../meta/errors/errors.js';
import { expired, forbidden, internal } from '../../meta/errors/status.js';
import type { ListParameters } from '../../meta/options/parameters.js';
import { FakeControllerSource } from '../../testing/fake-controller-source.js';
import { FakeClock } from '../../time/fake-clock.js';
import { Reflector } from '../reflector/reflector.js';
import { Indexer } from '../store/indexer.js';
import { compareWithServer, exactListOptions } from './consistency.js';

const never = new AbortController().signal;

describe.each(forms)('compareWithServer on $name', (form) => {
  const item = (key: string, resourceVersion: string, uid = `uid of ${key}`) =>
    form.make(thing(key, undefined, { resourceVersion, uid }));

  /** A source with these items, in pages if `limit` is set, that records its requests. */
  const server = (items: unknown[], failures: unknown[] = []) => {
    const asked: ListParameters[] = [];
    const listWatch: ListSource<unknown> = {
      list(options, sink) {
        asked.push(options);
        const answer = async () => {
          const failure = failures.shift();
          if (failure !== undefined) throw failure;
          const from = Number(options.continue ?? 0);
          const to = options.limit ? from + options.limit : items.length;
          sink.batch(items.slice(from, to));
          const more = to < items.length ? { continue: String(to) } : {};
          return { kind: 'ThingList', apiVersion: 'example.com/v1', metadata: { resourceVersion: '9', ...more } };
        };
        return { resume() {}, done: answer() };
      },
    };
    return { listWatch, asked };
  };
  const compare = (ours: unknown[], theirs: ReturnType<typeof server>, more = {}) =>
    compareWithServer({
      listWatch: theirs.listWatch,
      accessor: form.accessor,
      resourceVersion: '9',
      items: ours,
      signal: never,
      clock: new FakeClock(),
      ...more,
    });

  it('[S299] equal items are consistent, and so are none', async () => {
    const theirs = server([item('a', '1'), item('ns/b', '2')]);
    expect(await compare([item('ns/b', '2'), item('a', '1')], theirs)).toEqual({ outcome: 'consistent', compared: 2 });
    expect(theirs.asked).toEqual([{ limit: 500, resourceVersion: '9', resourceVersionMatch: 'Exact' }]);
    expect(await compare([], server([]))).toEqual({ outcome: 'consistent', compared: 0 });
  });

  it('[S299] returns the keys of missing, extra and different objects', async () => {
    const theirs = server([item('same', '1'), item('new', '2'), item('changed', '3'), item('reborn', '4', 'other')]);
    const ours = [item('same', '1'), item('gone', '2'), item('changed', '2'), item('reborn', '4')];
    expect(await compare(ours, theirs)).toEqual({
      outcome: 'inconsistent',
      compared: 4,
      missing: ['new'],
      extra: ['gone'],
      different: [
        {
          key: 'changed',
          uid: 'uid of changed',
          resourceVersion: '2',
          serverUid: 'uid of changed',
          serverResourceVersion: '3',
        },
        { key: 'reborn', uid: 'uid of reborn', resourceVersion: '4', serverUid: 'other', serverResourceVersion: '4' },
      ],
    });
  });

  it('[S299] skips the resourceVersions "", "0" and one that was compacted', async () => {
    const theirs = server([], [new StatusError(expired('too old'))]);
    expect(await compare([], theirs, { resourceVersion: '0' })).toMatchObject({ outcome: 'skipped' });
    expect(await compare([], theirs, { resourceVersion: '' })).toMatchObject({ outcome: 'skipped' });
    expect(await compare([], theirs, { listOptions: { continue: 'x' } })).toMatchObject({ outcome: 'skipped' });
    expect(theirs.asked).toEqual([]);
    expect(await compare([], theirs)).toEqual({
      outcome: 'skipped',
      reason: 'the server no longer has resourceVersion 9',
    });
  });

  it('lists large collections in pages, and one page if there was a limit', async () => {
    const all = Array.from({ length: 1100 }, (_, i) => item(`n${i}`, String(i)));
    const theirs = server(all);
    expect(await compare(all, theirs)).toEqual({ outcome: 'consistent', compared: 1100 });
    expect(theirs.asked).toHaveLength(3);
    const page = server(all);
    expect(await compare(all.slice(0, 10), page, { listOptions: { limit: 10 } })).toMatchObject({ compared: 10 });
    expect(page.asked).toHaveLength(1);
  });

  it('retries a failed list until its signal aborts', async () => {
    const clock = new FakeClock();
    const failing = () => new StatusError(internal('etcd is away'));
    const theirs = server([item('a', '1')], [failing(), failing()]);
    const result = compare([item('a', '1')], theirs, { clock });
    await clock.advance(2_000);
    expect(await result).toMatchObject({ outcome: 'consistent' });
    expect(theirs.asked).toHaveLength(3);
    const stop = new AbortController();
    const hopeless = server([], Array.from({ length: 10 }, failing));
    const aborted = compare([], hopeless, { clock, signal: stop.signal });
    aborted.catch(() => {});
    await clock.advance(2_500);
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    expect(hopeless.asked).toHaveLength(3);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('skips on 403, and leaves out objects that cannot be read', async () => {
    const refusal = new StatusError(forbidden({ group: '', resource: 'things' }, '', 'no'));
    const unreadable = form.make({ apiVersion: 'example.com/v1', kind: 'Thing' } as never);
    const theirs = server([item('a', '1'), unreadable], [refusal]);
    expect(await compare([item('a', '1')], theirs)).toEqual({
      outcome: 'skipped',
      reason: expect.stringContaining('the server refuses the list: '),
    });
    expect(theirs.asked).toHaveLength(1);
    expect(await compare([item('a', '1')], theirs)).toEqual({ outcome: 'consistent', compared: 1 });
  });
});

describe('exactListOptions', () => {
  const exact = { resourceVersion: '7', resourceVersionMatch: 'Exact' };

  it('[S299] drops the limit only if the server ignored it', () => {
    expect(exactListOptions({ resourceVersion: '0', limit: 2 }, '7', 3)).toEqual({ ...exact, limit: 0 });
    expect(exactListOptions({ resourceVersion: '0', limit: 2 }, '7', 2)).toEqual({ ...exact, limit: 2 });
    expect(exactListOptions({ resourceVersion: '5', limit: 2 }, '7', 3)).toEqual({ ...exact, limit: 2 });
    expect(exactListOptions({ limit: 2, labelSelector: 'a=b' }, '7', 3)).toEqual({
      ...exact,
      limit: 2,
      labelSelector: 'a=b',
    });
  });
});

describe('compareWithServer', () => {
  it.each(['yes', 'no'] as const)(
    '[S57] finds the store of a reflector consistent (watch-list: %s)',
    async (watchList) => {
      const clock = new FakeClock();
      const accessor = objectAccessor as unknown as Accessor<Thing>;
      const source = new FakeControllerSource<Thing>({ watchList });
      for (let i = 0; i < 10; i++) source.add(thing(`n${i}`, i));
      // The transform does not change the fields that are compared.
      const store = new Indexer<Thing>({ accessor, transform: (each) => ({ ...each, value: 'changed' }) });
      const reflector = new Reflector<Thing>({ listWatch: source, store, accessor, clock });
      const stop = new AbortController();
      const run = reflector.run(stop.signal);
      await clock.until(() => reflector.status.state === 'watching');
      const check = () =>
        compareWithServer({
          listWatch: source,
          accessor,
          resourceVersion: store.resourceVersion,
          items: store.iterate(),
          signal: stop.signal,
          clock,
        });
      expect(await check()).toEqual({ outcome: 'consistent', compared: 10 });
      source.modify(thing('n3', 33), { dropWatch: true });
      source.add(thing('n10', 10));
      await clock.runUntilIdle();
      expect(await check()).toMatchObject({
        outcome: 'inconsistent',
        missing: [],
        extra: [],
        different: [{ key: 'n3' }],
      });
      stop.abort();
      await run;
    },
  );
});
