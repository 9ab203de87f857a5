import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { randomKind } from '../../test/support/random-kinds.js';
import { runs } from '../../test/support/runs.js';
import { startApiServer } from '../apiserver/server.js';
import { FakeClock } from '../testing/index.js';

const api = await startApiServer({ listen: false, clock: new FakeClock() });
const client = api.client();
afterAll(async () => {
  await client.close();
  await api.stop();
});

it('[C64] [C65] random kinds are accepted, and their objects stored with defaults and unchanged otherwise', async () => {
  const definitions = client.apiextensions.v1.customResourceDefinitions();
  await fc.assert(
    fc.asyncProperty(randomKind('random.example.com'), async ({ resource, specs }) => {
      await definitions.delete(resource.definition.metadata.name as string).catch(() => {});
      await definitions.create(resource.definition);
      const objects = client.forResource(resource, 'default');
      for (const [at, { written, stored }] of specs.entries()) {
        await objects.create({ metadata: { name: `o${at}` }, spec: written } as never);
        expect(await objects.get(`o${at}`)).toMatchObject({ kind: resource.kind });
        expect((await objects.get(`o${at}`)) as unknown as { spec: unknown }).toHaveProperty('spec', stored);
      }
    }),
    { numRuns: runs(40) },
  );
});
