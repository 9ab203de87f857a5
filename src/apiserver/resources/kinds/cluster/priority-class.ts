import { fieldForbidden } from '../../../../meta/errors/field-cause.js';
import type { PriorityClass } from '../../../../resources/types/scheduling-v1.js';
import type { Cluster } from '../../cluster.js';
import { type CauseSteps, oneOf } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { fill } from '../fill.js';
import { immutableCauses } from '../label-rules.js';

export const priorityClasses: Partial<Strategy> = strategyFor<PriorityClass>({
  generation: 'content',
  defaults: (object) => fill(object, { preemptionPolicy: 'PreemptLowerPriority' }),
  approve({ metadata, globalDefault }, old, cluster) {
    if (globalDefault !== true) return;
    const present = defaultPriorityClass(cluster);
    if (present === undefined || (old !== undefined && present.metadata.name === metadata.name)) return;
    cluster.refuse(`PriorityClass ${present.metadata.name} is already marked as default. Only one default can exist`);
  },
  *causes(object, old): CauseSteps {
    const { metadata, value = 0, globalDefault, preemptionPolicy } = object;
    if (old !== undefined) {
      if (value !== (old.value ?? 0)) yield fieldForbidden('value', 'may not be changed in an update.');
      yield* immutableCauses(preemptionPolicy, old.preemptionPolicy, 'preemptionPolicy');
      return;
    }
    const name = metadata.name ?? '';
    if (name.startsWith(SYSTEM_PREFIX)) {
      const problem = systemProblem(name, value, globalDefault === true);
      if (problem !== undefined) {
        const rule = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${problem}`;
        yield fieldForbidden('metadata.name', rule);
      }
    } else if (value > MAX_USER_PRIORITY) {
      yield fieldForbidden('value', `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`);
    }
    if (preemptionPolicy !== undefined) {
      yield* oneOf(preemptionPolicy, ['PreemptLowerPriority', 'Never'], 'preemptionPolicy');
    }
  },
});

/** The class of pods that name none; the lowest one if there are several. */
export function defaultPriorityClass(cluster: Cluster): PriorityClass | undefined {
  let found: PriorityClass | undefined;
  for (const object of cluster.list('scheduling.k8s.io', 'priorityclasses')) {
    const one = object as unknown as PriorityClass;
    if (one.globalDefault === true && (found === undefined || (one.value ?? 0) < (found.value ?? 0))) found = one;
  }
  return found;
}

const SYSTEM_PREFIX = 'system-';
const MAX_USER_PRIORITY = 1_000_000_000;

/** The priority classes that every cluster has. */
export const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

function systemProblem(name: string, value: number, isDefault: boolean): string | undefined {
  const expected = Object.hasOwn(SYSTEM_PRIORITIES, name) ? SYSTEM_PRIORITIES[name] : undefined;
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
