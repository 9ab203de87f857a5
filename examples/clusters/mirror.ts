// ConfigMaps of one cluster in all others: repaired when a copy is changed, gone with the original. Clusters come and go.
import { Client, isNotFound, objectKey, resources, terminationSignal } from 'kubeflect';
import { createController, createManager } from 'kubeflect/controller';

const { configMaps, secrets } = resources.core.v1;
const members = new Map<string, { readonly client: Client; leave(): Promise<void> }>();

const mirror = createController({
  name: 'mirror',
  for: configMaps,
  cache: { labelSelector: 'example.com/mirror=yes' },
  async reconcile({ metadata: { name, namespace = '' }, data = {} }, { apply, event }) {
    const copy = { metadata: { name, namespace, labels: { 'example.com/copy-of': 'hub' } }, data };
    const copying = [...members.values()].map(({ client }) => apply(configMaps, copy, { client, owner: false }));
    const results = await Promise.allSettled(copying);
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (failed.length === 0) return; // else: a cluster that is away delays none of the others, and is tried again
    const message = `${failed.length} of ${members.size} clusters do not have it`;
    event({ type: 'Warning', reason: 'CopyFailed', message });
    throw new AggregateError(failed, message);
  },
  async finalize({ metadata: { name, namespace = '' } }, { through }) {
    const clients = [...members.values()].map(({ client }) => through(client));
    await Promise.all(clients.map((client) => client.core.v1.configMaps(namespace).delete(name).catch(unlessGone)));
  },
});

const clusters = createController({
  name: 'clusters',
  for: secrets, // one with a kubeconfig is a cluster
  cache: { namespace: 'mirror', labelSelector: 'example.com/cluster=yes' },
  async reconcile({ data }, { key }) {
    if (members.has(key)) return;
    const text = Buffer.from(data?.['kubeconfig'] ?? '', 'base64').toString();
    const client = await Client.fromKubeconfig({ text });
    const copies = { client, cache: { labelSelector: 'example.com/copy-of=hub' } };
    const watch = mirroring.watch(configMaps, { ...copies, requests: (copy) => [objectKey(copy)] });
    members.set(key, { client, leave: () => watch.remove().then(() => client.close()) });
    mirroring.enqueue(); // all of them: it has none yet
  },
  gone(key) {
    void members.get(key)?.leave();
    members.delete(key);
  },
});

const hub = await Client.fromDefault({ context: 'hub' });
const manager = createManager(hub, { name: 'mirror', controllers: [mirror, clusters] });
const mirroring = manager.controller(mirror);
await manager.run({ signal: terminationSignal() });
for (const { client } of members.values()) await client.close();
await hub.close();

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
