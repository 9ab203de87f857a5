import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryClient } from '../../../test/apiserver/memory-client.js';
import { runs } from '../../../test/support/runs.js';
import { FakeClock } from '../../time/fake-clock.js';
import { startApiServer } from '../index.js';

const PATH = '/api/v1/namespaces/default/configmaps';

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

function described(items: readonly Item[]): string[] {
  return items.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);
}

describe('pages', () => {
  it('together show one version, whatever happens between them', async () => {
    const write = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), isDelete: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.array(write, { maxLength: 4 }), { minLength: 6, maxLength: 6 }),
        async (names, limit, writes) => {
          const api = await startApiServer({ clock: new FakeClock(), listen: false });
          const client = new MemoryClient(api);
          for (const name of names) await client.post(PATH, { metadata: { name } });
          const whole = (await client.get(PATH)).json;
          const seen: string[] = [];
          let token = '';
          let page = 0;
          do {
            const { metadata, items } = (await client.get(`${PATH}?limit=${limit}&continue=${token}`)).json;
            expect(metadata.resourceVersion).toBe(whole.metadata.resourceVersion);
            seen.push(...described(items));
            token = metadata.continue ?? '';
            expect(metadata.remainingItemCount).toBe(token === '' ? undefined : names.length - seen.length);
            for (const { name, isDelete } of writes[page++] ?? []) {
              if (isDelete) await client.delete(`${PATH}/${name}`);
              else if ((await client.post(PATH, { metadata: { name } })).status === 409) {
                await client.patch(`${PATH}/${name}`, { data: { page: String(page) } });
              }
            }
          } while (token !== '');
          expect(seen).toEqual(described(whole.items));
          const exact = `resourceVersion=${whole.metadata.resourceVersion}&resourceVersionMatch=Exact`;
          expect(described((await client.get(`${PATH}?${exact}`)).json.items)).toEqual(seen);
          await api.stop();
        },
      ),
      { numRuns: runs(15) },
    );
  });

  it('of a list that takes several slices keep its order and its items', async () => {
    const objects = Array.from({ length: 6000 }, (_, n) => ({
      kind: 'ConfigMap',
      metadata: { name: `c-${String(n).padStart(5, '0')}` },
      data: { text: 'x'.repeat(200) },
    }));
    const api = await startApiServer({ clock: new FakeClock(), listen: false, objects });
    const { items } = (await new MemoryClient(api).get(PATH)).json as { items: Item[] };
    expect(items.map((item) => item.metadata.name)).toEqual(objects.map((object) => object.metadata.name));
    await api.stop();
  });
});
