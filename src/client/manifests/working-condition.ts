import type { DeepReadonly } from '../../meta/objects.js';
import type { Pod } from '../../resources/types/core-v1.js';
import { ConditionImpossibleError, conditions, type WaitCondition } from '../wait/conditions.js';
import type { ManifestObject } from './resolve-objects.js';

/** When an object of each kind works. Other kinds work as soon as they exist. */
const WORKING: ReadonlyMap<string, WaitCondition<never>> = new Map<string, WaitCondition<never>>([
  ['Deployment.apps', conditions.rolledOut],
  ['StatefulSet.apps', conditions.rolledOut],
  ['DaemonSet.apps', conditions.rolledOut],
  ['Job.batch', conditions.complete],
  ['Pod', podWorks],
  ['CustomResourceDefinition.apiextensions.k8s.io', conditions.has('Established')],
  ['APIService.apiregistration.k8s.io', conditions.has('Available')],
]);

const ready = conditions.has('Ready');

function podWorks(pod: DeepReadonly<Pod> | undefined): boolean | string {
  const { phase } = pod?.status ?? {};
  if (phase === 'Succeeded') return true;
  if (phase === 'Failed') throw new ConditionImpossibleError(`the pod ${pod?.metadata.name} has failed`);
  return ready(pod);
}

/** The condition that `wait` waits for; undefined if there is none. */
export function workingCondition({ group, kind }: ManifestObject): WaitCondition<unknown> | undefined {
  return WORKING.get(group === '' ? kind : `${kind}.${group}`) as WaitCondition<unknown> | undefined;
}
