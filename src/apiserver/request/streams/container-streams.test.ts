import { expect, it } from 'vitest';
import { MemoryClient } from '../../../../test/apiserver/memory-client.js';
import { FakeClock } from '../../../time/fake-clock.js';
import { startApiServer } from '../../index.js';

it.each(['log', 'exec', 'attach', 'portforward', 'proxy'])(
  '%s of a pod on a node is refused, because no container runs',
  async (part) => {
    await using api = await startApiServer({ clock: new FakeClock(), listen: false });
    const client = new MemoryClient(api);
    const pods = '/api/v1/namespaces/default/pods';
    const spec = { nodeName: 'n', containers: [{ name: 'a', image: 'i' }] };
    await client.post(pods, { metadata: { name: 'one' }, spec });
    const answer = await client.get(`${pods}/one/${part}`);
    expect(answer.json).toMatchObject({
      code: 501,
      message: expect.stringContaining(`pods/${part} is not available: this API server runs no containers`),
    });
  },
);
