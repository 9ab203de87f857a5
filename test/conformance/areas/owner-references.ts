import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { configMaps, populate } from '../objects.js';
import { expectStatus } from '../status.js';

const owner = (uid: string, rest = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'owner',
  uid,
  ...rest,
});

export const area: Area = defineArea('owner references', (rule) => {
  rule('references are stored as written, in their order', async (api) => {
    const path = configMaps(await api.namespace());
    const ownerReferences = [
      owner('u-2', { controller: true, blockOwnerDeletion: true }),
      owner('u-1', { controller: false }),
      owner('u-3'),
    ];
    const made = await api.create(path, { metadata: { name: 'a', ownerReferences } });
    expect(made.metadata.ownerReferences).toEqual(ownerReferences);
    expect((await api.get(`${path}/a`)).metadata.ownerReferences).toEqual(ownerReferences);
  });

  rule('only one reference can be the controller', async (api) => {
    const path = configMaps(await api.namespace());
    const ownerReferences = [owner('u-1', { controller: true }), owner('u-2', { controller: true })];
    expectStatus(await api.request('POST', path, { body: { metadata: { name: 'a', ownerReferences } } }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'metadata.ownerReferences', message: /Only one reference can have Controller set to true/ }],
    });
  });

  for (const missing of ['apiVersion', 'kind', 'name', 'uid']) {
    rule(`a reference needs ${missing}`, async (api) => {
      const path = configMaps(await api.namespace());
      const ownerReferences = [{ ...owner('u-1'), [missing]: undefined }];
      const status = expectStatus(
        await api.request('POST', path, { body: { metadata: { name: 'a', ownerReferences } } }),
        {
          code: 422,
          reason: 'Invalid',
        },
      );
      expect(status.details.causes?.[0]?.field).toMatch(/^metadata\.ownerReferences/);
      expect(status.details.causes?.[0]?.message).toMatch(/must not be empty/);
    });
  }

  rule('references are merged by uid in a strategic merge patch', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'a', ownerReferences: [owner('u-1')] } });
    const patch = (references: object[]): Promise<{ metadata: { ownerReferences?: object[] } }> =>
      api.patch(`${path}/a`, 'strategic', { metadata: { ownerReferences: references } });
    const both = await patch([owner('u-2')]);
    expect(both.metadata.ownerReferences).toHaveLength(2);
    const left = await patch([{ uid: 'u-1', $patch: 'delete' }]);
    expect(left.metadata.ownerReferences).toEqual([owner('u-2')]);
  });

  rule('an owner is deleted at once, also if objects refer to it', async (api) => {
    const { path, last } = await populate(api, ['owner']);
    await api.create(path, { metadata: { name: 'a', ownerReferences: [owner(last.metadata.uid)] } });
    expect(await api.delete(`${path}/owner`)).toMatchObject({ kind: 'Status', status: 'Success' });
    expectStatus(await api.request('GET', `${path}/owner`), { code: 404, reason: 'NotFound' });
  });
});
