import type { Steps } from '../../../../time/steps.js';
import { keyOfObject, type WorkloadController, type World } from '../world.js';

/** How long a node may be away before its pods are deleted, as in kube-controller-manager. */
const QUARANTINE_MS = 40_000;

/** Deletes pods whose node does not exist: no kubelet would ever end them. */
export function addPodGarbageCollector(world: World): void {
  const { pods, nodes } = world.views;

  const controller: WorkloadController = {
    name: 'pod-garbage-collector',
    *reconcile(key): Steps<void> {
      const pod = pods.get(key);
      const node = pod?.spec?.nodeName;
      if (pod === undefined || !node || nodes.get(node) !== undefined) return;
      yield* world.remove(pods, pod, { gracePeriodSeconds: 0 });
    },
  };
  world.add(controller);
  world.on('nodes', ({ type, name }) => {
    if (type !== 'DELETED') return;
    for (const pod of pods.list()) {
      if (pod.spec?.nodeName === name) world.enqueue(controller, keyOfObject(pod), QUARANTINE_MS);
    }
  });
  world.on('pods', ({ type, key, fields }) => {
    const node = fields['spec.nodeName'];
    if (type !== 'DELETED' && node && nodes.get(node) === undefined) world.enqueue(controller, key, QUARANTINE_MS);
  });
}
