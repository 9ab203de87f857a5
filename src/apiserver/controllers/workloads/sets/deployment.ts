import { StatusError } from '../../../../meta/errors/errors.js';
import type { Deployment, ReplicaSet } from '../../../../resources/types/apps-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { claim, selectorOf } from '../claim.js';
import { controllerOf } from '../object-view.js';
import { isFinished } from '../pod-facts.js';
import { hashOf, isSameTemplate, TEMPLATE_HASH_LABEL } from '../pod-template.js';
import { controllerReference, keyOfObject, type WorkloadController, type World } from '../world.js';
import {
  type ConditionNews,
  countedStatus,
  deadlineInMs,
  hasDeadline,
  isComplete,
  rolloutStatus,
  withCondition,
} from './deployment-status.js';
import {
  byAge,
  DESIRED,
  fenceposts,
  isActiveSet,
  MAX,
  nextSizeOfNew,
  proportional,
  REVISION,
  REVISION_HISTORY,
  replicasOf,
  revisionOf,
  type Sizes,
  shrinkOld,
} from './rollout.js';

const COMPONENT = 'deployment-controller';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Annotations of a Deployment that its ReplicaSets do not get, and those of ReplicaSets that it does not set. */
const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  LAST_APPLIED,
  REVISION,
  REVISION_HISTORY,
  DESIRED,
  MAX,
  'deprecated.deployment.rollback.to',
]);

/** The ReplicaSets of a Deployment: the one of its present template, and the others. */
interface Sets {
  readonly newSet: ReplicaSet | undefined;
  readonly oldSets: readonly ReplicaSet[];
}

/** Rolls the pods of Deployments from one ReplicaSet to the next. */
export function addDeployments(world: World): void {
  const { deployments, replicasets, pods } = world.views;

  const controller: WorkloadController = {
    name: COMPONENT,
    *reconcile(key): Steps<void> {
      const deployment = deployments.get(key);
      if (deployment === undefined) return;
      const selector = selectorOf(deployment.spec?.selector);
      if (selector.matchesEverything) return;
      const sets = yield* claim(world, replicasets, deployment, selector);
      if (deployment.metadata.deletionTimestamp !== undefined) {
        const newSet = newOf(deployment, sets);
        const now = world.timestamp();
        const known = deployment.status?.conditions ?? [];
        yield* world.writeStatus(deployments, deployment, countedStatus(deployment, sets, newSet, known, now));
        return;
      }
      yield* notePause(deployment);
      if (deployment.spec?.paused === true || sets.some((set) => isRescaled(deployment, set))) {
        yield* scaleOnly(key, sets);
      } else if (deployment.spec?.strategy?.type === 'Recreate') yield* recreate(key, sets);
      else yield* roll(key, sets);
    },
  };
  world.add(controller);
  world.follow('deployments', controller);
  world.on('replicasets', (revision) => {
    for (const state of [revision, revision.previous]) {
      const owner = state && controllerOf(state);
      if (owner?.kind === 'Deployment') world.enqueue(controller, `${revision.namespace}/${owner.name}`);
    }
    if (controllerOf(revision) !== undefined || revision.type === 'DELETED') return;
    for (const deployment of deployments.list(revision.namespace)) {
      if (selectorOf(deployment.spec?.selector).matches(revision.labels)) {
        world.enqueue(controller, keyOfObject(deployment));
      }
    }
  });
  // A Recreate rollout waits for the last old pod.
  world.on('pods', (revision) => {
    const owner = controllerOf(revision);
    if (revision.type !== 'DELETED' || owner?.kind !== 'ReplicaSet') return;
    const set = replicasets.find(revision.namespace, owner.name);
    const deployment = set?.metadata.ownerReferences?.find(({ kind }) => kind === 'Deployment');
    if (deployment !== undefined) world.enqueue(controller, `${revision.namespace}/${deployment.name}`);
  });

  function* notePause(deployment: Deployment): Steps<void> {
    if (!hasDeadline(deployment)) return;
    const known = deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
    if (known?.reason === 'ProgressDeadlineExceeded') return;
    const isPaused = deployment.spec?.paused === true;
    const wasPaused = known?.reason === 'DeploymentPaused';
    if (isPaused === wasPaused) return;
    const news: ConditionNews = isPaused
      ? { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' }
      : { type: 'Progressing', status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' };
    yield* addCondition(deployment, news);
  }

  function* addCondition(deployment: Deployment, news: ConditionNews): Steps<void> {
    yield* world.updateStatus(deployments, deployment, (latest) => {
      const conditions = withCondition(latest.status?.conditions ?? [], news, world.timestamp());
      latest.status = { ...latest.status, conditions: [...conditions] };
    });
  }

  /** Follows a change of `spec.replicas`, or scales a paused Deployment. */
  function* scaleOnly(key: string, all: readonly ReplicaSet[]): Steps<void> {
    const deployment = deployments.get(key)!;
    const sets = yield* findSets(deployment, all, false);
    yield* resize(deployment, proportional(deployment, sets.newSet, sets.oldSets), true);
    if (deployment.spec?.paused === true) yield* trimHistory(deployment, sets.oldSets);
    const latest = deployments.get(key);
    if (latest === undefined) return;
    const present = refreshed(sets);
    const known = latest.status?.conditions ?? [];
    const status = countedStatus(latest, listOf(present), present.newSet, known, world.timestamp());
    yield* world.writeStatus(deployments, latest, status);
  }

  function* roll(key: string, all: readonly ReplicaSet[]): Steps<void> {
    const sets = yield* findSets(deployments.get(key)!, all, true);
    const deployment = deployments.get(key);
    const { newSet, oldSets } = sets;
    if (deployment === undefined || newSet === undefined) return;
    const present = replicasOf(newSet);
    const wanted = replicasOf(deployment);
    const size = present > wanted ? wanted : nextSizeOfNew(deployment, listOf(sets), present);
    if (size !== present) yield* resize(deployment, [[newSet, size]]);
    else {
      const sizes = shrinkOld(deployment, newSet, oldSets);
      yield* resize(deployment, sizes);
      if (sizes.length === 0 && isComplete(deployment, deployment.status ?? {})) yield* trimHistory(deployment, oldSets);
    }
    yield* writeRollout(key, sets);
  }

  /** Ends all old pods before it starts new ones. */
  function* recreate(key: string, all: readonly ReplicaSet[]): Steps<void> {
    let sets = yield* findSets(deployments.get(key)!, all, false);
    const active = sets.oldSets.filter(isActiveSet);
    if (active.length > 0) {
      yield* resize(deployments.get(key)!, active.map((set) => [set, 0] as const));
      yield* writeRollout(key, sets);
      return;
    }
    if (sets.oldSets.some((set) => pods.ownedBy(set.metadata.uid).some((pod) => !isFinished(pod)))) {
      yield* writeRollout(key, sets);
      return;
    }
    sets = yield* findSets(deployments.get(key)!, all, true);
    const deployment = deployments.get(key);
    if (deployment === undefined || sets.newSet === undefined) return;
    const wanted = replicasOf(deployment);
    if (replicasOf(sets.newSet) !== wanted) yield* resize(deployment, [[sets.newSet, wanted]]);
    if (isComplete(deployment, deployment.status ?? {})) yield* trimHistory(deployment, sets.oldSets);
    yield* writeRollout(key, sets);
  }

  /** Finds or creates the ReplicaSet of the present template, and gives it the next revision. */
  function* findSets(deployment: Deployment, all: readonly ReplicaSet[], creates: boolean): Steps<Sets> {
    const known = newOf(deployment, all);
    const oldSets = all.filter((set) => set !== known);
    const revision = Math.max(0, ...oldSets.map(({ metadata }) => revisionOf(metadata.annotations))) + 1;
    if (known === undefined) {
      if (!creates) return { newSet: undefined, oldSets };
      const newSet = yield* createSet(deployment, oldSets, revision);
      return { newSet, oldSets };
    }
    const annotations = annotationsOf(deployment, known, revision);
    const minReadySeconds = deployment.spec?.minReadySeconds;
    yield* world.update(replicasets, known, (latest) => {
      latest.metadata.annotations = { ...latest.metadata.annotations, ...annotations };
      if (minReadySeconds === undefined) delete latest.spec!.minReadySeconds;
      else latest.spec!.minReadySeconds = minReadySeconds;
    });
    const found: ConditionNews | undefined =
      hasDeadline(deployment) && !deployment.status?.conditions?.some(({ type }) => type === 'Progressing')
        ? progress('FoundNewReplicaSet', `Found new replica set "${known.metadata.name}"`)
        : undefined;
    yield* noteRevision(deployment, annotations[REVISION]!, found);
    return refreshed({ newSet: known, oldSets });
  }

  /** The revision of a Deployment is that of its new ReplicaSet, and is written with the status. */
  function* noteRevision(deployment: Deployment, revision: string, news: ConditionNews | undefined): Steps<void> {
    if (deployment.metadata.annotations?.[REVISION] === revision && news === undefined) return;
    yield* world.updateStatus(deployments, deployment, (latest) => {
      latest.metadata.annotations = { ...latest.metadata.annotations, [REVISION]: revision };
      if (news === undefined) return;
      const conditions = withCondition(latest.status?.conditions ?? [], news, world.timestamp());
      latest.status = { ...latest.status, conditions: [...conditions] };
    });
  }

  function* createSet(
    deployment: Deployment,
    oldSets: readonly ReplicaSet[],
    revision: number,
  ): Steps<ReplicaSet | undefined> {
    const { namespace = '', name } = deployment.metadata;
    const collisions = deployment.status?.collisionCount ?? 0;
    const hash = hashOf(deployment.spec?.template, collisions);
    const template = structuredClone(deployment.spec!.template);
    template.metadata = { ...template.metadata, labels: { ...template.metadata?.labels, [TEMPLATE_HASH_LABEL]: hash } };
    const selector = structuredClone(deployment.spec!.selector);
    selector.matchLabels = { ...selector.matchLabels, [TEMPLATE_HASH_LABEL]: hash };
    const replicas = nextSizeOfNew(deployment, oldSets, 0);
    const { minReadySeconds } = deployment.spec!;
    const set = {
      metadata: {
        name: `${name}-${hash}`,
        labels: template.metadata.labels,
        annotations: { ...inherited(deployment), ...sizeAnnotations(deployment), [REVISION]: String(revision) },
        ownerReferences: [controllerReference(deployment)],
      },
      spec: { replicas, ...(minReadySeconds !== undefined && { minReadySeconds }), selector, template },
    };
    let created: ReplicaSet;
    try {
      created = yield* world.create(replicasets, namespace, structuredClone(set));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const isCollision = error.status === 409;
      if (isCollision) {
        yield* world.updateStatus(deployments, deployment, (latest) => {
          latest.status = { ...latest.status, collisionCount: collisions + 1 };
        });
        return undefined;
      }
      const message = `Failed to create new replica set "${name}-${hash}": ${error.message}`;
      if (hasDeadline(deployment)) {
        yield* addCondition(deployment, { ...progress('ReplicaSetCreateError', message), status: 'False' });
      }
      yield* world.record({
        about: deployment,
        type: 'Warning',
        reason: 'ReplicaSetCreateError',
        message,
        component: COMPONENT,
      });
      throw error;
    }
    if (replicas > 0) yield* recordScaling(deployment, created, 0, replicas);
    const news = progress('NewReplicaSetCreated', `Created new replica set "${created.metadata.name}"`);
    yield* noteRevision(deployment, String(revision), hasDeadline(deployment) ? news : undefined);
    return created;
  }

  function* recordScaling(deployment: Deployment, set: ReplicaSet, from: number, to: number): Steps<void> {
    const direction = to > from ? 'up' : 'down';
    const message = `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${to}`;
    yield* world.record({ about: deployment, reason: 'ScalingReplicaSet', message, component: COMPONENT });
  }

  function* resize(deployment: Deployment, sizes: Sizes, all = false): Steps<void> {
    const annotations = sizeAnnotations(deployment);
    const sets = new Map(sizes);
    // After a change of `spec.replicas` every ReplicaSet with pods notes the new size.
    if (all) {
      for (const set of replicasets.ownedBy(deployment.metadata.uid)) {
        if (isActiveSet(set) && ![...sets.keys()].some(({ metadata }) => metadata.uid === set.metadata.uid)) {
          sets.set(set, replicasOf(set));
        }
      }
    }
    for (const [set, replicas] of sets) {
      const before = replicasOf(set);
      yield* world.update(replicasets, set, (latest) => {
        latest.spec!.replicas = replicas;
        latest.metadata.annotations = { ...latest.metadata.annotations, ...annotations };
      });
      if (before !== replicas) yield* recordScaling(deployment, set, before, replicas);
    }
  }

  /** Deletes old ReplicaSets without pods beyond `revisionHistoryLimit`. */
  function* trimHistory(deployment: Deployment, oldSets: readonly ReplicaSet[]): Steps<void> {
    const limit = deployment.spec?.revisionHistoryLimit ?? 10;
    const kept = oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const sorted = [...kept].sort((a, b) => revisionOf(a.metadata.annotations) - revisionOf(b.metadata.annotations));
    for (const set of sorted.slice(0, Math.max(0, kept.length - limit))) {
      const isIdle = replicasOf(set) === 0 && (set.status?.replicas ?? 0) === 0;
      if (isIdle && (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0)) {
        yield* world.remove(replicasets, set);
      }
    }
  }

  function* writeRollout(key: string, sets: Sets): Steps<void> {
    const deployment = deployments.get(key);
    if (deployment === undefined) return;
    const present = refreshed(sets);
    const nowMs = world.clock.now();
    const known = deployment.status?.conditions ?? [];
    const status = rolloutStatus(deployment, listOf(present), present.newSet, known, nowMs, world.timestamp());
    yield* world.writeStatus(deployments, deployment, status);
    const inMs = deadlineInMs(deployment, status, nowMs);
    if (inMs !== undefined) world.enqueue(controller, key, Math.max(1, inMs));
  }

  function refreshed({ newSet, oldSets }: Sets): Sets {
    const latest = (set: ReplicaSet): ReplicaSet[] => {
      const found = replicasets.get(keyOfObject(set));
      return found?.metadata.uid === set.metadata.uid ? [found] : [];
    };
    return { newSet: newSet && latest(newSet)[0], oldSets: oldSets.flatMap(latest) };
  }
}

function progress(reason: string, message: string): ConditionNews {
  return { type: 'Progressing', status: 'True', reason, message };
}

function listOf({ newSet, oldSets }: Sets): ReplicaSet[] {
  return newSet === undefined ? [...oldSets] : [...oldSets, newSet];
}

/** The oldest ReplicaSet of the present template. */
function newOf(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return byAge(sets).find(({ spec }) => isSameTemplate(spec?.template, deployment.spec?.template));
}

function isRescaled(deployment: Deployment, set: ReplicaSet): boolean {
  const desired = set.metadata.annotations?.[DESIRED];
  return isActiveSet(set) && desired !== undefined && Number(desired) !== replicasOf(deployment);
}

function sizeAnnotations(deployment: Deployment): Record<string, string> {
  const wanted = replicasOf(deployment);
  return { [DESIRED]: String(wanted), [MAX]: String(wanted + fenceposts(deployment).surge) };
}

function inherited({ metadata }: Deployment): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !OWN_ANNOTATIONS.has(name)));
}

/** The annotations of the new ReplicaSet. A rollback gives it a new revision, and its former ones are kept as history. */
function annotationsOf(deployment: Deployment, set: ReplicaSet, revision: number): Record<string, string> {
  const present = revisionOf(set.metadata.annotations);
  const annotations: Record<string, string> = { ...inherited(deployment), [REVISION]: String(Math.max(present, revision)) };
  if (present >= revision || present === 0) return annotations;
  const history = set.metadata.annotations?.[REVISION_HISTORY];
  annotations[REVISION_HISTORY] = history === undefined ? String(present) : `${history},${present}`;
  return annotations;
}

