import { isDeepStrictEqual } from 'node:util';
import type { ResourceQuota } from '../../resources/types/core-v1.js';
import type { Steps } from '../../time/steps.js';
import { addUsage, isInScope, limitedPart, type Usage, usageOf } from '../resources/quota/quota-usage.js';
import { ifPresent } from '../resources/write/object-writer.js';
import { keyOf } from '../storage/storage.js';
import { ControllerQueue } from './controller-queue.js';
import { CONTROLLER_MANAGER, type ServerController, type ServerControllerContext } from './server-controller.js';

/**
 * Keeps the status of ResourceQuotas: copies `hard` from the spec, from which on the quota counts, and counts `used` again after
 * every change in its namespace.
 */
export function startResourceQuota(context: ServerControllerContext): ServerController {
  const { storage, registry, writer } = context;
  const quotas = registry.find('', 'v1', 'resourcequotas')!;
  const queue = new ControllerQueue(context.clock, 'resource-quota', reconcile, context.onError);
  quotas.collection.scan(Number.POSITIVE_INFINITY, '', '', ({ namespace }) => {
    queue.add(namespace);
    return true;
  });

  const unsubscribe = storage.subscribe(({ namespace }) => {
    if (namespace !== '' && quotas.collection.size > 0 && hasQuota(namespace)) queue.add(namespace);
  });

  function hasQuota(namespace: string): boolean {
    let found = false;
    quotas.collection.scan(Number.POSITIVE_INFINITY, keyOf(namespace, ''), '', () => {
      found = true;
      return false;
    });
    return found;
  }

  function* reconcile(namespace: string): Steps<void> {
    const names: string[] = [];
    quotas.collection.scan(Number.POSITIVE_INFINITY, keyOf(namespace, ''), '', ({ name }) => {
      names.push(name);
      return true;
    });
    for (const name of names) {
      const update = writer.update(quotas, namespace, name, {
        *change(quota) {
          const { spec = {} } = quota as unknown as ResourceQuota;
          const hard = spec.hard ?? {};
          const status = { hard, used: yield* usageIn(namespace, spec, hard) };
          return isDeepStrictEqual(quota['status'], status) ? quota : { ...quota, status };
        },
        merge: (old, next) => ({ ...old, status: next['status'] }),
        subresource: 'status',
        track: writer.fields.update(quotas, 'status', CONTROLLER_MANAGER),
      });
      yield* ifPresent(update);
    }
  }

  /** What the objects of a namespace use of what a quota limits. */
  function* usageIn(namespace: string, spec: ResourceQuota['spec'] & {}, hard: Usage): Steps<Usage> {
    let used: Usage = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
    for (const resource of registry.stored()) {
      if (!resource.namespaced || resource.collection.size === 0) continue;
      if (Object.keys(limitedPart(usageOf(resource, SAMPLE), hard)).length === 0 && !isMeasured(resource.resource))
        continue;
      const found: Usage[] = [];
      yield* resource.collection.scanInSteps(Number.POSITIVE_INFINITY, keyOf(namespace, ''), '', (revision) => {
        const object = revision.decode();
        if (isInScope(spec, resource, object)) found.push(limitedPart(usageOf(resource, object), hard));
        return true;
      });
      for (const usage of found) used = addUsage(used, usage);
      yield;
    }
    return used;
  }

  return {
    stop() {
      unsubscribe();
      queue.stop();
    },
  };
}

const SAMPLE = { spec: {} };

/** Whether objects of a resource use more than their count. */
function isMeasured(resource: string): boolean {
  return resource === 'pods' || resource === 'persistentvolumeclaims' || resource === 'services';
}
