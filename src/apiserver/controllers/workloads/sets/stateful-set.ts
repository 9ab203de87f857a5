import type { ControllerRevision, StatefulSet } from '../../../../resources/types/apps-v1.js';
import type { Pod } from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { claim, selectorOf } from '../claim.js';
import { countOf } from '../int-or-percent.js';
import { controllerOf } from '../object-view.js';
import { availableInMs, isFinished, isReady, isTerminating } from '../pod-facts.js';
import { type PodObject, podOf, REVISION_HASH_LABEL } from '../pod-template.js';
import { controllerReference, type WorkloadController, type World } from '../world.js';
import { syncRevisions, templateOf, trimRevisions } from './revisions.js';

const COMPONENT = 'statefulset-controller';
const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';
const REVISION_LABEL = 'controller.kubernetes.io/hash';

/** The revisions between which a StatefulSet moves its pods. */
interface Move {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

/** Gives pods an ordinal, a stable name and claims of their own, and creates and replaces them one by one. */
export function addStatefulSets(world: World): void {
  const { statefulsets, pods, persistentvolumeclaims: claims } = world.views;

  const controller: WorkloadController = {
    name: COMPONENT,
    *reconcile(key): Steps<void> {
      const set = statefulsets.get(key);
      if (set === undefined) return;
      const owned = yield* claim(world, pods, set, selectorOf(set.spec?.selector));
      if (set.metadata.deletionTimestamp !== undefined) return;
      const collisions = set.status?.collisionCount ?? 0;
      const revisions = yield* syncRevisions(world, set, set.spec!.template, collisions, REVISION_LABEL);
      const update = revisions.present;
      const current = revisions.all.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
      const move = { current, update };
      yield* act(set, owned, move);
      yield* writeStatus(key, move);
      const used = new Set(pods.ownedBy(set.metadata.uid).map((pod) => revisionOf(pod)));
      used.add(update.metadata.name).add(current.metadata.name);
      yield* trimRevisions(world, revisions.all, used, set.spec?.revisionHistoryLimit ?? 10);
    },
  };
  world.add(controller);
  world.follow('statefulsets', controller);
  world.on('pods', (revision) => {
    const owner = controllerOf(revision);
    if (owner?.kind === 'StatefulSet') world.enqueue(controller, `${revision.namespace}/${owner.name}`);
    else if (owner === undefined && revision.type === 'DELETED') {
      // An orphan may have held the name of a pod of the set.
      const set = /^(.*)-\d+$/.exec(revision.name)?.[1];
      if (set !== undefined) world.enqueue(controller, `${revision.namespace}/${set}`);
    }
  });

  /** Makes the next step: creates, deletes or replaces pods in the order of their ordinals. */
  function* act(set: StatefulSet, owned: readonly Pod[], move: Move): Steps<void> {
    const start = set.spec?.ordinals?.start ?? 0;
    const end = start + (set.spec?.replicas ?? 1);
    const isOrdered = set.spec?.podManagementPolicy !== 'Parallel';
    const byOrdinal = new Map(owned.map((pod) => [ordinalOf(pod), pod]));
    const condemned = owned.filter((pod) => ordinalOf(pod) < start || ordinalOf(pod) >= end);
    condemned.sort((a, b) => ordinalOf(b) - ordinalOf(a));
    for (let ordinal = start; ordinal < end; ordinal++) {
      const pod = byOrdinal.get(ordinal);
      if (pod === undefined) yield* createPod(set, ordinal, move);
      else if (isFinished(pod) && !isTerminating(pod)) yield* replaceFailed(set, pod);
      else if (!isOrdered || isHealthy(set, pod)) continue;
      if (isOrdered) return;
    }
    const firstUnhealthy = condemned.findLast((pod) => !isReady(pod) || isTerminating(pod));
    for (const pod of condemned) {
      if (isTerminating(pod)) {
        if (isOrdered) return;
        continue;
      }
      if (isOrdered && !isReady(pod) && pod !== firstUnhealthy) return;
      yield* deletePod(set, pod);
      if (isOrdered) return;
    }
    if (set.spec?.updateStrategy?.type !== 'OnDelete') yield* rollUpdate(set, byOrdinal, start, end, move);
  }

  /** Replaces pods of older revisions, the last one first, as many at a time as may be unavailable. */
  function* rollUpdate(
    set: StatefulSet,
    byOrdinal: ReadonlyMap<number, Pod>,
    start: number,
    end: number,
    { update }: Move,
  ): Steps<void> {
    const { partition = 0, maxUnavailable } = set.spec?.updateStrategy?.rollingUpdate ?? {};
    const most = Math.max(1, countOf(maxUnavailable ?? 1, end - start, 'up'));
    let unavailable = 0;
    for (let ordinal = start; ordinal < end; ordinal++) {
      const pod = byOrdinal.get(ordinal);
      if (pod !== undefined && !isHealthy(set, pod)) unavailable++;
    }
    for (let ordinal = end - 1; ordinal >= start + partition; ordinal--) {
      const pod = byOrdinal.get(ordinal);
      if (pod === undefined) return;
      if (revisionOf(pod) !== update.metadata.name && !isTerminating(pod)) {
        const isDown = !isHealthy(set, pod);
        if (!isDown && unavailable >= most) return;
        yield* deletePod(set, pod);
        if (!isDown) unavailable++;
      }
      if (unavailable >= most) return;
    }
  }

  function isHealthy(set: StatefulSet, pod: Pod): boolean {
    return !isTerminating(pod) && availableInMs(pod, set.spec?.minReadySeconds, world.clock.now()) === 0;
  }

  function* createPod(set: StatefulSet, ordinal: number, move: Move): Steps<void> {
    const { namespace = '', name } = set.metadata;
    const podName = `${name}-${ordinal}`;
    // A pod of this name that the set does not own is in its way.
    if (pods.find(namespace, podName) !== undefined) return;
    yield* createClaims(set, ordinal, podName);
    const pod = podFor(set, ordinal, podName, needsCurrent(set, ordinal) ? move.current : move.update);
    yield* world.create(pods, namespace, pod);
    const message = `create Pod ${podName} in StatefulSet ${name} successful`;
    yield* world.record({ about: set, reason: 'SuccessfulCreate', message, component: COMPONENT });
  }

  function* createClaims(set: StatefulSet, ordinal: number, podName: string): Steps<void> {
    const { namespace = '', name } = set.metadata;
    for (const template of set.spec?.volumeClaimTemplates ?? []) {
      const claimName = `${template.metadata?.name}-${name}-${ordinal}`;
      if (claims.find(namespace, claimName) !== undefined) continue;
      const { annotations, labels } = template.metadata ?? {};
      const isDeletedWithSet = set.spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete';
      const { controller: _controller, blockOwnerDeletion: _block, ...owner } = controllerReference(set);
      yield* world.create(claims, namespace, {
        metadata: {
          name: claimName,
          labels: { ...labels, ...set.spec?.selector?.matchLabels },
          ...(annotations !== undefined && { annotations }),
          ...(isDeletedWithSet && { ownerReferences: [owner] }),
        },
        spec: structuredClone(template.spec ?? {}),
      });
      const message = `Create Claim ${claimName} Pod ${podName} in StatefulSet ${name} success`;
      yield* world.record({ about: set, reason: 'SuccessfulCreate', message, component: COMPONENT });
    }
  }

  function* deletePod(set: StatefulSet, pod: Pod): Steps<void> {
    yield* world.remove(pods, pod);
    const message = `delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
    yield* world.record({ about: set, reason: 'SuccessfulDelete', message, component: COMPONENT });
  }

  function* replaceFailed(set: StatefulSet, pod: Pod): Steps<void> {
    const { namespace, name } = pod.metadata;
    const message = `StatefulSet ${namespace}/${set.metadata.name} is recreating failed Pod ${name}`;
    yield* world.record({ about: set, type: 'Warning', reason: 'RecreatingFailedPod', message, component: COMPONENT });
    yield* deletePod(set, pod);
  }

  function* writeStatus(key: string, { current, update }: Move): Steps<void> {
    const set = statefulsets.get(key);
    if (set === undefined) return;
    const owned = pods.ownedBy(set.metadata.uid);
    const now = world.clock.now();
    const waits = owned.flatMap((pod) => availableInMs(pod, set.spec?.minReadySeconds, now) ?? []);
    const living = owned.filter((pod) => !isTerminating(pod));
    const of = ({ metadata }: ControllerRevision): number =>
      living.filter((pod) => revisionOf(pod) === metadata.name).length;
    const replicas = owned.length;
    const ready = owned.filter(isReady).length;
    const updated = of(update);
    const isRolling = set.spec?.updateStrategy?.type !== 'OnDelete';
    const isUpdated = isRolling && updated === replicas && ready === replicas;
    const currentRevision = isUpdated ? update : current;
    const currentReplicas = of(currentRevision);
    yield* world.writeStatus(statefulsets, set, {
      observedGeneration: set.metadata.generation,
      replicas,
      ...(ready > 0 && { readyReplicas: ready }),
      ...(currentReplicas > 0 && { currentReplicas }),
      ...(updated > 0 && { updatedReplicas: updated }),
      currentRevision: currentRevision.metadata.name,
      updateRevision: update.metadata.name,
      collisionCount: set.status?.collisionCount ?? 0,
      availableReplicas: waits.filter((inMs) => inMs === 0).length,
    });
    const next = Math.min(...waits.filter((inMs) => inMs > 0));
    if (next !== Number.POSITIVE_INFINITY) world.enqueue(controller, key, next);
  }
}

/** The ordinal in the name of a pod; -1 if it has none. */
function ordinalOf({ metadata }: Pod): number {
  return Number(/-(\d+)$/.exec(metadata.name)?.[1] ?? -1);
}

function revisionOf({ metadata }: Pod): string {
  return metadata.labels?.[REVISION_HASH_LABEL] ?? '';
}

/** Whether a new pod has the current revision, because the partition keeps its ordinal from the update. */
function needsCurrent({ spec, status }: StatefulSet, ordinal: number): boolean {
  if (spec?.updateStrategy?.type === 'OnDelete') return false;
  const start = spec?.ordinals?.start ?? 0;
  const { rollingUpdate } = spec?.updateStrategy ?? {};
  return ordinal < start + (rollingUpdate === undefined ? (status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0));
}

function podFor(set: StatefulSet, ordinal: number, name: string, revision: ControllerRevision): PodObject {
  const pod = podOf(set, templateOf(revision));
  pod.metadata.name = name;
  pod.metadata.labels = {
    ...pod.metadata.labels,
    [POD_NAME]: name,
    [POD_INDEX]: String(ordinal),
    [REVISION_HASH_LABEL]: revision.metadata.name,
  };
  pod.spec.hostname = name;
  if (set.spec?.serviceName) pod.spec.subdomain = set.spec.serviceName;
  const templates = set.spec?.volumeClaimTemplates ?? [];
  if (templates.length === 0) return pod;
  const own = templates.map((template) => {
    const volume = template.metadata?.name ?? '';
    return { name: volume, persistentVolumeClaim: { claimName: `${volume}-${set.metadata.name}-${ordinal}` } };
  });
  const others = (pod.spec.volumes ?? []).filter((volume) => !own.some((one) => one.name === volume.name));
  pod.spec.volumes = [...own, ...others];
  return pod;
}
