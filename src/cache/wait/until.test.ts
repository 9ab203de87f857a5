import { afterEach, describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../../test/support/forms.js';
import { ScriptedCollection } from '../../../test/support/scripted-collection.js';
import type { ListOptions } from '../../client/options.js';
import { isForbidden, isReason } from '../../meta/error-predicates.js';
import { StatusError } from '../../meta/errors.js';
import type { KubernetesList } from '../../meta/objects.js';
import * as status from '../../meta/status.js';
import type { WatchEvent, WireEvent } from '../../meta/watch-event.js';
import { FakeClock } from '../../time/fake-clock.js';
import {
  UntilTimeoutError,
  until,
  untilWithoutRetry,
  untilWithSync,
  WatchClosedError,
  type WatchCondition,
} from './until.js';

const clocks: FakeClock[] = [];
afterEach(() => {
  for (const clock of clocks.splice(0)) expect(clock.pendingTimers).toEqual([]);
});

function fakeClock(): FakeClock {
  const clock = new FakeClock();
  clocks.push(clock);
  return clock;
}

const object = (version: number): Thing => thing('a', undefined, { resourceVersion: String(version) });
const added: WireEvent<Thing> = { type: 'ADDED', object: object(2) };
const modified: WireEvent<Thing> = { type: 'MODIFIED', object: object(3) };
const is =
  (type: WatchEvent<Thing>['type']): WatchCondition<Thing> =>
  (event) =>
    event.type === type;

/** Events of a watch that stays open. */
function watching(...events: WireEvent<Thing>[]): AsyncIterable<WireEvent<Thing>> {
  return (async function* () {
    yield* events;
    await new Promise(() => {});
  })();
}

/** How a wait ended, after so much time. */
async function outcomeAfter<R>(clock: FakeClock, ms: number, wait: Promise<R>): Promise<R> {
  wait.catch(() => {});
  await clock.advance(ms);
  return wait;
}

async function failureAfter(clock: FakeClock, ms: number, wait: Promise<unknown>): Promise<unknown> {
  return outcomeAfter(clock, ms, wait).then(
    (value) => expect.fail(`it resolved to ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
}

describe('untilWithoutRetry', () => {
  it('says that time is up, also of events whose objects have no metadata', async () => {
    const clock = fakeClock();
    const odd: WireEvent<Thing> = { type: 'ADDED', object: { hello: 'world' } as never };
    const error = await failureAfter(
      clock,
      1000,
      untilWithoutRetry(watching(odd), () => false, { timeoutMs: 1000, clock }),
    );
    expect(error).toBeInstanceOf(UntilTimeoutError);
    expect((error as Error).message).toContain('the last event was ADDED');
  });

  it('[S292] takes conditions one after the other and returns the last event', async () => {
    const clock = fakeClock();
    const wait = untilWithoutRetry(watching(added, modified), [is('ADDED'), is('MODIFIED')], {
      timeoutMs: 10_000,
      clock,
    });
    expect(await outcomeAfter(clock, 0, wait)).toBe(modified);
  });

  it('[S293] lets one event fulfil several conditions', async () => {
    const clock = fakeClock();
    const conditions = [is('ADDED'), (event: WatchEvent<Thing>) => event.type === 'ADDED'];
    expect(await outcomeAfter(clock, 0, untilWithoutRetry(watching(added), conditions, { clock }))).toBe(added);
  });

  it('[S294] gives up in time, and says how far it has come', async () => {
    const clock = fakeClock();
    const conditions = [is('ADDED'), is('ADDED'), is('DELETED')];
    const wait = untilWithoutRetry(watching(added), conditions, { timeoutMs: 10_000, clock });
    const error = await failureAfter(clock, 10_000, wait);
    expect(error).toBeInstanceOf(UntilTimeoutError);
    expect((error as UntilTimeoutError).lastEvent).toBe(added);
    expect((error as Error).message).toBe(
      'condition 3 of 3 did not hold within 10000 ms; the last event was ADDED a at version 2',
    );
  });

  it('[S295] waits without a limit if there is none', async () => {
    const clock = fakeClock();
    const wait = untilWithoutRetry(watching(added, modified), [is('ADDED'), is('MODIFIED')], { clock });
    expect(await outcomeAfter(clock, 0, wait)).toBe(modified);
  });

  it('[S296] ends with the error of a condition', async () => {
    const clock = fakeClock();
    const wait = untilWithoutRetry(
      watching(added),
      () => {
        throw new Error('cannot be');
      },
      { clock },
    );
    expect(await failureAfter(clock, 0, wait)).toMatchObject({ message: 'cannot be' });
  });

  it('rejects when the watch closes, and with what an ERROR event says', async () => {
    const clock = fakeClock();
    const closing = new ScriptedCollection<Thing>(() => ({ events: [added], closes: true }));
    const wait = untilWithoutRetry(await closing.watch({}), is('DELETED'), { clock });
    expect(await failureAfter(clock, 0, wait)).toBeInstanceOf(WatchClosedError);
    const failing = watching({ type: 'ERROR', object: status.expired('old') });
    expect(await failureAfter(clock, 0, untilWithoutRetry(failing, is('ADDED'), { clock }))).toMatchObject({
      reason: 'Expired',
    });
    const odd = watching({ type: 'ERROR', object: {} as never });
    expect(await failureAfter(clock, 0, untilWithoutRetry(odd, is('ADDED'), { clock }))).toBeInstanceOf(
      WatchClosedError,
    );
  });

  it('rejects with the reason of its signal, before and while it waits', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const wait = untilWithoutRetry(watching(), is('ADDED'), { clock, signal: stop.signal, timeoutMs: 1000 });
    const reason = new Error('not needed any more');
    stop.abort(reason);
    expect(await failureAfter(clock, 0, wait)).toBe(reason);
    expect(
      await failureAfter(clock, 0, untilWithoutRetry(watching(added), is('ADDED'), { clock, signal: stop.signal })),
    ).toBe(reason);
  });

  it('gives up on a condition that does not answer, and awaits one that does', async () => {
    const clock = fakeClock();
    const never = untilWithoutRetry(watching(added), () => new Promise<boolean>(() => {}), { clock, timeoutMs: 1000 });
    expect(await failureAfter(clock, 1000, never)).toBeInstanceOf(UntilTimeoutError);
    const later = untilWithoutRetry(watching(added), () => clock.sleep(5).then(() => true), { clock });
    expect(await outcomeAfter(clock, 5, later)).toBe(added);
  });

  it('needs no event for no conditions, and passes bookmarks over', async () => {
    const clock = fakeClock();
    expect(await untilWithoutRetry(watching(), [], { clock })).toBeUndefined();
    const mark: WireEvent<Thing> = {
      type: 'BOOKMARK',
      object: { apiVersion: '', kind: '', metadata: { resourceVersion: '9' } },
    };
    expect(
      await outcomeAfter(
        clock,
        0,
        untilWithoutRetry(watching(mark, added), () => true, { clock }),
      ),
    ).toBe(added);
  });
});

describe('until', () => {
  it('goes on over closed connections, for the object of a name', async () => {
    const clock = fakeClock();
    const source = new ScriptedCollection<Thing>((_, count) => ({
      events: [count === 1 ? added : modified],
      closes: true,
    }));
    const wait = until(source, [is('ADDED'), is('MODIFIED')], {
      name: 'a',
      fieldSelector: 'status.phase=Running',
      resourceVersion: '1',
      clock,
    });
    expect(await outcomeAfter(clock, 1000, wait)).toBe(modified);
    expect(source.watches.map(({ resourceVersion, fieldSelector }) => [resourceVersion, fieldSelector])).toEqual([
      ['1', 'metadata.name=a,status.phase=Running'],
      ['2', 'metadata.name=a,status.phase=Running'],
    ]);
    await clock.runUntilIdle();
    expect(source.open).toBe(0);
  });

  it('rejects when the version is too old, and when time is up', async () => {
    const clock = fakeClock();
    const source = new ScriptedCollection<Thing>(() => ({ throws: new StatusError(status.expired('old')) }));
    expect(await failureAfter(clock, 0, until(source, is('ADDED'), { resourceVersion: '1', clock }))).toMatchObject({
      reason: 'Expired',
    });
    source.onWatch = () => ({});
    const wait = until(source, is('ADDED'), { resourceVersion: '1', clock, timeoutMs: 5000 });
    expect(await failureAfter(clock, 5000, wait)).toMatchObject({
      message: 'condition 1 of 1 did not hold within 5000 ms; there was no event',
    });
    await clock.runUntilIdle();
    expect(source.open).toBe(0);
  });
});

describe('untilWithSync', () => {
  class Things extends ScriptedCollection<Thing> {
    readonly lists: ListOptions[] = [];
    onList: () => Promise<Thing[]> = async () => [object(1)];

    async list(options: ListOptions): Promise<KubernetesList<Thing>> {
      this.lists.push(options);
      const items = await this.onList();
      return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1' }, items };
    }
  }

  const hanging = (): Things => {
    const things = new Things();
    things.onList = () => new Promise(() => {});
    return things;
  };

  it('[S297] is interrupted when the list hangs', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const wait = untilWithSync(hanging(), is('ADDED'), { clock, signal: stop.signal });
    wait.catch(() => {});
    await clock.advance(1000);
    stop.abort(new Error('interrupted'));
    expect(await failureAfter(clock, 0, wait)).toMatchObject({ message: 'interrupted' });
  });

  it('[S297] says that it could not sync when the list hangs and there is a precondition', async () => {
    const clock = fakeClock();
    const wait = untilWithSync(hanging(), is('ADDED'), { clock, timeoutMs: 10_000, precondition: () => true });
    const error = await failureAfter(clock, 10_000, wait);
    expect(error).toBeInstanceOf(UntilTimeoutError);
    expect((error as Error).message).toMatch(/^unable to sync within 10000 ms/);
  });

  it('[S297] ends before it begins when the precondition holds', async () => {
    const clock = fakeClock();
    const things = new Things();
    const wait = untilWithSync(things, is('DELETED'), {
      clock,
      name: 'a',
      precondition: (store) => store.getByKey('a') !== undefined,
    });
    expect(await outcomeAfter(clock, 0, wait)).toBeUndefined();
    expect(things.lists[0]?.fieldSelector).toBe('metadata.name=a');
    expect(things.open).toBe(0);
  });

  it('[S297] shows what exists as ADDED when the precondition does not hold', async () => {
    const clock = fakeClock();
    const wait = untilWithSync(new Things(), is('ADDED'), { clock, precondition: () => false });
    expect(await outcomeAfter(clock, 0, wait)).toEqual({ type: 'ADDED', object: object(1) });
  });

  it('follows what happens after the list', async () => {
    const clock = fakeClock();
    const things = new Things();
    things.onWatch = () => ({ events: [modified] });
    expect(await outcomeAfter(clock, 0, untilWithSync(things, is('MODIFIED'), { clock }))).toEqual(modified);
    expect(things.open).toBe(0);
  });

  it('gives up at once when the server refuses, and says what failed when time is up', async () => {
    const clock = fakeClock();
    const things = new Things();
    things.onList = async () => {
      throw new StatusError(status.forbidden({ group: '', resource: 'things' }, '', 'no'));
    };
    expect(isForbidden(await failureAfter(clock, 0, untilWithSync(things, is('ADDED'), { clock })))).toBe(true);
    things.onList = async () => {
      throw new StatusError(status.internal('out of order'));
    };
    const error = await failureAfter(clock, 3000, untilWithSync(things, is('ADDED'), { clock, timeoutMs: 3000 }));
    expect((error as Error).message).toMatch(/^unable to sync within 3000 ms.*out of order/);
    expect(isReason(error, 'InternalError')).toBe(true);
  });
});
