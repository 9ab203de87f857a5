import { StatusError } from '../../../../meta/errors/errors.js';
import type { ReplicaSet, ReplicaSetStatus } from '../../../../resources/types/apps-v1.js';
import type { Pod, ReplicationController } from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { claim, selectorOf } from '../claim.js';
import { controllerOf, type ObjectView } from '../object-view.js';
import { inOrderOfDeletion, isActive, isFinished, isTerminating, readinessOf } from '../pod-facts.js';
import { podOf } from '../pod-template.js';
import { keyOfObject, type WorkloadController, type World } from '../world.js';

/** How many pods are created or deleted in one go, as in kube-controller-manager. */
const BURST = 500;

/** Keeps as many pods as `spec.replicas` says: of ReplicaSets, or of the older ReplicationControllers. */
export function addReplicaSets(world: World, resource: 'replicasets' | 'replicationcontrollers'): void {
  const isOld = resource === 'replicationcontrollers';
  // Both have the same fields, except for the selector.
  const view = world.views[resource] as unknown as ObjectView<ReplicaSet>;
  const { pods } = world.views;
  const { kind } = view.resource;
  const component = isOld ? 'replication-controller' : 'replicaset-controller';

  const controller: WorkloadController = {
    name: component,
    *reconcile(key): Steps<void> {
      const set = view.get(key);
      if (set === undefined) return;
      const selector = selectorOf(isOld ? oldSelector(set) : set.spec?.selector);
      const owned = yield* claim(world, pods, set, selector);
      let failure: Failure | undefined;
      if (!isTerminating(set as unknown as Pod)) failure = yield* scale(set, owned.filter(isActive));
      yield* writeStatus(key, set, failure);
      if (failure !== undefined) throw failure.error;
    },
  };
  world.add(controller);
  world.follow(resource, controller);
  world.on('pods', (revision) => {
    for (const state of [revision, revision.previous]) {
      const owner = state && controllerOf(state);
      if (owner?.kind === kind) world.enqueue(controller, `${revision.namespace}/${owner.name}`);
    }
    if (controllerOf(revision) !== undefined || revision.type === 'DELETED') return;
    for (const set of view.list(revision.namespace)) {
      const selector = selectorOf(isOld ? oldSelector(set) : set.spec?.selector);
      if (!selector.matchesEverything && selector.matches(revision.labels)) world.enqueue(controller, keyOfObject(set));
    }
  });

  function* scale(set: ReplicaSet, active: readonly Pod[]): Steps<Failure | undefined> {
    const missing = (set.spec?.replicas ?? 1) - active.length;
    if (missing === 0) return undefined;
    const count = Math.min(Math.abs(missing), BURST);
    if (count < Math.abs(missing)) world.enqueue(controller, keyOfObject(set));
    try {
      if (missing > 0) for (let n = 0; n < count; n++) yield* createPod(set);
      else for (const pod of inOrderOfDeletion(active).slice(0, count)) yield* deletePod(set, pod);
      return undefined;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const reason = missing > 0 ? 'FailedCreate' : 'FailedDelete';
      const message = `Error ${missing > 0 ? 'creating' : 'deleting'}: ${error.message}`;
      yield* world.record({ about: set, type: 'Warning', reason, message, component });
      return { reason, message: error.message, error };
    }
  }

  function* createPod(set: ReplicaSet): Steps<void> {
    const template = set.spec?.template ?? {};
    const pod = yield* world.create(pods, set.metadata.namespace ?? '', podOf(set, template));
    const message = `Created pod: ${pod.metadata.name}`;
    yield* world.record({ about: set, reason: 'SuccessfulCreate', message, component });
  }

  function* deletePod(set: ReplicaSet, pod: Pod): Steps<void> {
    yield* world.remove(pods, pod);
    const message = `Deleted pod: ${pod.metadata.name}`;
    yield* world.record({ about: set, reason: 'SuccessfulDelete', message, component });
  }

  function* writeStatus(key: string, old: ReplicaSet, failure: Failure | undefined): Steps<void> {
    const set = view.get(key);
    if (set === undefined || set.metadata.uid !== old.metadata.uid) return;
    const all = pods.ownedBy(set.metadata.uid);
    const active = all.filter(isActive);
    const { ready, available, nextInMs } = readinessOf(active, set.spec?.minReadySeconds, world.clock.now());
    const wanted = Object.entries(set.spec?.template?.metadata?.labels ?? {});
    const labeled = active.filter(({ metadata }) => wanted.every(([name, value]) => metadata.labels?.[name] === value));
    const terminating = all.filter((pod) => isTerminating(pod) && !isFinished(pod)).length;
    const conditions = conditionsOf(set.status, failure);
    yield* world.writeStatus(view, set, {
      replicas: active.length,
      ...(labeled.length > 0 && { fullyLabeledReplicas: labeled.length }),
      ...(ready > 0 && { readyReplicas: ready }),
      ...(available > 0 && { availableReplicas: available }),
      ...(!isOld && { terminatingReplicas: terminating }),
      observedGeneration: set.metadata.generation,
      ...(conditions.length > 0 && { conditions }),
    });
    if (nextInMs !== undefined) world.enqueue(controller, key, nextInMs);
  }

  function conditionsOf(
    status: ReplicaSetStatus | undefined,
    failure: Failure | undefined,
  ): NonNullable<ReplicaSetStatus['conditions']> {
    const others = (status?.conditions ?? []).filter(({ type }) => type !== 'ReplicaFailure');
    if (failure === undefined) return others;
    const known = status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
    const { reason, message } = failure;
    const lastTransitionTime = known?.lastTransitionTime ?? world.timestamp();
    return [...others, { type: 'ReplicaFailure', status: 'True', lastTransitionTime, reason, message }];
  }
}

interface Failure {
  readonly reason: string;
  readonly message: string;
  readonly error: StatusError;
}

const oldSelectors = new WeakMap<object, { matchLabels: Record<string, string> }>();

/** The selector of a ReplicationController is a map of labels. */
function oldSelector(set: ReplicaSet): { matchLabels: Record<string, string> } {
  const { spec } = set as unknown as ReplicationController;
  let selector = oldSelectors.get(set);
  if (selector === undefined) oldSelectors.set(set, (selector = { matchLabels: spec?.selector ?? {} }));
  return selector;
}
