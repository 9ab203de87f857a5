import { ConditionImpossibleError, conditions } from '../../client/wait/conditions.js';
import { type ObjectWithMeta, objectAccessor } from '../../meta/accessor.js';
import type { WatchEvent } from '../../meta/watch-event.js';
import type { CustomResourceDefinition } from '../../resources/types/apiextensions-v1.js';
import type { Deployment } from '../../resources/types/apps-v1.js';
import type { Pod } from '../../resources/types/core-v1.js';
import type { ReadableStore } from './informer-watcher.js';
import type { WatchCondition } from './until.js';

/**
 * Holds when `status.conditions` has a condition of this type with this status, and `status.observedGeneration`, if there is
 * one, is not older than `metadata.generation`. Throws {@link ConditionImpossibleError} when the object is deleted.
 *
 * @example
 * await untilWithSync(client.batch.v1.jobs('default'), hasCondition('Complete'), { name: 'backup' });
 */
export function hasCondition(
  type: string,
  status: 'True' | 'False' | 'Unknown' = 'True',
): WatchCondition<ObjectWithMeta> {
  const holds = conditions.has(type, status);
  return (event) => holds(stillThere(event, `have the condition ${type}`)) === true;
}

const ready = hasCondition('Ready');

/** Holds when a pod is Ready. Throws {@link ConditionImpossibleError} when it is deleted, Succeeded or Failed. */
export const podReady: WatchCondition<Pod> = (event) => {
  const { status } = event.object;
  if (event.type !== 'DELETED' && (status?.phase === 'Succeeded' || status?.phase === 'Failed')) {
    throw new ConditionImpossibleError(
      `the pod ${objectAccessor.key(event.object)} will not be ready: it has ended, and ${status.phase.toLowerCase()}`,
    );
  }
  return ready(event);
};

/** Holds when a deployment is Available and has observed its newest generation. */
export const deploymentAvailable: WatchCondition<Deployment> = hasCondition('Available');

/** Holds when a CustomResourceDefinition is Established: its objects can be read and written. */
export const crdEstablished: WatchCondition<CustomResourceDefinition> = hasCondition('Established');

/** Holds when an object is deleted. With {@link absent} as precondition, also if it does not exist at first. */
export const deleted: WatchCondition<unknown> = (event) => event.type === 'DELETED';

/** A precondition: no object matches. */
export function absent(store: ReadableStore<unknown>): boolean {
  return store.size === 0;
}

function stillThere<T extends ObjectWithMeta>({ type, object }: WatchEvent<T>, what: string): T {
  if (type !== 'DELETED') return object;
  throw new ConditionImpossibleError(`${objectAccessor.key(object)} will not ${what}: it was deleted`);
}
