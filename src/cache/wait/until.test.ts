import { afterEach, describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../../test/support/forms.js';
import { ScriptedCollection } from '../../../test/support/scripted-collection.js';
import type { ListOptions } from '../../client/options.js';
import { isForbidden, isReason } from '../../meta/errors/error-predicates.js';
import { StatusError } from '../../meta/errors/errors.js';
import * as status from '../../meta/errors/status.js';
import type { KubernetesList } from '../../meta/objects.js';
import type { WatchEvent, WireEvent } from '../../meta/watch-event.js';
import { FakeClock } from '../../time/fake-clock.js';
import { UntilTimeoutError, until, untilWithSync, type WatchCondition } from './until.js';

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

/** A collection whose watch sends these events and stays open. */
function watching(...events: WireEvent<Thing>[]): ScriptedCollection<Thing> {
  return new ScriptedCollection<Thing>(() => ({ events }));
}

/** How a wait ended after `ms`. */
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

describe('until', () => {
  const resourceVersion = '1';

  it('[S292] waits for conditions one after the other and returns the last event', async () => {
    const clock = fakeClock();
    const options = { resourceVersion, timeoutMs: 10_000, clock };
    const wait = until(watching(added, modified), [is('ADDED'), is('MODIFIED')], options);
    expect(await outcomeAfter(clock, 0, wait)).toBe(modified);
  });

  it('[S293] one event may fulfil several conditions', async () => {
    const clock = fakeClock();
    const conditions = [is('ADDED'), (event: WatchEvent<Thing>) => event.type === 'ADDED'];
    const wait = until(watching(added), conditions, { resourceVersion, clock });
    expect(await outcomeAfter(clock, 0, wait)).toBe(added);
  });

  it('[S294] rejects after timeoutMs with the number of the condition and the last event', async () => {
    const clock = fakeClock();
    const conditions = [is('ADDED'), is('ADDED'), is('DELETED')];
    const wait = until(watching(added), conditions, { resourceVersion, timeoutMs: 10_000, clock });
    const error = await failureAfter(clock, 10_000, wait);
    expect(error).toBeInstanceOf(UntilTimeoutError);
    expect((error as UntilTimeoutError).lastEvent).toBe(added);
    expect((error as Error).message).toBe(
      'condition 3 of 3 did not hold within 10000 ms; the last event was ADDED a at version 2',
    );
  });

  it('[S295] without timeoutMs waits without a limit', async () => {
    const clock = fakeClock();
    const wait = until(watching(added, modified), [is('ADDED'), is('MODIFIED')], { resourceVersion, clock });
    expect(await outcomeAfter(clock, 0, wait)).toBe(modified);
  });

  it('[S296] rejects with the error that a condition throws', async () => {
    const clock = fakeClock();
    const condition = () => {
      throw new Error('cannot be');
    };
    const wait = until(watching(added), condition, { resourceVersion, clock });
    expect(await failureAfter(clock, 0, wait)).toMatchObject({ message: 'cannot be' });
  });

  it('rejects with the reason of its signal, aborted before or during the wait', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const options = { resourceVersion, clock, signal: stop.signal, timeoutMs: 1000 };
    const wait = until(watching(), is('ADDED'), options);
    const reason = new Error('not needed any more');
    stop.abort(reason);
    expect(await failureAfter(clock, 0, wait)).toBe(reason);
    expect(await failureAfter(clock, 0, until(watching(added), is('ADDED'), options))).toBe(reason);
  });

  it('awaits a condition that returns a promise, up to timeoutMs', async () => {
    const clock = fakeClock();
    const never = until(watching(added), () => new Promise<boolean>(() => {}), {
      resourceVersion,
      clock,
      timeoutMs: 1000,
    });
    expect(await failureAfter(clock, 1000, never)).toBeInstanceOf(UntilTimeoutError);
    const later = until(watching(added), () => clock.sleep(5).then(() => true), { resourceVersion, clock });
    expect(await outcomeAfter(clock, 5, later)).toBe(added);
  });

  it('without conditions resolves to undefined at once', async () => {
    expect(await until(watching(), [], { resourceVersion, clock: fakeClock() })).toBeUndefined();
  });

  it('does not call a condition with a bookmark', async () => {
    const clock = fakeClock();
    const mark: WireEvent<Thing> = {
      type: 'BOOKMARK',
      object: { apiVersion: '', kind: '', metadata: { resourceVersion: '9' } },
    };
    const wait = until(watching(mark, added), () => true, { resourceVersion, clock });
    expect(await outcomeAfter(clock, 0, wait)).toBe(added);
  });

  it('reopens a watch that was closed, with the same name and selectors', async () => {
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

  it('rejects with 410 Expired, and after timeoutMs without an event', async () => {
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

  it('[S297] rejects with the reason of its signal while the list hangs', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const wait = untilWithSync(hanging(), is('ADDED'), { clock, signal: stop.signal });
    wait.catch(() => {});
    await clock.advance(1000);
    stop.abort(new Error('interrupted'));
    expect(await failureAfter(clock, 0, wait)).toMatchObject({ message: 'interrupted' });
  });

  it('[S297] with a precondition and a list that hangs, rejects because it cannot sync', async () => {
    const clock = fakeClock();
    const wait = untilWithSync(hanging(), is('ADDED'), { clock, timeoutMs: 10_000, precondition: () => true });
    const error = await failureAfter(clock, 10_000, wait);
    expect(error).toBeInstanceOf(UntilTimeoutError);
    expect((error as Error).message).toMatch(/^unable to sync within 10000 ms/);
  });

  it('[S297] resolves to undefined if the precondition holds', async () => {
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

  it('[S297] calls conditions with existing objects as ADDED if the precondition does not hold', async () => {
    const clock = fakeClock();
    const wait = untilWithSync(new Things(), is('ADDED'), { clock, precondition: () => false });
    expect(await outcomeAfter(clock, 0, wait)).toEqual({ type: 'ADDED', object: object(1) });
  });

  it('calls conditions with events after the list', async () => {
    const clock = fakeClock();
    const things = new Things();
    things.onWatch = () => ({ events: [modified] });
    expect(await outcomeAfter(clock, 0, untilWithSync(things, is('MODIFIED'), { clock }))).toEqual(modified);
    expect(things.open).toBe(0);
  });

  it('rejects at once with 403, and after timeoutMs with the last error of the list', async () => {
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
