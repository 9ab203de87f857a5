import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../../../resources/types/apps-v1.js';
import { fenceposts, replicasOf } from './rollout.js';

/** Kubernetes' value for "no deadline". */
const NO_DEADLINE = 2_147_483_647;

/** Whether a Deployment that makes no progress fails. */
export function hasDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE;
}

/** A condition without its times. */
export type ConditionNews = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Replaces a condition, unless it has the same status and reason. */
export function withCondition(
  conditions: readonly DeploymentCondition[],
  news: ConditionNews,
  now: string,
  renew = false,
): readonly DeploymentCondition[] {
  const known = conditions.find(({ type }) => type === news.type);
  if (!renew && known?.status === news.status && known.reason === news.reason) return conditions;
  const lastTransitionTime = known?.status === news.status ? known.lastTransitionTime : now;
  const { type, status, reason, message } = news;
  const next = { type, status, lastUpdateTime: now, lastTransitionTime, reason, message };
  return [...conditions.filter((one) => one !== known), next];
}

/** The status of a Deployment as its ReplicaSets make it, with the condition `Available`. */
export function countedStatus(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  conditions: readonly DeploymentCondition[],
  now: string,
): DeploymentStatus {
  const total = (count: (set: ReplicaSet) => number | undefined): number =>
    sets.reduce((sum, set) => sum + (count(set) ?? 0), 0);
  const replicas = total(({ status }) => status?.replicas);
  const ready = total(({ status }) => status?.readyReplicas);
  const available = total(({ status }) => status?.availableReplicas);
  const updated = newSet?.status?.replicas ?? 0;
  const unavailable = Math.max(0, total(replicasOf) - available);
  const isAvailable = available >= replicasOf(deployment) - fenceposts(deployment).unavailable;
  const collisionCount = deployment.status?.collisionCount;
  return {
    observedGeneration: deployment.metadata.generation,
    ...(replicas > 0 && { replicas }),
    ...(updated > 0 && { updatedReplicas: updated }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    ...(unavailable > 0 && { unavailableReplicas: unavailable }),
    terminatingReplicas: total(({ status }) => status?.terminatingReplicas),
    conditions: [...withCondition(conditions, isAvailable ? AVAILABLE : UNAVAILABLE, now)],
    ...(collisionCount !== undefined && { collisionCount }),
  };
}

const AVAILABLE: ConditionNews = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
};
const UNAVAILABLE: ConditionNews = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
};

/** Whether all pods of a Deployment are of its present template and available. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  return (
    updatedReplicas === wanted &&
    replicas === wanted &&
    availableReplicas === wanted &&
    observedGeneration >= (deployment.metadata.generation ?? 0)
  );
}

/** The status of a rollout: {@link countedStatus} with the conditions `Progressing` and `ReplicaFailure`. */
export function rolloutStatus(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  known: readonly DeploymentCondition[],
  nowMs: number,
  now: string,
): DeploymentStatus {
  const status = countedStatus(deployment, sets, newSet, known, now);
  let conditions: readonly DeploymentCondition[] = status.conditions ?? [];
  const progressing = conditions.find(({ type }) => type === 'Progressing');
  const isDone =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && progressing?.reason === 'NewReplicaSetAvailable';
  if (!hasDeadline(deployment)) conditions = conditions.filter(({ type }) => type !== 'Progressing');
  else if (!isDone) {
    const about = newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`;
    const news = (condition: 'True' | 'False', reason: string, message: string): ConditionNews => ({
      type: 'Progressing',
      status: condition,
      reason,
      message: `${about} ${message}`,
    });
    if (isComplete(deployment, status)) {
      conditions = withCondition(conditions, news('True', 'NewReplicaSetAvailable', 'has successfully progressed.'), now);
    } else if (hasProgressed(deployment.status, status)) {
      const message = 'is progressing.';
      conditions = withCondition(conditions, news('True', 'ReplicaSetUpdated', message), now, true);
    } else if (isTimedOut(deployment, progressing, nowMs)) {
      const message = 'has timed out progressing.';
      conditions = withCondition(conditions, news('False', 'ProgressDeadlineExceeded', message), now);
    }
  }
  const failure = sets.flatMap((set) => set.status?.conditions ?? []).find(({ type }) => type === 'ReplicaFailure');
  if (failure === undefined) conditions = conditions.filter(({ type }) => type !== 'ReplicaFailure');
  else {
    const { reason, message } = failure;
    conditions = withCondition(conditions, { type: 'ReplicaFailure', status: failure.status, reason, message }, now);
  }
  return { ...status, conditions: [...conditions] };
}

function hasProgressed(old: DeploymentStatus = {}, status: DeploymentStatus): boolean {
  const outdated = (one: DeploymentStatus): number => (one.replicas ?? 0) - (one.updatedReplicas ?? 0);
  return (
    (status.updatedReplicas ?? 0) > (old.updatedReplicas ?? 0) ||
    outdated(status) < outdated(old) ||
    (status.readyReplicas ?? 0) > (old.readyReplicas ?? 0) ||
    (status.availableReplicas ?? 0) > (old.availableReplicas ?? 0)
  );
}

/** Milliseconds until a rollout without progress fails; undefined if it cannot fail now. */
export function deadlineInMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
  if (!hasDeadline(deployment) || progressing === undefined) return undefined;
  if (['NewReplicaSetAvailable', 'ProgressDeadlineExceeded', 'DeploymentPaused'].includes(progressing.reason ?? '')) {
    return undefined;
  }
  const since = Date.parse(progressing.lastUpdateTime ?? '');
  // A second more: the times in conditions have no fractions.
  return since + (deployment.spec!.progressDeadlineSeconds! + 1) * 1000 - nowMs;
}

function isTimedOut(deployment: Deployment, progressing: DeploymentCondition | undefined, nowMs: number): boolean {
  if (progressing === undefined || progressing.reason === 'NewReplicaSetAvailable') return false;
  if (progressing.reason === 'ProgressDeadlineExceeded') return true;
  const since = Date.parse(progressing.lastUpdateTime ?? '');
  return since + deployment.spec!.progressDeadlineSeconds! * 1000 < nowMs;
}
