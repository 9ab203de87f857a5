import { afterEach, describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../../test/support/forms.js';
import { type ScriptedAnswer, ScriptedCollection } from '../../../test/support/scripted-collection.js';
import { StatusError } from '../../meta/errors/errors.js';
import * as status from '../../meta/errors/status.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { FakeClock } from '../../time/fake-clock.js';
import { RetryWatcher, type RetryWatcherOptions, type Watchable } from './retry-watcher.js';

const clocks: FakeClock[] = [];
afterEach(() => {
  for (const clock of clocks.splice(0)) expect(clock.pendingTimers).toEqual([]);
});

const event = (version: number): WireEvent<Thing> => ({
  type: 'ADDED',
  object: thing(`thing-${version}`, undefined, { resourceVersion: String(version) }),
});
const bookmark = (version: number): WireEvent<Thing> => ({
  type: 'BOOKMARK',
  object: { apiVersion: 'v1', kind: 'Thing', metadata: { resourceVersion: String(version) } },
});
const failing = (document: unknown): WireEvent<Thing> => ({ type: 'ERROR', object: document as never });
const forbidden = status.forbidden({ group: '', resource: 'things' }, '', 'no');

/** Answers a watch with the events that are newer than its resourceVersion, and closes it after `closesAfter` of them. */
function serving(versions: readonly number[], closesAfter = 100) {
  return ({ resourceVersion }: { readonly resourceVersion?: string | undefined }): ScriptedAnswer<Thing> => {
    const newer = versions.filter((version) => version > Number(resourceVersion)).slice(0, closesAfter);
    return { events: newer.map(event), closes: newer.length === closesAfter };
  };
}

function setup(onWatch: ScriptedCollection<Thing>['onWatch'], options: Partial<RetryWatcherOptions> = {}) {
  const clock = new FakeClock();
  clocks.push(clock);
  const source = new ScriptedCollection<Thing>(onWatch);
  const stop = new AbortController();
  const watcher = new RetryWatcher<Thing>(source, { resourceVersion: '1', signal: stop.signal, clock, ...options });
  const seen: string[] = [];
  const read = async (): Promise<void> => {
    try {
      for await (const { object } of watcher) seen.push(object.metadata.resourceVersion ?? '');
      seen.push('end');
    } catch (error) {
      seen.push(error instanceof StatusError ? `ERROR ${error.reason}` : `ERROR ${(error as Error).name}`);
    }
  };
  /** Reads for a minute, then stops. */
  const run = async () => {
    const reading = read();
    await clock.advance(60_000);
    const atRest = [...seen];
    const { length: watches } = source.watches;
    stop.abort();
    await clock.runUntilIdle();
    await reading;
    expect(source.open).toBe(0);
    expect(source.watches.length).toBe(watches);
    return { watches, seen: atRest };
  };
  return { clock, source, stop, watcher, seen, read, run };
}

describe('RetryWatcher', () => {
  it.each(['', '0', undefined as never])('[S285] refuses the resourceVersion %j', (resourceVersion) => {
    expect(() => setup(serving([]), { resourceVersion })).toThrow(
      'resourceVersion must be the resourceVersion of a list or an object',
    );
  });

  const refusedOnce = (error: unknown) => (options: { readonly resourceVersion?: string | undefined }, count: number) =>
    count === 1 ? Promise.reject(error) : serving([2])(options);
  const brokenBy = (document: unknown) => (options: { readonly resourceVersion?: string | undefined }, count: number) =>
    count === 1 ? { events: [event(6), failing(document)] } : serving([6, 7])(options);
  const code666 = { ...status.internal('odd'), reason: 'Odd', code: 666 };

  const rows: {
    title: string;
    from?: string;
    onWatch: ScriptedCollection<Thing>['onWatch'];
    watches: number;
    seen: string[];
  }[] = [
    {
      title: 'watches again after a request that failed',
      onWatch: refusedOnce(new Error('EOF')),
      watches: 2,
      seen: ['2'],
    },
    {
      title: 'watches again after a request that 410 was the answer to',
      onWatch: refusedOnce(new StatusError(status.expired('old'))),
      watches: 2,
      seen: ['2'],
    },
    {
      title: 'watches again after a watch that closed at once',
      onWatch: (options, count) => (count === 1 ? { closes: true } : serving([2])(options)),
      watches: 2,
      seen: ['2'],
    },
    { title: 'yields events', onWatch: serving([2]), watches: 1, seen: ['2'] },
    {
      title: 'yields only events after its resourceVersion',
      from: '1',
      onWatch: serving([1, 2]),
      watches: 1,
      seen: ['2'],
    },
    {
      title: 'yields nothing if there is no event after its resourceVersion',
      from: '2',
      onWatch: serving([1, 2]),
      watches: 1,
      seen: [],
    },
    {
      title: 'throws on a 410 Gone event',
      onWatch: brokenBy(status.gone('old')),
      watches: 1,
      seen: ['6', 'ERROR Gone'],
    },
    {
      title: 'throws on a 410 Expired event',
      onWatch: brokenBy(status.expired('old')),
      watches: 1,
      seen: ['6', 'ERROR Expired'],
    },
    {
      title: 'throws on 403',
      onWatch: () => Promise.reject(new StatusError(forbidden)),
      watches: 1,
      seen: ['ERROR Forbidden'],
    },
    {
      title: 'throws on 401',
      onWatch: () => Promise.reject(new StatusError(status.unauthorized())),
      watches: 1,
      seen: ['ERROR Unauthorized'],
    },
    {
      title: 'watches again after a Timeout event',
      onWatch: brokenBy(status.timeout('slow')),
      watches: 2,
      seen: ['6', '7'],
    },
    {
      title: 'watches again after a 500 event',
      onWatch: brokenBy(status.internal('oops')),
      watches: 2,
      seen: ['6', '7'],
    },
    {
      title: 'watches again after an ERROR event with an unknown code',
      onWatch: brokenBy(code666),
      watches: 2,
      seen: ['6', '7'],
    },
    {
      title: 'watches again after an ERROR event without a Status',
      onWatch: brokenBy({ kind: 'Pod' }),
      watches: 2,
      seen: ['6', '7'],
    },
    { title: 'closed after 1 event, with one event', onWatch: serving([6], 1), watches: 2, seen: ['6'] },
    { title: 'closed after 1 event, with two', onWatch: serving([5, 6], 1), watches: 3, seen: ['5', '6'] },
    { title: 'closed after 1 event, from 4', from: '4', onWatch: serving([5, 7], 1), watches: 3, seen: ['5', '7'] },
    { title: 'closed after 1 event, from 2', from: '2', onWatch: serving([5, 7], 1), watches: 3, seen: ['5', '7'] },
    {
      title: 'closed after 1 event, with four',
      from: '2',
      onWatch: serving([5, 6, 7, 11], 1),
      watches: 5,
      seen: ['5', '6', '7', '11'],
    },
    {
      title: 'closed after 1 event, with older ones before',
      from: '2',
      onWatch: serving([1, 2, 5, 6, 7, 11], 1),
      watches: 5,
      seen: ['5', '6', '7', '11'],
    },
    {
      title: 'closed after 2 events',
      onWatch: serving([1, 2, 5, 6, 7, 11], 2),
      watches: 3,
      seen: ['2', '5', '6', '7', '11'],
    },
  ];
  for (const { title, from = '1', onWatch, watches, seen } of rows) {
    it(`[S286] ${title}`, async () => {
      const { run } = setup(onWatch, { resourceVersion: from });
      expect(await run()).toEqual({ watches, seen });
    });
  }

  it('[S287] ends when its signal aborts, with an event that was not read', async () => {
    const { clock, source, stop, watcher } = setup(serving([2, 3]));
    const iterator = watcher[Symbol.asyncIterator]();
    expect((await iterator.next()).value?.object.metadata.resourceVersion).toBe('2');
    stop.abort();
    stop.abort();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    await clock.runUntilIdle();
    expect(source.open).toBe(0);
  });

  it('[S288] ends on abort while it waits for an event, for the answer to a request, and for its next attempt', async () => {
    for (const onWatch of [serving([]), () => new Promise<never>(() => {}), () => ({ closes: true })]) {
      const { clock, stop, seen, read } = setup(onWatch);
      const reading = read();
      await clock.advance(100);
      stop.abort();
      await reading;
      expect(seen).toEqual(['end']);
    }
  });

  it('opens a watch at most once a second, and later if Retry-After says so', async () => {
    const starts: number[] = [];
    const { clock, stop, read } = setup((_, count) => {
      starts.push(clock.monotonicNow());
      if (count === 3) return { events: [failing(status.tooManyRequests('later', 5))] };
      return { closes: true };
    });
    const reading = read();
    await clock.advance(9000);
    stop.abort();
    await reading;
    expect(starts).toEqual([0, 1000, 2000, 7000, 8000, 9000]);
  });

  it('continues from the resourceVersion of a bookmark and does not yield it', async () => {
    const { source, run } = setup((_, count) => (count === 1 ? { events: [bookmark(9)], closes: true } : {}));
    expect((await run()).seen).toEqual([]);
    expect(source.watches.map(({ resourceVersion }) => resourceVersion)).toEqual(['1', '9']);
  });

  it('sends its selectors and allowWatchBookmarks', async () => {
    const { source, run } = setup(serving([]), { labelSelector: 'app=web', fieldSelector: 'metadata.name=a' });
    await run();
    expect(source.watches[0]).toMatchObject({
      labelSelector: 'app=web',
      fieldSelector: 'metadata.name=a',
      allowWatchBookmarks: true,
    });
  });

  it('moves resourceVersion to that of an event when the next event is requested', async () => {
    const { watcher } = setup(serving([2, 3]));
    const iterator = watcher[Symbol.asyncIterator]();
    await iterator.next();
    expect(watcher.resourceVersion).toBe('1');
    await iterator.next();
    expect(watcher.resourceVersion).toBe('2');
    await iterator.return(undefined);
  });

  it('closes the watch when its loop is left', async () => {
    const { source, watcher } = setup(serving([2, 3]));
    for await (const _ of watcher) break;
    expect(source.open).toBe(0);
  });

  it.each([
    ['an unknown type', { type: 'ODD', object: thing('a', undefined, { resourceVersion: '2' }) }],
    ['an object without metadata', { type: 'ADDED', object: {} }],
    ['an object without a resourceVersion', { type: 'ADDED', object: thing('a') }],
  ])('throws on an event with %s', async (_, odd) => {
    const { run } = setup(() => ({ events: [odd as never] }));
    expect(await run()).toEqual({ watches: 1, seen: ['ERROR UnexpectedObjectError'] });
  });

  it('treats an error that the client throws in its loop like an ERROR event', async () => {
    const { run } = setup(() => ({ events: [event(2)], throws: new StatusError(status.expired('old')) }));
    expect(await run()).toEqual({ watches: 1, seen: ['2', 'ERROR Expired'] });
  });

  it('waits a minute at most if Retry-After is longer', async () => {
    const { source, watcher, clock } = setup((_, count) => {
      if (count === 1) throw new StatusError(status.tooManyRequests('in ten years', 315_360_000));
      return { events: [event(2)] };
    });
    const first = watcher[Symbol.asyncIterator]().next();
    await clock.until(() => source.watches.length === 2, { withinMs: 61_000 });
    expect((await first).value).toMatchObject({ object: { metadata: { resourceVersion: '2' } } });
    await watcher[Symbol.asyncIterator]().return();
  });

  it('throws without a watch function', () => {
    expect(() => new RetryWatcher({} as Watchable<Thing>, { resourceVersion: '1' })).toThrow('source.watch must be');
  });
});
