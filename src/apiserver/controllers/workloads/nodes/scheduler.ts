import type { JsonObject } from '../../../../meta/json-values.js';
import type { Node, Pod } from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { bindPod } from '../../../resources/subresources.js';
import type { Revision } from '../../../storage/storage.js';
import { podCondition } from '../pod-facts.js';
import { type WorkloadController, type World } from '../world.js';
import { misfit, requestsOf } from './node-fit.js';

const SCHEDULER = 'default-scheduler';
const MANAGER = 'kube-scheduler';

/**
 * Binds pods to nodes: to the node with the fewest pods among those that fit. It looks at node selectors, required node
 * affinity, taints, and requested resources.
 */
export function addScheduler(world: World): void {
  const { pods, nodes } = world.views;
  const usages = new Map<string, Map<string, number>>();
  /** Where each pod is counted. */
  const counted = new Map<string, { readonly node: string; readonly amounts: ReadonlyMap<string, number> }>();
  const unschedulable = new Set<string>();

  const controller: WorkloadController = {
    name: SCHEDULER,
    *reconcile(key): Steps<void> {
      const pod = pods.get(key);
      unschedulable.delete(key);
      if (pod === undefined || !isWaiting(pod)) return;
      const candidates = nodes.list();
      const misfits = new Map<string, number>();
      let best: { readonly node: Node; readonly pods: number } | undefined;
      for (const node of candidates) {
        const usage = usages.get(node.metadata.name) ?? NOTHING;
        const why = misfit(pod, node, usage);
        if (why !== undefined) misfits.set(why, (misfits.get(why) ?? 0) + 1);
        else {
          const present = usage.get('pods') ?? 0;
          if (best === undefined || present < best.pods) best = { node, pods: present };
        }
      }
      if (best === undefined) yield* refuse(key, pod, candidates.length, misfits);
      else yield* bind(pod, best.node);
    },
  };
  world.add(controller);
  world.on('pods', (revision) => {
    count(revision);
    const isAlive = revision.type !== 'DELETED' && !revision.isTerminating;
    if (isAlive && !revision.fields['spec.nodeName']) world.enqueue(controller, revision.key);
  });
  world.on('nodes', retryAll);

  function retryAll(): void {
    for (const key of unschedulable) world.enqueue(controller, key);
  }

  function count(revision: Revision): void {
    const { key, fields } = revision;
    const phase = fields['status.phase'];
    const isGone = revision.type === 'DELETED' || phase === 'Succeeded' || phase === 'Failed';
    const node = isGone ? '' : (fields['spec.nodeName'] ?? '');
    const known = counted.get(key);
    if ((known?.node ?? '') === node) return;
    if (known !== undefined) {
      add(known.node, known.amounts, -1);
      counted.delete(key);
      retryAll();
    }
    if (node === '') return;
    const amounts = requestsOf(pods.parse(revision));
    counted.set(key, { node, amounts });
    add(node, amounts, 1);
  }

  function add(node: string, amounts: ReadonlyMap<string, number>, sign: 1 | -1): void {
    let usage = usages.get(node);
    if (usage === undefined) usages.set(node, (usage = new Map()));
    for (const [name, amount] of amounts) usage.set(name, (usage.get(name) ?? 0) + sign * amount);
  }

  function* bind(pod: Pod, node: Node): Steps<void> {
    const { name } = node.metadata;
    const { namespace, name: podName, uid } = pod.metadata;
    const binding = { metadata: { namespace, name: podName, uid }, target: { kind: 'Node', name } };
    const now = world.timestamp();
    const { resource } = pods;
    const assign = (latest: JsonObject): JsonObject =>
      (latest as unknown as Pod).metadata.uid === uid ? bindPod(resource, latest, binding, now) : latest;
    yield* world.bind(pod, assign, MANAGER);
    const message = `Successfully assigned ${namespace}/${podName} to ${name}`;
    yield* world.record({ about: pod, reason: 'Scheduled', message, component: SCHEDULER });
  }

  function* refuse(key: string, pod: Pod, total: number, misfits: ReadonlyMap<string, number>): Steps<void> {
    unschedulable.add(key);
    const reasons = [...misfits].map(([why, number]) => `${number} ${why}`).sort();
    const message =
      total === 0 ? 'no nodes available to schedule pods' : `0/${total} nodes are available: ${reasons.join(', ')}.`;
    const known = podCondition(pod, 'PodScheduled');
    if (known?.status === 'False' && known.message === message) return;
    yield* world.updateStatus(
      pods,
      pod,
      (latest) => {
        const others = (latest.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
        const condition = {
          type: 'PodScheduled',
          status: 'False',
          lastProbeTime: null as unknown as undefined,
          lastTransitionTime: known?.status === 'False' ? known.lastTransitionTime : world.timestamp(),
          reason: 'Unschedulable',
          message,
        };
        latest.status = { ...latest.status, conditions: [...others, condition] };
      },
      MANAGER,
    );
    const event = { about: pod, type: 'Warning', reason: 'FailedScheduling', message, component: SCHEDULER } as const;
    yield* world.record(event);
  }
}

const NOTHING: ReadonlyMap<string, number> = new Map();

function isWaiting({ metadata, spec }: Pod): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    !spec?.nodeName &&
    (spec?.schedulerName ?? SCHEDULER) === SCHEDULER &&
    (spec?.schedulingGates ?? []).length === 0
  );
}
