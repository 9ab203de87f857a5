import { metadataOf } from '../resources/object-meta.js';
import type { Registry } from '../resources/registry.js';
import { keyOf } from '../storage/storage.js';
import type { TokenObjects } from './account-tokens.js';

/** Finds the objects that tokens name among the stored ones. */
export function storedTokenObjects(registry: Registry): TokenObjects {
  return {
    find(resource, namespace, name) {
      const revision = registry.find('', 'v1', resource)!.collection.get(keyOf(namespace, name));
      if (revision === undefined) return undefined;
      const { uid } = revision;
      if (!revision.isTerminating) return { uid };
      return { uid, deletedAt: Date.parse(metadataOf(revision.decode()).deletionTimestamp ?? '') };
    },
  };
}
