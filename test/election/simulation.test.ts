import { describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/server.js';
import { Client } from '../../src/client/client.js';
import { LeaderElector } from '../../src/election/leader-elector.js';
import { channels, listen } from '../../src/observe/channels.js';
import { MemoryTransport } from '../../src/rest/http/memory-transport.js';
import { RestClient } from '../../src/rest/request/rest-client.js';
import { FakeClock } from '../../src/time/fake-clock.js';
import { seededRandom } from '../../src/time/seeded-random.js';
import { runs } from '../support/runs.js';
import { withWire } from '../support/wire.js';
import { checkHistory } from './history.js';

const LEASE_MS = 15_000;
const RETRY_MS = 2000;
/** The lease duration, the longest pause of a candidate, and the longest request. */
const TAKEOVER_MS = LEASE_MS + RETRY_MS * 2.2 + 5000;
const CANDIDATES = 5;
const SEEDS = runs(6);
const MINUTES = 6;

/** Runs one simulation in virtual time, the same for the same seed. */
async function simulate(seed: number): Promise<{ terms: number; writes: number; refused: number }> {
  const clock = new FakeClock({ seed });
  const random = seededRandom(seed);
  const api = await startApiServer({ clock, listen: false, seed, controllers: ['system-namespaces'] });
  const leading = new Set<string>();
  const over = new AbortController();
  /** Whether the server has no faults: only then a takeover is expected in time. */
  let isFair = true;
  let terms = 0;
  let refused = 0;
  const undos = [
    listen(channels.electionAcquired, ({ identity }) => {
      terms++;
      expect([...leading], `seed ${seed}: ${identity} was elected while others lead`).toEqual([]);
      leading.add(identity);
    }),
    listen(channels.electionLost, ({ identity }) => void leading.delete(identity)),
  ];

  const clients: Client[] = [];
  // One candidate: it stops, starts again, and does not always stop at once when its signal aborts.
  async function live(identity: string): Promise<void> {
    const rest = new RestClient(
      { server: 'memory' },
      { ...withWire, clock, transport: new MemoryTransport(api.connection) },
    );
    const client = new Client({ rest });
    clients.push(client);
    const elector = new LeaderElector(client, { namespace: 'default', name: 'boss', identity, onError() {} });
    const guarded = elector.guard(client);
    while (!over.signal.aborted) {
      const term = new AbortController();
      const stop = (): void => term.abort();
      over.signal.addEventListener('abort', stop, { once: true });
      // Some stop by themselves after a while, as in a rolling update.
      const retire = clock.setTimer(20_000 + random() * 120_000, stop);
      await elector.run(
        async (signal) => {
          // Many go on writing after the abort, some for longer than their lease duration.
          for (let goOn = 1 + Math.floor(random() * 60); goOn > 0; ) {
            if (signal.aborted) goOn--;
            try {
              await guarded.core.v1
                .configMaps('default')
                .create({ metadata: { generateName: 'w-' }, data: { identity } });
            } catch {
              if (!elector.isLeader) refused++;
            }
            await clock.sleep(500);
          }
        },
        { signal: term.signal },
      );
      retire.cancel();
      over.signal.removeEventListener('abort', stop);
      await clock.sleep(random() * 5000, { signal: over.signal }).catch(() => {});
    }
  }
  const lives = Array.from({ length: CANDIDATES }, (_, i) => live(`c${i}`));

  /** Since when there has been no leader, although the server has no faults. */
  let idleSince = clock.monotonicNow();
  for (let second = 0; second < MINUTES * 60; second++) {
    if (second % 20 === 0) {
      api.faults.clear();
      isFair = random() < 0.5;
      if (!isFair) injectFault(api.faults, random);
    }
    await clock.advance(1000);
    if (leading.size > 0 || !isFair) idleSince = clock.monotonicNow();
    expect(leading.size, `seed ${seed}, second ${second}`).toBeLessThanOrEqual(1);
    expect(clock.monotonicNow() - idleSince, `seed ${seed}: no candidate took over`).toBeLessThanOrEqual(TAKEOVER_MS);
  }
  api.faults.clear();
  over.abort();
  await clock.until(() => Promise.all(lives).then(() => true), { withinMs: 120_000 });
  const writes = await checkHistory(clients[0] as Client, `seed ${seed}`);
  for (const undo of undos) undo();
  for (const client of clients) await client.close();
  await api.stop();
  expect(clock.pendingTimers, `seed ${seed}`).toEqual([]);
  return { terms, writes, refused };
}

function injectFault(faults: Awaited<ReturnType<typeof startApiServer>>['faults'], random: () => number): void {
  const forLeases = { resource: 'leases', times: Number.POSITIVE_INFINITY, probability: 0.3 + random() * 0.7 };
  const kinds = [
    () => faults.inject({ ...forLeases, respond: { status: 500 } }),
    () => faults.inject({ ...forLeases, respond: { status: 409 }, verb: 'update' }),
    // The server carries out the write, and the client gets no response.
    () => faults.inject({ ...forLeases, reset: 'afterHeaders' }),
    () => faults.inject({ ...forLeases, reset: 'beforeHeaders' }),
    () => faults.inject({ ...forLeases, delayMs: 500 + random() * 9000 }),
    () => faults.inject({ ...forLeases, stallMs: Number.POSITIVE_INFINITY }),
    () => faults.refuseConnections({ forMs: 5000 + random() * 15_000 }),
  ];
  kinds[Math.floor(random() * kinds.length)]?.();
}

describe('five candidates and a server with faults', () => {
  it(
    'never have two leaders at once, and have one again in time',
    async () => {
      const total = { terms: 0, writes: 0, refused: 0 };
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { terms, writes, refused } = await simulate(seed);
        total.terms += terms;
        total.writes += writes;
        total.refused += refused;
      }
      // Otherwise leadership never changed or no request was refused, and the simulation showed nothing.
      expect(total.terms).toBeGreaterThan(SEEDS * 3);
      expect(total.writes).toBeGreaterThan(SEEDS * 100);
      expect(total.refused).toBeGreaterThan(0);
      // Ends a simulation that hangs; a loaded machine takes ten times the usual two seconds a seed.
    },
    SEEDS * 60_000,
  );
});
