import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { ok, outcomeOf, pod, type Reply, startRestClient } from '../../../test/support/scripted-rest-client.js';
import { channels, listen } from '../../observe/channels.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import { RequestError } from '../http/request-errors.js';
import { clientGoRateLimit, RestClient } from './rest-client.js';

const undos: (() => void)[] = [];

afterEach(() => {
  for (const undo of undos.splice(0)) undo();
});

describe('limits', () => {
  it('there is no rate limit by default', async () => {
    const { rest, clock, seen } = startRestClient([ok]);
    await Promise.all(Array.from({ length: 50 }, () => pod(rest.get()).do()));
    expect(seen).toHaveLength(50);
    expect(clock.monotonicNow()).toBe(new FakeClock().monotonicNow());
  });

  it("client-go's limit allows ten requests, then five a second, and watches at once", async () => {
    const throttled: number[] = [];
    undos.push(listen(channels.restThrottle, ({ waitedMs }) => throttled.push(waitedMs)));
    const { rest, clock, seen } = startRestClient([ok], { rateLimit: clientGoRateLimit });
    const all = Promise.all(Array.from({ length: 15 }, () => pod(rest.get()).do()));
    await clock.advance(0);
    expect(seen).toHaveLength(10);
    rest
      .get()
      .resource('pods')
      .watch()
      .next()
      .catch(() => {});
    await clock.advance(0);
    expect(seen).toHaveLength(11);
    await clock.advance(1000);
    await all;
    expect(throttled).toEqual([200, 400, 600, 800, 1000]);
  });

  it('a limiter applies to each retry, also of a watch, whose first request is not limited', async () => {
    const busy: Reply = { status: 429, headers: { 'retry-after': '1' } };
    let asked = 0;
    const rateLimit = { tryTake: () => ++asked > 0, wait: () => Promise.resolve() };
    const { rest, clock, seen } = startRestClient([busy, ok, busy, busy, ok], { rateLimit });
    await outcomeOf(clock, pod(rest.get()).do());
    expect([seen.length, asked]).toEqual([2, 2]);
    await outcomeOf(clock, rest.get().resource('pods').watch().next());
    expect([seen.length, asked]).toEqual([5, 4]);
  });

  it('a custom limiter is used, and its errors are thrown unchanged', async () => {
    const controller = new AbortController();
    const limiter = {
      tryTake: () => false,
      wait: async ({ signal }: { signal?: AbortSignal | undefined }) => signal?.throwIfAborted(),
    };
    const { rest } = startRestClient([ok], { rateLimit: limiter });
    expect(await pod(rest.get()).do()).toEqual({ kind: 'Pod' });
    controller.abort(new Error('enough'));
    await expect(pod(rest.get()).do({ signal: controller.signal })).rejects.toBe(controller.signal.reason);
  });

  it('a request that takes longer than its timeout fails with its name, and leaves no timer', async () => {
    const { rest, clock } = startRestClient(['hang'], { timeoutMs: 3000 });
    const { error } = (await outcomeOf(clock, pod(rest.get()).do())) as { error: Error };
    expect(error).toBeInstanceOf(RequestError);
    expect(error.message).toBe('get pods default/web-0 of memory: the request took more than 3000 ms');
    expect(clock.pendingTimers).toEqual([]);
  });

  it.each(['before the response', 'before it is sent'])('an abort %s rejects with its reason', async (when) => {
    const { rest, clock } = startRestClient(['hang']);
    const controller = new AbortController();
    const reason = new Error('enough');
    if (when === 'before it is sent') controller.abort(reason);
    const sent = pod(rest.get()).do({ signal: controller.signal });
    sent.catch(() => {});
    await clock.advance(10);
    controller.abort(reason);
    await expect(sent).rejects.toBe(reason);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('closing the client fails all waiting requests, and leaves no timer', async () => {
    const busy: Reply = { status: 429, headers: { 'retry-after': '60' } };
    const { rest, clock } = startRestClient([busy, 'hang'], { rateLimit: { qps: 0.001, burst: 2 } });
    const sent = [pod(rest.get()).do(), pod(rest.get()).do(), pod(rest.get()).do()];
    const outcomes = Promise.allSettled(sent);
    await clock.advance(100);
    await rest.close();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('was closed') } });
    }
    expect(clock.pendingTimers).toEqual([]);
    await expect(pod(rest.get()).do()).rejects.toThrow('was closed');
  });

  it('closing a client fails requests of clients made with through(), and not the other way round', async () => {
    const busy: Reply = { status: 429, headers: { 'retry-after': '60' } };
    const { rest, clock } = startRestClient([busy]);
    const [front, other] = [rest.through((transport) => transport), rest.through((transport) => transport)];
    const outcomes = [front, other, rest.through((transport) => transport)].map((one) => {
      const outcome = { error: undefined as unknown };
      pod(one.get())
        .do()
        .catch((error: unknown) => (outcome.error = error));
      return outcome;
    });
    await clock.advance(100);
    await front.close();
    await clock.runUntilIdle();
    expect(outcomes.map(({ error }) => String(error).includes('was closed'))).toEqual([true, false, false]);
    await rest.close();
    await clock.runUntilIdle();
    expect(outcomes.map(({ error }) => String(error).includes('was closed'))).toEqual([true, true, true]);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('one signal may be used for many requests without a warning', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    undos.push(() => process.off('warning', note));
    const { rest } = startRestClient([ok]);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 30 }, () => pod(rest.get()).do({ signal })));
    await Promise.all(Array.from({ length: 30 }, () => pod(rest.get()).stream({ signal }).toArray()));
    await realClock.yield();
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('invalid options are refused', () => {
    const connection = { server: 'https://x' };
    expect(() => new RestClient(connection, { maxRetries: -1 })).toThrow('maxRetries must be');
    expect(() => new RestClient(connection, { timeoutMs: 0 })).toThrow('timeoutMs must be');
    expect(() => new RestClient(connection, { rateLimit: { qps: 0, burst: 1 } })).toThrow('qps must be');
  });
});
