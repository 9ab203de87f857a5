import { valueAt } from '../../meta/json-paths.js';
import type { JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import { metadataOf } from '../resources/object-meta.js';
import { ifPresent } from '../resources/object-writer.js';
import type { ApiResource } from '../resources/registry.js';
import type { Revision } from '../storage/storage.js';
import { ControllerQueue } from './controller-queue.js';
import { CONTROLLER_MANAGER, type ServerController, type ServerControllerContext } from './server-controller.js';

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
    const [namespace, name] = [key.slice(0, Math.max(slash, 0)), key.slice(slash + 1)];
    if (slash < 0) {
      const phase = valueAt(volumes.collection.get(key)?.decode() ?? {}, ['status', 'phase']);
      if (phase !== 'Bound') yield* release(volumes, namespace, name, FINALIZERS.volumes);
    } else if (!(yield* isUsed(namespace, name))) yield* release(claims, namespace, name, FINALIZERS.claims);
  }

  function* isUsed(namespace: string, claim: string): Steps<boolean> {
    let found = false;
    yield* pods.collection.scanInSteps(Number.POSITIVE_INFINITY, `${namespace}/`, '', (pod) => {
      found = uses(pod.decode(), claim);
      return !found;
    });
    return found;
  }

  function* release(resource: ApiResource, namespace: string, name: string, finalizer: string): Steps<void> {
    if (resource.collection.get(namespace === '' ? name : `${namespace}/${name}`)?.isTerminating !== true) return;
    const update = writer.update(resource, namespace, name, {
      change(old) {
        const metadata = metadataOf(old);
        metadata.finalizers = (metadata.finalizers ?? []).filter((one) => one !== finalizer);
        return old;
      },
      track: writer.fields.update(resource, '', CONTROLLER_MANAGER),
    });
    yield* ifPresent(update);
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
