import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryClient } from '../../../../test/apiserver/memory-client.js';
import { FakeClock } from '../../../time/fake-clock.js';
import { type ApiServer, startApiServer } from '../../index.js';

const PODS = '/api/v1/namespaces/default/pods';

let api: ApiServer;
let client: MemoryClient;

beforeEach(async () => {
  api = await startApiServer({
    clock: new FakeClock(),
    listen: false,
    onError: (error) => expect.fail(String(error)),
  });
  client = new MemoryClient(api);
});

afterEach(() => api.stop());

async function runningPod(spec: object = {}): Promise<void> {
  const containers = [{ name: 'c', image: 'i' }];
  const { status } = await client.post(PODS, { metadata: { name: 'p' }, spec: { nodeName: 'n', containers, ...spec } });
  expect(status).toBe(201);
}

describe('the grace period of a deletion', () => {
  it.each([1e18, 9e15, 1e12])('of %d seconds ends at the latest timestamp', async (seconds) => {
    await runningPod();
    const { status, json } = await client.delete(`${PODS}/p`, { gracePeriodSeconds: seconds });
    expect([status, json.metadata.deletionTimestamp]).toEqual([200, '9999-12-31T23:59:59Z']);
    expect((await client.put(`${PODS}/p`, json)).status).toBe(200);
    // It can be shortened as any other, and counts from the first deletion.
    const shorter = await client.delete(`${PODS}/p`, { gracePeriodSeconds: 30 });
    expect(shorter.json.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
    });
  });

  it('may be as long in the object and in the query', async () => {
    await runningPod({ terminationGracePeriodSeconds: 9e15 });
    expect((await client.delete(`${PODS}/p?dryRun=All`)).json.metadata.deletionTimestamp).toMatch(/^9999/);
    expect((await client.delete(`${PODS}/p?gracePeriodSeconds=1000000000000000000`)).status).toBe(200);
  });

  it.each([1.5, 1e19, -1e300])('cannot be %d, which is no int64', async (seconds) => {
    await runningPod();
    const { status, json } = await client.delete(`${PODS}/p`, { gracePeriodSeconds: seconds });
    expect([status, json.message]).toEqual([400, expect.stringContaining(`number ${seconds} into Go struct field`)]);
  });

  it.each(['gracePeriodSeconds', 'limit', 'timeoutSeconds'])(
    'and every other %s in a query has 64 bits',
    async (name) => {
      await runningPod();
      const query = `${name}=${'9'.repeat(400)}`;
      const answers = [await client.delete(`${PODS}/p?${query}`), await client.get(`${PODS}?${query}`)];
      const { status, json } = answers[name === 'gracePeriodSeconds' ? 0 : 1]!;
      expect([status, json.message]).toEqual([400, expect.stringContaining('value out of range')]);
    },
  );
});
