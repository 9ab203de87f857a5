import { KubeflectError } from '../../meta/errors/errors.js';
import type { DeepReadonly } from '../../meta/objects.js';
import { requireString } from '../../meta/options/validate.js';
import type { DaemonSet, Deployment, StatefulSet } from '../../resources/types/apps-v1.js';
import type { Job } from '../../resources/types/batch-v1.js';

/**
 * Looks at the present state of an object, undefined if it does not exist. Returns true if the wait is over, otherwise false
 * or what is still missing, which timeouts and progress report. Throws if the wait is in vain.
 */
export type WaitCondition<T> = (object: DeepReadonly<T> | undefined) => boolean | string;

/** The condition cannot hold any more: the object was deleted, the rollout or the Job failed, or the pod has ended. */
export class ConditionImpossibleError extends KubeflectError {
  static {
    ConditionImpossibleError.prototype.name = 'ConditionImpossibleError';
  }

  constructor(message: string) {
    super('CONDITION_IMPOSSIBLE', message);
  }
}

/** The parts of any object that the conditions read. */
interface Observed {
  readonly kind?: string | undefined;
  readonly metadata: { readonly name?: string | undefined; readonly generation?: number | undefined };
  readonly status?: {
    readonly observedGeneration?: number | undefined;
    /** Servers may write null for an empty list. */
    readonly conditions?: readonly StatusCondition[] | null | undefined;
  };
}

interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration?: number | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

const ABSENT = 'it does not exist';
const UNOBSERVED = 'the controller has not observed the newest spec';

/**
 * Conditions for `client.waitFor`. They are plain functions, so that they also judge an object of a cache:
 * `conditions.rolledOut(deployment) === true`.
 */
export const conditions = {
  /**
   * A Deployment, StatefulSet or DaemonSet runs its newest template with all replicas, as `kubectl rollout status` decides.
   * Throws when a Deployment exceeds its progress deadline, and for the strategy `OnDelete`.
   */
  rolledOut(object: DeepReadonly<Deployment | StatefulSet | DaemonSet> | undefined): boolean | string {
    if (object === undefined) return ABSENT;
    const { kind } = object;
    if (kind === 'Deployment') return deploymentRolledOut(object as DeepReadonly<Deployment>);
    if (kind === 'StatefulSet') return statefulSetRolledOut(object as DeepReadonly<StatefulSet>);
    if (kind === 'DaemonSet') return daemonSetRolledOut(object as DeepReadonly<DaemonSet>);
    throw new TypeError(`rolledOut is for Deployments, StatefulSets and DaemonSets, got the kind ${kind}`);
  },

  /** A Job is complete. Throws when it fails. */
  complete(job: DeepReadonly<Job> | undefined): boolean | string {
    return jobEnded(job, 'Complete', 'Failed');
  },

  /** A Job has failed. Throws when it completes. */
  failed(job: DeepReadonly<Job> | undefined): boolean | string {
    return jobEnded(job, 'Failed', 'Complete');
  },

  /** The object exists. */
  exists(object: unknown): boolean | string {
    return object !== undefined || ABSENT;
  },

  /** The object does not exist. Its finalizers are named while it is being deleted. */
  deleted(object: DeepReadonly<{ readonly metadata?: unknown }> | undefined): boolean | string {
    if (object === undefined) return true;
    const { deletionTimestamp, finalizers } = (object.metadata ?? {}) as {
      readonly deletionTimestamp?: string;
      readonly finalizers?: readonly string[];
    };
    if (!deletionTimestamp) return 'it exists';
    return finalizers?.length ? `it is being deleted; finalizers: ${finalizers.join(', ')}` : 'it is being deleted';
  },

  /**
   * `status.conditions` has a condition of this type with this status, both in upper or lower case, for the newest
   * generation of the object.
   */
  has(type: string, status: string = 'True'): (object: DeepReadonly<object> | undefined) => boolean | string {
    const [wantedType, wantedStatus] = [requireString('type', type), requireString('status', status)].map(lower);
    return (given) => {
      if (given === undefined) return ABSENT;
      const object = given as Observed;
      if (isUnobserved(object, object.status?.observedGeneration)) return UNOBSERVED;
      const found = object.status?.conditions?.find((one) => lower(one.type) === wantedType);
      if (found === undefined) return `it has no condition ${type}`;
      if (isUnobserved(object, found.observedGeneration)) return UNOBSERVED;
      return lower(found.status) === wantedStatus || `its condition ${describe(found)}, not ${status}`;
    };
  },
} as const;

function lower(text: string): string {
  return text.toLowerCase();
}

function isUnobserved(object: Observed, observedGeneration: number | undefined): boolean {
  return observedGeneration !== undefined && observedGeneration < (object.metadata.generation ?? 0);
}

/** As `Ready is False (CrashLoopBackOff: back-off 5m0s)`. */
function describe({ type, status, reason, message }: StatusCondition): string {
  const why = [reason, message].filter((part) => part).join(': ');
  return `${type} is ${status}${why === '' ? '' : ` (${why})`}`;
}

function deploymentRolledOut({ metadata, spec, status = {} }: DeepReadonly<Deployment>): boolean | string {
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) return UNOBSERVED;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const progressing = status.conditions?.find((one) => one.type === 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') {
    throw new ConditionImpossibleError(`the Deployment ${metadata.name} exceeded its progress deadline`);
  }
  const wanted = spec?.replicas ?? 1;
  if (updatedReplicas < wanted) return `${updatedReplicas} of ${wanted} replicas have the newest template`;
  if (replicas > updatedReplicas) return `${replicas - updatedReplicas} old replicas have not ended`;
  return availableReplicas >= updatedReplicas || `${availableReplicas} of ${updatedReplicas} replicas are available`;
}

function statefulSetRolledOut({ metadata, spec, status }: DeepReadonly<StatefulSet>): boolean | string {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  checkStrategy('StatefulSet', metadata.name, type);
  if (!status?.observedGeneration || status.observedGeneration < (metadata.generation ?? 0)) return UNOBSERVED;
  const wanted = spec?.replicas ?? 1;
  const { readyReplicas = 0, updatedReplicas = 0, updateRevision, currentRevision } = status;
  if (readyReplicas < wanted) return `${readyReplicas} of ${wanted} replicas are ready`;
  const partition = rollingUpdate?.partition ?? 0;
  if (partition > 0) {
    const part = wanted - partition;
    return (
      updatedReplicas >= part || `${updatedReplicas} of ${part} replicas above the partition have the newest template`
    );
  }
  return updateRevision === currentRevision || `${updatedReplicas} of ${wanted} replicas have the newest template`;
}

function daemonSetRolledOut({ metadata, spec, status }: DeepReadonly<DaemonSet>): boolean | string {
  checkStrategy('DaemonSet', metadata.name, spec?.updateStrategy?.type);
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return UNOBSERVED;
  const { desiredNumberScheduled: wanted = 0, updatedNumberScheduled = 0, numberAvailable = 0 } = status ?? {};
  if (updatedNumberScheduled < wanted) return `${updatedNumberScheduled} of ${wanted} pods have the newest template`;
  return numberAvailable >= wanted || `${numberAvailable} of ${wanted} pods are available`;
}

function checkStrategy(kind: string, name: string | undefined, type: string | undefined): void {
  if (type === undefined || type === 'RollingUpdate') return;
  throw new ConditionImpossibleError(
    `the ${kind} ${name} has the strategy ${type}: only RollingUpdate replaces pods by itself`,
  );
}

function jobEnded(job: DeepReadonly<Job> | undefined, wanted: string, other: string): boolean | string {
  if (job === undefined) return ABSENT;
  const { conditions: list, active = 0, succeeded = 0, failed = 0 } = job.status ?? {};
  const isTrue = (type: string) => list?.find((one) => one.type === type && one.status === 'True');
  if (isTrue(wanted) !== undefined) return true;
  const end = isTrue(other);
  if (end !== undefined) {
    throw new ConditionImpossibleError(`the Job ${job.metadata.name} will not be ${wanted}: ${describe(end)}`);
  }
  return `its pods: ${active} active, ${succeeded} succeeded, ${failed} failed`;
}
