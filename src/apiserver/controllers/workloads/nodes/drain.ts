import type { Steps } from '../../../../time/steps.js';
import { isTerminating } from '../pod-facts.js';
import type { WorkloadController, World } from '../world.js';

const RETRY_MS = 5000;

/** Empties nodes. */
export interface Drains {
  begin(node: string): void;
}

/** Cordons nodes and evicts their pods on request, until the node is empty or no longer cordoned. */
export function addDrains(world: World): Drains {
  const { nodes, pods } = world.views;

  const controller: WorkloadController = {
    name: 'drain',
    *reconcile(name): Steps<void> {
      if (nodes.get(name)?.spec?.unschedulable !== true) return;
      let isRefused = false;
      for (const pod of pods.list()) {
        if (pod.spec?.nodeName !== name || isTerminating(pod)) continue;
        if (pod.metadata.ownerReferences?.some(({ kind, controller }) => controller && kind === 'DaemonSet')) continue;
        if (!(yield* world.evict(pod))) isRefused = true;
      }
      if (isRefused) world.enqueue(controller, name, RETRY_MS);
    },
  };
  /** Marks the node first: pods that are evicted must not come back to it. */
  const cordon: WorkloadController = {
    name: 'cordon',
    *reconcile(name): Steps<void> {
      const node = nodes.get(name);
      if (node === undefined) return;
      yield* world.update(nodes, node, (latest) => {
        latest.spec = { ...latest.spec, unschedulable: true };
      });
      world.enqueue(controller, name);
    },
  };
  world.add(controller);
  world.add(cordon);

  return {
    begin(node) {
      if (nodes.get(node) === undefined) throw new TypeError(`there is no node ${JSON.stringify(node)}`);
      world.enqueue(cordon, node);
    },
  };
}
