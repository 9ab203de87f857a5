import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FakeLeases } from '../../test/support/fake-leases.js';
import { runs } from '../../test/support/runs.js';
import { FakeClock } from '../time/fake-clock.js';
import { abortable } from '../time/signals.js';
import { LeaderElector } from './leader-elector.js';
import type { LeaseClient, LeaseClients } from './lease-lock.js';

/** Requests and responses are delayed or lost at random; the server does not notice aborts. */
function unreliable(clock: FakeClock, obeysAborts: boolean): LeaseClients & { readonly clock: FakeClock } {
  const server = new FakeLeases(clock).coordination.v1.leases('default');
  const travel = async (): Promise<void> => {
    await clock.sleep(clock.random() * (clock.random() < 0.15 ? 12_000 : 300));
    if (clock.random() < 0.08) throw new Error('socket hang up');
  };
  const send = <T>(signal: AbortSignal | undefined, request: () => Promise<T>): Promise<T> => {
    const answer = (async () => {
      await travel();
      const carriedOut = await request();
      await travel();
      return carriedOut;
    })();
    return abortable(answer, obeysAborts ? signal : undefined);
  };
  const leases: LeaseClient = {
    get: (name, options) => send(options?.signal, () => server.get(name)),
    create: (lease, options) => send(options?.signal, () => server.create(lease)),
    update: (lease, options) => send(options?.signal, () => server.update(lease)),
  };
  return { clock, coordination: { v1: { leases: () => leases } } };
}

/** Calls run() again and again, for some time each; `lead` ends by itself, fails, or ends when its signal aborts. */
async function keepRunning(elector: LeaderElector, clock: FakeClock, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const turn = new AbortController();
    const timer = clock.setTimer(clock.random() * 60_000, () => turn.abort());
    const lead = async (signal: AbortSignal): Promise<void> => {
      const how = clock.random();
      const ms = how < 0.2 ? clock.random() * 20_000 : 1e9;
      await clock.sleep(ms, { signal }).catch(() => {});
      if (how < 0.1) throw new Error('a bug');
    };
    await elector.run(lead, { signal: AbortSignal.any([turn.signal, stop]) }).catch(() => {});
    timer.cancel();
    await clock.sleep(clock.random() * 5000);
  }
}

/** How often a leader was found. */
async function neverTwoLeaders(seed: number, renewDeadlineMs: number, obeysAborts: boolean): Promise<number> {
  const clock = new FakeClock({ seed });
  const client = unreliable(clock, obeysAborts);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const electors = ['a', 'b', 'c', 'd'].map(
    (identity) =>
      new LeaderElector(client, { namespace: 'default', name: 'boss', identity, renewDeadlineMs, onError() {} }),
  );
  const running = electors.map((elector) => keepRunning(elector, clock, stop.signal));
  let found = 0;
  for (let seconds = 0; seconds < 300; seconds++) {
    await clock.advance(1000);
    const leaders = electors.filter(({ isLeader }) => isLeader).map(({ identity }) => identity);
    expect(leaders.length, `${leaders} lead after ${seconds} s of seed ${seed}`).toBeLessThanOrEqual(1);
    found += leaders.length;
  }
  stop.abort();
  await clock.advance(120_000);
  await Promise.all(running);
  expect(clock.pendingTimers).toEqual([]);
  return found;
}

describe.each([
  { renewDeadlineMs: 10_000, obeysAborts: true },
  { renewDeadlineMs: 14_000, obeysAborts: true },
  // The closer renewDeadlineMs is to leaseDurationMs, the smaller the margin.
  { renewDeadlineMs: 14_000, obeysAborts: false },
])('four candidates, a deadline of $renewDeadlineMs ms, a client that obeys aborts: $obeysAborts', (options) => {
  it('never have two leaders, whichever requests and responses are delayed or lost', async () => {
    let found = 0;
    for (let seed = 1; seed <= runs(40); seed++) {
      found += await neverTwoLeaders(seed, options.renewDeadlineMs, options.obeysAborts);
    }
    expect(found).toBeGreaterThan(runs(1000));
  });
});
