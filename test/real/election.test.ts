import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/client.js';
import { Candidate, nextLeader } from '../election/candidate.js';
import { checkHistory } from '../election/history.js';
import { withWire } from '../support/wire.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

let server: RealApiServer;
const candidates: Candidate[] = [];
beforeAll(async () => {
  server = await startRealApiServer();
});
afterEach(async () => {
  for (const candidate of candidates) candidate.kill();
  await Promise.all(candidates.map(({ ended }) => ended));
});
afterAll(() => server.stop());

describe('three candidates, each in its own process, on a real kube-apiserver', () => {
  it('lead one at a time, when one is blocked and when one is killed', async () => {
    await using client = await Client.fromKubeconfig({ path: server.kubeconfigPath }, withWire);
    const { metadata } = await client.coordination.v1.leases('default').list();
    for (let i = 0; i < 3; i++) candidates.push(new Candidate(server.kubeconfigPath, `p${i}`));
    const others = (leader: Candidate) => candidates.filter((candidate) => candidate !== leader);
    const first = await nextLeader(candidates);
    await first.until('wrote', 5);

    const afterBlock = nextLeader(others(first));
    first.block(6_000);
    const second = await afterBlock;
    await second.until('wrote', 5);
    await first.until('unblocked');
    await first.until('lost');
    expect(first.count('refused')).toBeGreaterThanOrEqual(3);

    const afterKill = nextLeader(others(second));
    second.kill();
    const third = await afterKill;
    await third.until('wrote', 5);

    for (const candidate of candidates) candidate.kill();
    expect(await checkHistory(client, 'real', metadata.resourceVersion)).toBeGreaterThanOrEqual(15);
    expect(candidates.flatMap(({ events }) => events.filter((event) => event.startsWith('failed')))).toEqual([]);
  });
});
