// A controller that gives each Deployment the pods it asks for. `npm start` runs it.
import { byOwnerUid, isNotFound, LeaderElector, ownerKeys, processQueue, RateLimitingQueue, splitKey } from 'kubeflect';
import { EventBroadcaster } from 'kubeflect/events';

export async function runController(client, factory, signal) {
  const deployments = factory.apps.v1.deployments();
  const pods = factory.core.v1.pods();
  const podsByOwner = pods.addIndex('owner', byOwnerUid());
  const queue = new RateLimitingQueue({ name: 'deployments', clock: client.clock });
  deployments.enqueueInto(queue); // queues the key of each changed Deployment …
  pods.enqueueInto(queue, { items: ownerKeys({ group: 'apps', kind: 'Deployment' }) }); // … and of each changed pod's owner

  factory.start();
  await factory.waitForCacheSync({ signal });
  await podsByOwner.whenReady();

  const elector = new LeaderElector(client, { namespace: 'default', name: 'deployment-controller' });
  const writer = elector.guard(client); // sends nothing once another replica may be the leader
  const broadcaster = new EventBroadcaster({ client, signal });
  const recorder = broadcaster.recorder({ component: 'deployment-controller' });

  async function reconcile(key, { signal }) {
    const deployment = deployments.lister.get(key);
    if (deployment === undefined || deployment.metadata.deletionTimestamp) return;
    const { namespace, name } = splitKey(key);
    const api = writer.core.v1.pods(namespace);
    const want = deployment.spec.replicas ?? 1;
    const owned = podsByOwner.list(deployment.metadata.uid).filter((pod) => !pod.metadata.deletionTimestamp);
    owned.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)); // so that a retry deletes the same pods

    let newest;
    for (let i = owned.length; i < want; i++) newest = await api.create(podFor(deployment), { signal });
    for (const { metadata } of owned.slice(want)) await api.delete(metadata.name, { signal }).catch(unlessGone);
    const message = `scaled from ${owned.length} to ${want}`;
    if (owned.length !== want) recorder.event(deployment, { type: 'Normal', reason: 'Scaled', message });
    // The next reconcile must see the new pods in the cache, or it would create them again.
    if (newest) await pods.waitForResourceVersion(newest.metadata.resourceVersion, { signal });

    const readyReplicas = owned.slice(0, want).filter(isReady).length;
    const status = { replicas: want, readyReplicas, observedGeneration: deployment.metadata.generation };
    const isCurrent = Object.entries(status).every(([field, value]) => deployment.status?.[field] === value);
    if (!isCurrent) await writer.apps.v1.deployments(namespace).patchStatus(name, status, { signal }).catch(unlessGone);
  }

  const lead = (signal) => processQueue(queue, { workers: 4, signal, reconcile });
  return elector.run(lead, { signal }).finally(() => broadcaster.close());
}

function podFor({ apiVersion, kind, metadata: { name, uid }, spec: { template } }) {
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
  const { labels } = template.metadata ?? {};
  return { metadata: { generateName: `${name}-`, labels, ownerReferences }, spec: template.spec };
}

const isReady = (pod) => pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');

function unlessGone(error) {
  if (!isNotFound(error)) throw error;
}
