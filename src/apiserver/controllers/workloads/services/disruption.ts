import type { Pod } from '../../../../resources/types/core-v1.js';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../../../resources/types/policy-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { selectorOf } from '../claim.js';
import { countOf } from '../int-or-percent.js';
import { isActive, isReady } from '../pod-facts.js';
import { keyOfObject, type WorkloadController, type World } from '../world.js';

const COMPONENT = 'controllermanager';
/** After this time an evicted pod that still lives counts as healthy again. */
const EVICTION_MS = 120_000;

/** Keeps the status of PodDisruptionBudgets, by which evictions are allowed. */
export function addDisruptionBudgets(world: World): void {
  const { poddisruptionbudgets: budgets, pods, replicasets, replicationcontrollers, statefulsets, deployments } = world.views;

  const controller: WorkloadController = {
    name: 'disruption-controller',
    *reconcile(key): Steps<void> {
      const budget = budgets.get(key);
      if (budget === undefined) return;
      const selector = selectorOf(budget.spec?.selector);
      const selected = pods
        .list(budget.metadata.namespace ?? '')
        .filter((pod) => selector.matches(pod.metadata.labels) && isActive(pod));
      if (selected.length === 0) {
        const message = 'No matching pods found';
        yield* world.record({ about: budget, reason: 'NoPods', message, component: COMPONENT });
      }
      yield* writeStatus(key, budget, selected);
    },
  };
  world.add(controller);
  world.follow('poddisruptionbudgets', controller);
  world.on('pods', (revision) => {
    for (const budget of budgets.list(revision.namespace)) {
      const selector = selectorOf(budget.spec?.selector);
      if (selector.matches(revision.labels) || (revision.previous && selector.matches(revision.previous.labels))) {
        world.enqueue(controller, keyOfObject(budget));
      }
    }
  });

  function* writeStatus(key: string, budget: PodDisruptionBudget, selected: readonly Pod[]): Steps<void> {
    const { expected, desired } = demandOf(budget, selected);
    const disrupted = new Map<string, string>();
    for (const [name, time] of Object.entries(budget.status?.disruptedPods ?? {})) {
      const leftMs = EVICTION_MS - world.since(time);
      const isPresent = selected.some(({ metadata }) => metadata.name === name);
      if (!isPresent || leftMs <= 0) continue;
      disrupted.set(name, time);
      world.enqueue(controller, key, leftMs);
    }
    const healthy = selected.filter((pod) => isReady(pod) && !disrupted.has(pod.metadata.name)).length;
    const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
    const generation = budget.metadata.generation;
    const known = budget.status?.conditions?.find(({ type }) => type === 'DisruptionAllowed');
    const value = allowed > 0 ? 'True' : 'False';
    const conditions: PodDisruptionBudgetStatus['conditions'] = [
      {
        type: 'DisruptionAllowed',
        status: value,
        observedGeneration: generation,
        lastTransitionTime: known?.status === value ? known.lastTransitionTime : world.timestamp(),
        reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
        message: '',
      },
    ];
    yield* world.writeStatus(budgets, budget, {
      observedGeneration: generation,
      ...(disrupted.size > 0 && { disruptedPods: Object.fromEntries(disrupted) }),
      disruptionsAllowed: allowed,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      conditions,
    });
  }

  /** How many pods there should be, and how many of them must be healthy. */
  function demandOf({ spec }: PodDisruptionBudget, selected: readonly Pod[]): { expected: number; desired: number } {
    const { minAvailable, maxUnavailable } = spec ?? {};
    if (maxUnavailable !== undefined) {
      const expected = scaleOf(selected);
      return { expected, desired: Math.max(0, expected - countOf(maxUnavailable, expected, 'up')) };
    }
    if (typeof minAvailable === 'string') {
      const expected = scaleOf(selected);
      return { expected, desired: countOf(minAvailable, expected, 'up') };
    }
    return { expected: selected.length, desired: minAvailable ?? 1 };
  }

  /** The replicas that the controllers of the pods ask for together. */
  function scaleOf(selected: readonly Pod[]): number {
    const scales = new Map<string, number>();
    for (const { metadata } of selected) {
      const owner = metadata.ownerReferences?.find((one) => one.controller === true);
      if (owner === undefined) continue;
      const [uid, replicas] = replicasFor(metadata.namespace ?? '', owner.kind, owner.name, owner.uid);
      scales.set(uid, replicas);
    }
    return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
  }

  function replicasFor(namespace: string, kind: string, name: string, uid: string): [uid: string, replicas: number] {
    if (kind === 'StatefulSet') return [uid, statefulsets.find(namespace, name)?.spec?.replicas ?? 0];
    if (kind === 'ReplicationController') return [uid, replicationcontrollers.find(namespace, name)?.spec?.replicas ?? 0];
    const set = kind === 'ReplicaSet' ? replicasets.find(namespace, name) : undefined;
    const owner = set?.metadata.ownerReferences?.find((one) => one.controller === true && one.kind === 'Deployment');
    if (owner === undefined) return [uid, set?.spec?.replicas ?? 0];
    return [owner.uid, deployments.find(namespace, owner.name)?.spec?.replicas ?? 0];
  }
}
