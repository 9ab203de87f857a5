// Stands in for scheduler and kubelets: binds pods to nodes, sets them Running after a while, and finishes deletions. It is a
// controller: a queue of keys, and one step per reconcile.
import { isConflict, isNotFound, processQueue, RateLimitingQueue, splitKey } from 'kubeflect';

/** Runs until the signal aborts. */
export async function runPodAgent({ client, factory, random, nodes }, signal) {
  const { clock } = client;
  const pods = factory.core.v1.pods();
  const queue = new RateLimitingQueue({ clock });
  pods.enqueueInto(queue, { name: 'pod agent' });

  async function reconcile(key, { signal }) {
    const pod = pods.lister.get(key);
    if (pod === undefined) return;
    const { namespace, name } = splitKey(key);
    const api = client.core.v1.pods(namespace);
    try {
      if (pod.metadata.deletionTimestamp !== undefined) {
        await clock.sleep(150 + random() * 250, { signal });
        await api.delete(name, { gracePeriodSeconds: 0, signal });
      } else if (!pod.spec.nodeName) {
        const target = { apiVersion: 'v1', kind: 'Node', name: nodes[Math.floor(random() * nodes.length)] };
        await api.subresource('binding').create(name, { target }, { signal });
      } else if (pod.status?.phase === 'Pending') {
        await clock.sleep(300 + random() * 900, { signal });
        await api.patchStatus(name, runningStatus(pod, new Date(clock.now()).toISOString(), random), { signal });
      }
    } catch (error) {
      // Other writers change pods at the same time; the next reconcile sees the new state.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  // Each worker waits while its pod starts or ends, so there are many workers.
  await processQueue(queue, { workers: 32, signal, reconcile, onError: () => {} });
}

function runningStatus({ spec, status }, now, random) {
  const octet = () => 1 + Math.floor(random() * 254);
  const state = { running: { startedAt: now } };
  return {
    phase: 'Running',
    startTime: now,
    podIP: `10.244.${octet()}.${octet()}`,
    conditions: [...(status.conditions ?? []), { type: 'Ready', status: 'True', lastTransitionTime: now }],
    containerStatuses: spec.containers.map(({ name, image }) => {
      return { name, image, imageID: '', ready: true, restartCount: 0, state };
    }),
  };
}
