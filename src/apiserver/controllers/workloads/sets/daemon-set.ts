import type { DaemonSet } from '../../../../resources/types/apps-v1.js';
import type { Node, Pod, Toleration } from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { claim, selectorOf } from '../claim.js';
import { countOf } from '../int-or-percent.js';
import { isToleratedBy, matchesNode } from '../nodes/node-fit.js';
import { controllerOf } from '../object-view.js';
import { availableInMs, isFinished, isReady, isTerminating } from '../pod-facts.js';
import { type PodObject, podOf, REVISION_HASH_LABEL } from '../pod-template.js';
import { keyOfObject, type WorkloadController, type World } from '../world.js';
import { syncRevisions, trimRevisions } from './revisions.js';

const COMPONENT = 'daemonset-controller';
const GENERATION_LABEL = 'pod-template-generation';
const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';

/** What the pods of every DaemonSet tolerate. */
const TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const NETWORK_TOLERATION: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** Keeps one pod on each node that fits. */
export function addDaemonSets(world: World): void {
  const { daemonsets, pods, nodes } = world.views;

  const controller: WorkloadController = {
    name: COMPONENT,
    *reconcile(key): Steps<void> {
      const set = daemonsets.get(key);
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
      yield* claim(world, pods, set, selectorOf(set.spec?.selector));
      const collisions = set.status?.collisionCount ?? 0;
      const revisions = yield* syncRevisions(world, set, set.spec!.template, collisions, REVISION_HASH_LABEL);
      const hash = revisions.present.metadata.labels?.[REVISION_HASH_LABEL] ?? '';
      yield* placePods(set, hash);
      if (set.spec?.updateStrategy?.type !== 'OnDelete') yield* rollUpdate(set, hash);
      yield* writeStatus(key, hash);
      const used = new Set(pods.ownedBy(set.metadata.uid).map((pod) => `${set.metadata.name}-${hashOfPod(pod)}`));
      used.add(revisions.present.metadata.name);
      yield* trimRevisions(world, revisions.all, used, set.spec?.revisionHistoryLimit ?? 10);
    },
  };
  world.add(controller);
  world.follow('daemonsets', controller);
  world.on('pods', (revision) => {
    const owner = controllerOf(revision);
    if (owner?.kind === 'DaemonSet') world.enqueue(controller, `${revision.namespace}/${owner.name}`);
  });
  world.on('nodes', () => {
    for (const set of daemonsets.list()) world.enqueue(controller, keyOfObject(set));
  });

  function podsByNode(set: DaemonSet): Map<string, Pod[]> {
    const byNode = new Map<string, Pod[]>();
    for (const pod of pods.ownedBy(set.metadata.uid)) {
      const node = nodeOf(pod);
      const known = byNode.get(node);
      if (known === undefined) byNode.set(node, [pod]);
      else known.push(pod);
    }
    return byNode;
  }

  /** Creates missing pods, and deletes those of nodes that should have none, failed ones and duplicates. */
  function* placePods(set: DaemonSet, hash: string): Steps<void> {
    const byNode = podsByNode(set);
    const candidate = podFor(set, '', hash) as unknown as Pod;
    for (const node of nodes.list()) {
      const { name } = node.metadata;
      const present = byNode.get(name) ?? [];
      byNode.delete(name);
      const living = present.filter((pod) => !isTerminating(pod));
      if (shouldRun(candidate, node)) {
        for (const pod of living.filter(isFinished)) yield* replaceFailed(set, pod, name);
        const active = living.filter((pod) => !isFinished(pod));
        if (present.length === 0) yield* createPod(set, name, hash);
        yield* removeDuplicates(set, active, hash);
      } else if (!shouldStay(candidate, node)) for (const pod of living) yield* deletePod(set, pod);
    }
    for (const orphaned of byNode.values()) {
      for (const pod of orphaned) if (!isTerminating(pod)) yield* deletePod(set, pod);
    }
  }

  /** During a surge a node may have a pod of the old and one of the new template. */
  function* removeDuplicates(set: DaemonSet, active: readonly Pod[], hash: string): Steps<void> {
    const isNew = (pod: Pod): boolean => hashOfPod(pod) === hash;
    const groups = surgeOf(set) > 0 ? [active.filter(isNew), active.filter((pod) => !isNew(pod))] : [active];
    for (const group of groups) {
      const sorted = [...group].sort((a, b) => Number(Boolean(b.spec?.nodeName)) - Number(Boolean(a.spec?.nodeName)));
      for (const pod of sorted.slice(1)) yield* deletePod(set, pod);
    }
  }

  function surgeOf(set: DaemonSet): number {
    return countOf(set.spec?.updateStrategy?.rollingUpdate?.maxSurge, nodes.list().length, 'up');
  }

  function* rollUpdate(set: DaemonSet, hash: string): Steps<void> {
    const byNode = podsByNode(set);
    const candidate = podFor(set, '', hash) as unknown as Pod;
    const wanted = nodes.list().filter((node) => shouldRun(candidate, node));
    const surge = surgeOf(set);
    const { maxUnavailable } = set.spec?.updateStrategy?.rollingUpdate ?? {};
    const most = Math.max(surge === 0 ? 1 : 0, countOf(maxUnavailable, wanted.length, 'up'));
    let unavailable = 0;
    let surging = 0;
    const outdated: { readonly node: string; readonly old: Pod; readonly next: Pod | undefined }[] = [];
    for (const { metadata } of wanted) {
      const present = byNode.get(metadata.name) ?? [];
      if (!present.some((pod) => isAvailable(set, pod))) unavailable++;
      const living = present.filter((pod) => !isTerminating(pod));
      const old = living.find((pod) => hashOfPod(pod) !== hash);
      const next = living.find((pod) => hashOfPod(pod) === hash);
      if (old !== undefined && next !== undefined) surging++;
      if (old !== undefined) outdated.push({ node: metadata.name, old, next });
    }
    for (const { node, old, next } of outdated) {
      if (surge > 0) {
        if (next === undefined && surging < surge) {
          surging++;
          yield* createPod(set, node, hash);
        } else if (!isAvailable(set, old) || (next !== undefined && isAvailable(set, next))) yield* deletePod(set, old);
      } else if (!isAvailable(set, old)) yield* deletePod(set, old);
      else if (unavailable < most) {
        unavailable++;
        yield* deletePod(set, old);
      }
    }
  }

  function isAvailable(set: DaemonSet, pod: Pod): boolean {
    return !isTerminating(pod) && availableInMs(pod, set.spec?.minReadySeconds, world.clock.now()) === 0;
  }

  function* createPod(set: DaemonSet, node: string, hash: string): Steps<void> {
    const pod = yield* world.create(pods, set.metadata.namespace ?? '', podFor(set, node, hash));
    const message = `Created pod: ${pod.metadata.name}`;
    yield* world.record({ about: set, reason: 'SuccessfulCreate', message, component: COMPONENT });
  }

  function* deletePod(set: DaemonSet, pod: Pod): Steps<void> {
    yield* world.remove(pods, pod);
    const message = `Deleted pod: ${pod.metadata.name}`;
    yield* world.record({ about: set, reason: 'SuccessfulDelete', message, component: COMPONENT });
  }

  function* replaceFailed(set: DaemonSet, pod: Pod, node: string): Steps<void> {
    const { namespace, name } = pod.metadata;
    const message = `Found failed daemon pod ${namespace}/${name} on node ${node}, will try to kill it`;
    yield* world.record({ about: set, type: 'Warning', reason: 'FailedDaemonPod', message, component: COMPONENT });
    yield* deletePod(set, pod);
  }

  function* writeStatus(key: string, hash: string): Steps<void> {
    const set = daemonsets.get(key);
    if (set === undefined) return;
    const byNode = podsByNode(set);
    const candidate = podFor(set, '', hash) as unknown as Pod;
    const count = { desired: 0, scheduled: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
    let nextInMs = Number.POSITIVE_INFINITY;
    for (const node of nodes.list()) {
      const present = (byNode.get(node.metadata.name) ?? []).filter((pod) => !isTerminating(pod));
      if (!shouldRun(candidate, node)) {
        if (present.length > 0) count.misscheduled++;
        continue;
      }
      count.desired++;
      if (present.length === 0) continue;
      count.scheduled++;
      // The oldest pod of a node counts.
      const pod = present[0]!;
      const inMs = availableInMs(pod, set.spec?.minReadySeconds, world.clock.now());
      if (isReady(pod)) count.ready++;
      if (inMs === 0) count.available++;
      else if (inMs !== undefined) nextInMs = Math.min(nextInMs, inMs);
      if (present.some((one) => hashOfPod(one) === hash)) count.updated++;
    }
    const unavailable = count.desired - count.available;
    const collisionCount = set.status?.collisionCount;
    yield* world.writeStatus(daemonsets, set, {
      currentNumberScheduled: count.scheduled,
      numberMisscheduled: count.misscheduled,
      desiredNumberScheduled: count.desired,
      numberReady: count.ready,
      observedGeneration: set.metadata.generation,
      ...(count.updated > 0 && { updatedNumberScheduled: count.updated }),
      ...(count.available > 0 && { numberAvailable: count.available }),
      ...(unavailable > 0 && { numberUnavailable: unavailable }),
      ...(collisionCount !== undefined && { collisionCount }),
    });
    if (nextInMs !== Number.POSITIVE_INFINITY) world.enqueue(controller, key, nextInMs);
  }
}

function hashOfPod({ metadata }: Pod): string {
  return metadata.labels?.[REVISION_HASH_LABEL] ?? '';
}

/** The node of a pod: where it is, or the one that its affinity names. */
function nodeOf({ spec }: Pod): string {
  if (spec?.nodeName) return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = required?.nodeSelectorTerms.flatMap(({ matchFields }) => matchFields ?? []) ?? [];
  return fields.find(({ key }) => key === 'metadata.name')?.values?.[0] ?? '';
}

function shouldRun(pod: Pod, node: Node): boolean {
  return matchesNode(pod, node) && !hasTaint(pod, node, () => true);
}

/** A running pod stays on a node that would not get a new one. */
function shouldStay(pod: Pod, node: Node): boolean {
  return matchesNode(pod, node) && !hasTaint(pod, node, (effect) => effect === 'NoExecute');
}

function hasTaint({ spec }: Pod, node: Node, counts: (effect: string) => boolean): boolean {
  const tolerations = spec?.tolerations ?? [];
  return (node.spec?.taints ?? []).some(
    (taint) =>
      taint.effect !== 'PreferNoSchedule' &&
      counts(taint.effect) &&
      !tolerations.some((toleration) => isToleratedBy(taint, toleration)),
  );
}

/** The pod of a node; without a node, one that shows which nodes fit. */
function podFor(set: DaemonSet, node: string, hash: string): PodObject {
  const pod = podOf(set, set.spec!.template);
  const generation = set.metadata.annotations?.[GENERATION_ANNOTATION] ?? String(set.metadata.generation ?? 1);
  pod.metadata.labels = { ...pod.metadata.labels, [REVISION_HASH_LABEL]: hash, [GENERATION_LABEL]: generation };
  const own = pod.spec.hostNetwork === true ? [...TOLERATIONS, NETWORK_TOLERATION] : TOLERATIONS;
  pod.spec.tolerations = [...(pod.spec.tolerations ?? []), ...own];
  if (node === '') return pod;
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [node] }];
  const nodeAffinity = pod.spec.affinity?.nodeAffinity ?? {};
  const required = nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  // Besides what the template requires of a node, it is this one.
  const nodeSelectorTerms = required?.nodeSelectorTerms.map((term) => ({ ...term, matchFields })) ?? [{ matchFields }];
  pod.spec.affinity = {
    ...pod.spec.affinity,
    nodeAffinity: { ...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  };
  return pod;
}
