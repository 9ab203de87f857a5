import { valueAt } from '../../meta/json-paths.js';
import type { JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import type { ApiResource } from '../resources/registry.js';
import type { Revision } from '../storage/storage.js';
import { removeFinalizer } from './change-metadata.js';
import { ControllerQueue } from './controller-queue.js';
import type { ServerController, ServerControllerContext } from './server-controller.js';

/** The finalizers that admission adds to volumes and claims, so that they outlive the pods and claims that use them. */
const FINALIZERS = { claims: 'kubernetes.io/pvc-protection', volumes: 'kubernetes.io/pv-protection' } as const;

/** Lets a deleted PersistentVolumeClaim go when no pod uses it, and a deleted PersistentVolume when it is not bound. */
export function startVolumeProtection(context: ServerControllerContext): ServerController {
  const { storage, registry, writer } = context;
  const claims = registry.find('', 'v1', 'persistentvolumeclaims')!;
  const volumes = registry.find('', 'v1', 'persistentvolumes')!;
  const pods = registry.find('', 'v1', 'pods')!;
  const queue = new ControllerQueue(context.clock, 'volume-protection', reconcile, context.onError);

  const unsubscribe = storage.subscribe((revision: Revision, collection) => {
    if (collection === pods.collection) {
      if (revision.type !== 'ADDED') addClaimsOf(revision.namespace);
    } else if (revision.isTerminating && revision.type !== 'DELETED') {
      if (collection === claims.collection || collection === volumes.collection) queue.add(revision.key);
    }
  });

  // Those that a server before this one did not finish.
  for (const { collection } of [claims, volumes]) {
    collection.scan(storage.version, '', '', ({ isTerminating, key }) => {
      if (isTerminating) queue.add(key);
      return true;
    });
  }

  function addClaimsOf(namespace: string): void {
    claims.collection.scan(Number.POSITIVE_INFINITY, `${namespace}/`, '', (claim) => {
      if (claim.isTerminating) queue.add(claim.key);
      return true;
    });
  }

  /** Only the key of a claim has a namespace. */
  function* reconcile(key: string): Steps<void> {
    const slash = key.indexOf('/');
    if (slash < 0) {
      const phase = valueAt(volumes.collection.get(key)?.decode() ?? {}, ['status', 'phase']);
      if (phase !== 'Bound') yield* release(volumes, key, FINALIZERS.volumes);
    } else if (!(yield* isUsed(key.slice(0, slash), key.slice(slash + 1))))
      yield* release(claims, key, FINALIZERS.claims);
  }

  function* isUsed(namespace: string, claim: string): Steps<boolean> {
    let found = false;
    yield* pods.collection.scanInSteps(Number.POSITIVE_INFINITY, `${namespace}/`, '', (pod) => {
      found = uses(pod.decode(), claim);
      return !found;
    });
    return found;
  }

  function* release(resource: ApiResource, key: string, finalizer: string): Steps<void> {
    const revision = resource.collection.get(key);
    if (revision?.isTerminating === true) yield* removeFinalizer(writer, resource, revision, finalizer);
  }

  return {
    stop() {
      unsubscribe();
      queue.stop();
    },
  };
}

/** Whether a pod that has not finished mounts a claim. */
function uses(pod: JsonObject, claim: string): boolean {
  const phase = valueAt(pod, ['status', 'phase']);
  if (phase === 'Succeeded' || phase === 'Failed') return false;
  const mounted = (valueAt(pod, ['spec', 'volumes']) ?? []) as JsonObject[];
  return mounted.some((volume) => valueAt(volume, ['persistentVolumeClaim', 'claimName']) === claim);
}
