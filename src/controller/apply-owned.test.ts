import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../apiserver/index.js';
import { type Client, type KubernetesObject, resources } from '../index.js';
import { applyOwned } from './apply-owned.js';
import { ownerReference } from './owners.js';

const { configMaps, namespaces } = resources.core.v1;
const { clusterRoles } = resources.rbac.v1;

let api: ApiServer;
let client: Client;
let owner: KubernetesObject;
beforeEach(async () => {
  api = await startApiServer({ listen: false, controllers: ['system-namespaces'] });
  client = api.client();
  owner = await client.core.v1.configMaps('default').create({ metadata: { name: 'owner' } });
});
afterEach(async () => {
  await client.close();
  await api.stop();
});

const fieldManager = 'operator';

describe('applyOwned', () => {
  it("creates the object in its owner's namespace, with the owner's reference, as the field manager", async () => {
    const map = await applyOwned(
      client,
      configMaps,
      { metadata: { name: 'a' }, data: { n: '1' } },
      { owner, fieldManager },
    );
    expect(map).toMatchObject({ metadata: { name: 'a', namespace: 'default' }, data: { n: '1' } });
    expect(map.metadata.ownerReferences).toEqual([ownerReference(owner)]);
    expect(map.metadata.managedFields).toMatchObject([{ manager: fieldManager, operation: 'Apply' }]);
  });

  it('removes fields that it applied before, leaves those of others alone, and takes fields over by force', async () => {
    const apply = (data: Record<string, string>) =>
      applyOwned(client, configMaps, { metadata: { name: 'a' }, data }, { owner, fieldManager });
    await apply({ gone: '1', taken: '1' });
    await client.core.v1.configMaps('default').patch('a', { data: { taken: '2', others: '1' } });
    expect((await apply({ taken: '3' })).data).toEqual({ taken: '3', others: '1' });
  });

  it('keeps further owners of the object, and adds its own reference once', async () => {
    const other = await client.core.v1.configMaps('default').create({ metadata: { name: 'other' } });
    const further = ownerReference(other, { controller: false });
    const metadata = { name: 'a', ownerReferences: [ownerReference(owner), further] };
    const map = await applyOwned(client, configMaps, { metadata }, { owner, fieldManager });
    expect(map.metadata.ownerReferences).toEqual([further, ownerReference(owner)]);
  });

  it('lets a cluster-scoped owner have objects in any namespace', async () => {
    const namespace = await client.core.v1.namespaces().get('default');
    const options = { owner: namespace, fieldManager };
    const map = await applyOwned(client, configMaps, { metadata: { name: 'a', namespace: 'default' } }, options);
    expect(map.metadata.ownerReferences).toEqual([ownerReference(namespace)]);
    const role = await applyOwned(client, clusterRoles, { metadata: { name: 'a' }, rules: [] }, options);
    expect(role.metadata.namespace).toBeUndefined();
  });

  it('refuses an owner that the garbage collector would not find', async () => {
    const options = { owner, fieldManager };
    await expect(
      applyOwned(client, configMaps, { metadata: { name: 'a', namespace: 'kube-system' } }, options),
    ).rejects.toThrow('ConfigMap default/owner cannot own configmaps kube-system/a: it is in another namespace');
    await expect(applyOwned(client, namespaces, { metadata: { name: 'a' } }, options)).rejects.toThrow(
      'ConfigMap default/owner cannot own namespaces a: it has no namespace, and its owner has one',
    );
  });

  it('refuses an object without a name, and options without a field manager', async () => {
    await expect(applyOwned(client, configMaps, { metadata: {} } as never, { owner, fieldManager })).rejects.toThrow(
      'apply configmaps needs an object with metadata.name',
    );
    await expect(applyOwned(client, configMaps, undefined as never, { owner, fieldManager })).rejects.toThrow(
      TypeError,
    );
    await expect(applyOwned(client, configMaps, { metadata: { name: 'a' } }, { owner } as never)).rejects.toThrow(
      'fieldManager',
    );
  });
});
