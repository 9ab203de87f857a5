import { setValueAt, valueAt } from '../../meta/json-paths.js';
import { finish } from '../../time/steps.js';
import { mergeOf } from '../resources/subresources.js';
import type { Collection, Revision } from '../storage/storage.js';
import type { Controller, ControllerContext } from './controller.js';
import { ControllerQueue } from './work-queue.js';

/** How many objects are deleted before others have their turn. */
const BATCH = 200;

/**
 * Empties namespaces that are being deleted, and lets them go once they are empty. What finalizers hold back holds its
 * namespace back too.
 */
export function startNamespaceLifecycle(context: ControllerContext): Controller {
  const { storage, registry, writer } = context;
  const namespaces = registry.find('', 'v1', 'namespaces')!;
  const queue = new ControllerQueue(context.clock, reconcile, context.onError);

  const unsubscribe = storage.subscribe((revision: Revision, collection: Collection) => {
    if (collection === namespaces.collection) {
      if (revision.isTerminating && revision.type !== 'DELETED') queue.add(revision.name);
    } else if (revision.type === 'DELETED' && isTerminating(revision.namespace)) queue.add(revision.namespace);
  });

  function isTerminating(namespace: string): boolean {
    return namespace !== '' && namespaces.collection.get(namespace)?.isTerminating === true;
  }

  function reconcile(namespace: string): void {
    if (!isTerminating(namespace)) return;
    let left = 0;
    for (const resource of registry.stored()) {
      if (!resource.namespaced) continue;
      const doomed: Revision[] = [];
      let fresh = 0;
      resource.collection.scan(storage.version, `${namespace}/`, '', (revision) => {
        doomed.push(revision);
        // Those that are held back were counted the first time, or nothing would ever come after them.
        if (!revision.isTerminating) fresh++;
        return fresh < BATCH;
      });
      for (const { name } of doomed) {
        // Nobody runs the pods of this server, so nobody needs time to stop them.
        const options = {
          gracePeriodSeconds: 0,
          preconditions: {},
          propagationPolicy: 'Background',
          dryRun: false,
        } as const;
        if (!finish(writer.delete(resource, namespace, name, options)).isGone) left++;
      }
      if (fresh === BATCH) {
        queue.add(namespace);
        return;
      }
    }
    if (left > 0) return;
    const update = writer.update(namespaces, '', namespace, {
      change(old) {
        // Others may have something to wait for as well, and take their own names off.
        const finalizers = valueAt(old, ['spec', 'finalizers']) as string[];
        setValueAt(
          old,
          ['spec', 'finalizers'],
          finalizers.filter((name) => name !== 'kubernetes'),
        );
        return old;
      },
      merge: mergeOf(namespaces, 'finalize'),
    });
    finish(update);
  }

  return {
    stop() {
      unsubscribe();
      queue.stop();
    },
  };
}
