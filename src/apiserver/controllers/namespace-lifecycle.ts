import { setValueAt, valueAt } from '../../meta/json-paths.js';
import type { Steps } from '../../time/steps.js';
import { mergeOf } from '../resources/subresources.js';
import { type Deletion, ifPresent } from '../resources/write/object-writer.js';
import type { Collection, Revision } from '../storage/storage.js';
import { ControllerQueue } from './controller-queue.js';
import { CONTROLLER_MANAGER, type ServerController, type ServerControllerContext } from './server-controller.js';

/** No kubelet runs the pods of this server, so that none needs a grace period. */
const DELETION: Deletion = {
  gracePeriodSeconds: 0,
  preconditions: {},
  propagationPolicy: 'Background',
  dryRun: false,
};

/**
 * Deletes the objects of terminating namespaces, and removes the finalizer `kubernetes` from a namespace once it is empty.
 * An object with finalizers delays its namespace.
 */
export function startNamespaceLifecycle(context: ServerControllerContext): ServerController {
  const { storage, registry, writer } = context;
  const namespaces = registry.find('', 'v1', 'namespaces')!;
  const queue = new ControllerQueue(context.clock, 'namespace-lifecycle', reconcile, context.onError);

  const unsubscribe = storage.subscribe((revision: Revision, collection: Collection) => {
    if (collection === namespaces.collection) {
      if (revision.isTerminating && revision.type !== 'DELETED') queue.add(revision.name);
    } else if (revision.type === 'DELETED' && isTerminating(revision.namespace)) queue.add(revision.namespace);
  });

  // Those that a server before this one did not finish.
  namespaces.collection.scan(storage.version, '', '', ({ isTerminating, name }) => {
    if (isTerminating) queue.add(name);
    return true;
  });

  function isTerminating(namespace: string): boolean {
    return namespace !== '' && namespaces.collection.get(namespace)?.isTerminating === true;
  }

  function* reconcile(namespace: string): Steps<void> {
    if (!isTerminating(namespace)) return;
    let left = 0;
    for (const resource of registry.stored()) {
      if (!resource.namespaced) continue;
      const names: string[] = [];
      yield* resource.collection.scanInSteps(Number.POSITIVE_INFINITY, `${namespace}/`, '', ({ name }) => {
        names.push(name);
        return true;
      });
      for (const name of names) {
        const deleted = yield* ifPresent(writer.delete(resource, namespace, name, DELETION));
        if (deleted?.isGone === false) left++;
        yield;
      }
    }
    if (left > 0) return;
    const update = writer.update(namespaces, '', namespace, {
      change(old) {
        // Other finalizers stay: their controllers remove them.
        const finalizers = valueAt(old, ['spec', 'finalizers']) as string[];
        setValueAt(
          old,
          ['spec', 'finalizers'],
          finalizers.filter((name) => name !== 'kubernetes'),
        );
        return old;
      },
      merge: mergeOf(namespaces, 'finalize'),
      track: writer.fields.update(namespaces, 'finalize', CONTROLLER_MANAGER),
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
