import type { Pod, Taint } from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { isTerminating } from '../pod-facts.js';
import { keyOfObject, type WorkloadController, type World } from '../world.js';
import { isToleratedBy } from './node-fit.js';

const COMPONENT = 'taint-eviction-controller';

/** Deletes pods from nodes with a NoExecute taint that they do not tolerate, or tolerate for a time only. */
export function addTaintEviction(world: World): void {
  const { pods, nodes } = world.views;

  const controller: WorkloadController = {
    name: COMPONENT,
    *reconcile(key): Steps<void> {
      const pod = pods.get(key);
      if (pod === undefined || isTerminating(pod)) return;
      const taints = (nodes.get(pod.spec?.nodeName ?? '')?.spec?.taints ?? []).filter(
        ({ effect }) => effect === 'NoExecute',
      );
      if (taints.length === 0) return;
      const inMs = Math.min(...taints.map((taint) => toleratedMs(pod, taint)));
      if (inMs === Number.POSITIVE_INFINITY) return;
      if (inMs > 0) world.enqueue(controller, key, inMs);
      else yield* evict(pod);
    },
  };
  world.add(controller);
  world.on('nodes', (revision) => {
    const taints = revision.type === 'DELETED' ? [] : (nodes.parse(revision).spec?.taints ?? []);
    if (!taints.some(({ effect }) => effect === 'NoExecute')) return;
    for (const pod of pods.list()) {
      if (pod.spec?.nodeName === revision.name) world.enqueue(controller, keyOfObject(pod));
    }
  });
  world.on('pods', (revision) => {
    const node = revision.type === 'DELETED' ? undefined : nodes.get(revision.fields['spec.nodeName'] ?? '');
    if (node?.spec?.taints?.some(({ effect }) => effect === 'NoExecute') === true) {
      world.enqueue(controller, revision.key);
    }
  });

  /** How long a pod still tolerates a taint. */
  function toleratedMs(pod: Pod, taint: Taint): number {
    const tolerations = (pod.spec?.tolerations ?? []).filter((toleration) => isToleratedBy(taint, toleration));
    if (tolerations.length === 0) return 0;
    const seconds = tolerations.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
    if (seconds.length === 0) return Number.POSITIVE_INFINITY;
    return Math.max(0, Math.min(...seconds) * 1000 - world.since(taint.timeAdded));
  }

  function* evict(pod: Pod): Steps<void> {
    const message = `Marking for deletion Pod ${pod.metadata.namespace}/${pod.metadata.name}`;
    yield* world.record({ about: pod, reason: 'TaintManagerEviction', message, component: COMPONENT });
    yield* world.updateStatus(pods, pod, (latest) => {
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        lastTransitionTime: world.timestamp(),
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
      };
      const others = (latest.status?.conditions ?? []).filter(({ type }) => type !== condition.type);
      latest.status = { ...latest.status, conditions: [...others, condition] };
    });
    yield* world.remove(pods, pod);
  }
}
