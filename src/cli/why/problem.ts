import { ConditionImpossibleError, conditions } from '../../client/wait/conditions.js';
import type { DeepReadonly, Unstructured } from '../../meta/objects.js';
import { type Fields, fields, list, number, text } from '../object-fields.js';
import { age } from '../terminal/columns.js';
import { because, podProblem } from './pod-problem.js';

/** What is wrong with an object, as its metadata and status show it, in one sentence; undefined if nothing is. */
export function problemOf(object: DeepReadonly<Unstructured>, now: number): string | undefined {
  return deletionProblem(object, now) ?? kindProblem(object, now) ?? conditionProblem(object) ?? unobserved(object);
}

function deletionProblem({ metadata }: DeepReadonly<Unstructured>, now: number): string | undefined {
  const { deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  const since = Date.parse(deletionTimestamp);
  // For pods the time is in the future: the end of their grace period.
  const when = since > now ? `ends within ${age(since - now)}` : `is being deleted for ${age(now - since)}`;
  return finalizers.length === 0 ? `it ${when}` : `it ${when}, and waits for its finalizers: ${finalizers.join(', ')}`;
}

function kindProblem(object: DeepReadonly<Unstructured>, now: number): string | undefined {
  const status = fields(object['status']);
  const phase = text(status['phase']);
  switch (object.kind) {
    case 'Pod':
      return podProblem(object as Fields, now);
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
      return rolloutProblem(object);
    case 'ReplicaSet':
    case 'ReplicationController': {
      const wanted = number(fields(object['spec'])['replicas']) ?? 1;
      const ready = number(status['readyReplicas']) ?? 0;
      const failure = failedCondition(status);
      return failure ?? (ready < wanted ? `${ready} of ${wanted} replicas are ready` : undefined);
    }
    case 'PersistentVolumeClaim':
      if (phase === 'Pending') return 'no volume is bound to it: is there a provisioner for its storage class?';
      return phase === 'Lost' ? 'its volume is lost' : undefined;
    case 'PersistentVolume':
      return phase === 'Failed' ? `it has failed: ${because(status)}` : undefined;
    default:
      return undefined;
  }
}

function rolloutProblem(object: DeepReadonly<Unstructured>): string | undefined {
  const failure = failedCondition(fields(object['status']));
  if (failure !== undefined) return failure;
  const { strategy, updateStrategy } = fields(object['spec']);
  // It is never over: pods are replaced when they are deleted.
  if (text(fields(updateStrategy ?? strategy)['type']) === 'OnDelete') return undefined;
  try {
    const answer = conditions.rolledOut(object as never);
    return typeof answer === 'string' ? answer : undefined;
  } catch (error) {
    if (error instanceof ConditionImpossibleError) return error.message;
    throw error;
  }
}

/** Conditions that are bad if they are True. All others are bad if they are False. */
const badIfTrue = new Set([
  'Failed',
  'FailureTarget',
  'ReplicaFailure',
  'Degraded',
  'Stalled',
  'DiskPressure',
  'MemoryPressure',
  'PIDPressure',
  'NetworkUnavailable',
  'NamesNotAccepted',
  'NonStructuralSchema',
]);
/** Conditions that say that something is wrong if they are False; others may just not be the case. */
const badIfFalse = new Set([
  'Ready',
  'Available',
  'Healthy',
  'Established',
  'NamesAccepted',
  'Synced',
  'Reconciled',
  'Initialized',
  'PodScheduled',
  'ContainersReady',
  'Accepted',
  'Programmed',
  'ResolvedRefs',
]);

/** Whether a condition says that something is wrong. */
export function isBadCondition(condition: Fields): boolean {
  const type = text(condition['type']);
  const isNamespaceProblem = /^Namespace.*(?:Failure|Remaining)$/.test(type);
  if (badIfTrue.has(type) || isNamespaceProblem) return condition['status'] === 'True';
  return (
    badIfFalse.has(type) && (condition['status'] === 'False' || (type === 'Ready' && condition['status'] === 'Unknown'))
  );
}

function failedCondition(status: Fields): string | undefined {
  const failed = list(status['conditions']).find((one) => isBadCondition(one) && badIfTrue.has(text(one['type'])));
  return failed === undefined ? undefined : `${text(failed['type'])}: ${because(failed)}`;
}

function conditionProblem(object: DeepReadonly<Unstructured>): string | undefined {
  const bad = list(fields(object['status'])['conditions']).find(isBadCondition);
  if (bad === undefined) return undefined;
  const why = because(bad);
  return `${text(bad['type'])} is ${text(bad['status'])}${why === '' ? '' : `: ${why}`}`;
}

function unobserved(object: DeepReadonly<Unstructured>): string | undefined {
  const observed = number(fields(object['status'])['observedGeneration']);
  const { generation } = object.metadata;
  if (observed === undefined || generation === undefined || observed >= generation) return undefined;
  return `its controller has seen generation ${observed}, and it has ${generation}: is the controller running?`;
}
