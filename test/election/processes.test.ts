import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../src/apiserver/server.js';
import { Client } from '../../src/client/client.js';
import { Candidate, nextLeader } from './candidate.js';
import { checkHistory } from './history.js';

let api: ApiServer;
let client: Client;
let candidates: Candidate[];

beforeEach(async () => {
  api = await startApiServer();
  client = new Client({ server: api.url });
  candidates = [];
});
afterEach(async () => {
  for (const candidate of candidates) candidate.kill();
  await Promise.all(candidates.map(({ ended }) => ended));
  await client.close();
  await api.stop();
});

function startCandidates(count: number, watchdog = false): void {
  for (let i = 0; i < count; i++) candidates.push(new Candidate(api.url, `p${i}`, watchdog));
}

function without(candidate: Candidate): Candidate[] {
  return candidates.filter((other) => other !== candidate);
}

describe('candidates in child processes', () => {
  it('never lead two at a time, when one is blocked and when one is killed', async () => {
    startCandidates(5);
    const first = await nextLeader(candidates);
    await first.until('wrote', 5);

    // Blocked for longer than its lease duration: another candidate takes over, and the first requests after the block are refused.
    const afterBlock = nextLeader(without(first));
    first.block(4000);
    const second = await afterBlock;
    await second.until('wrote', 5);
    await first.until('unblocked');
    await first.until('lost');
    expect(first.count('refused')).toBeGreaterThanOrEqual(3);

    // Killed without a release: its Lease has to expire.
    const afterKill = nextLeader(without(second));
    second.kill();
    expect(await second.ended).toBe('SIGKILL');
    const third = await afterKill;
    await third.until('wrote', 5);

    for (const candidate of candidates) candidate.kill();
    expect(await checkHistory(client, 'blocked and killed')).toBeGreaterThanOrEqual(15);
    const failures = candidates.flatMap(({ events }) => events.filter((event) => event.startsWith('failed')));
    expect(failures).toEqual([]);
  }, 300_000);

  it('are killed by their watchdog before another candidate can lead', async () => {
    startCandidates(2, true);
    const first = await nextLeader(candidates);
    await first.until('wrote', 5);
    const order: string[] = [];
    const others = nextLeader(without(first)).then((leader) => {
      order.push('elected');
      return leader;
    });
    first.block(60_000);
    const ended = first.ended.then((how) => {
      order.push('ended');
      return how;
    });
    const second = await others;
    expect(await ended).toBe('SIGKILL');
    expect(order).toEqual(['ended', 'elected']);
    expect(first.stderr).toMatch(/kubeflect: p\d did not renew the Lease default\/boss in time/);
    expect(first.count('unblocked')).toBe(0);
    await second.until('wrote', 5);
    for (const candidate of candidates) candidate.kill();
    await checkHistory(client, 'watchdog');
  }, 300_000);
});
