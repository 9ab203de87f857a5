import { StatusError } from '../../meta/errors/errors.js';
import { forbidden } from '../../meta/errors/status.js';
import type { JsonObject } from '../../meta/json-values.js';
import { keyOf, type Revision } from '../storage/storage.js';
import type { ApiResource, Registry } from './registry.js';

/** What the admission of an object may ask about others. */
export interface Cluster {
  /** An object of a cluster-scoped built-in resource. The caller must not change it. */
  get(group: string, resource: string, name: string): JsonObject | undefined;
  /** The objects of a built-in resource, in one namespace if it has any. The caller must not change them. */
  list(group: string, resource: string, namespace?: string): readonly JsonObject[];
  /** Throws 403 for the object that is written. */
  refuse(why: string): never;
}

/** Parsed once: the same few objects are asked for with every pod. */
const parsed = new WeakMap<Revision, JsonObject>();

function objectOf(revision: Revision): JsonObject {
  let object = parsed.get(revision);
  if (object === undefined) parsed.set(revision, (object = revision.decode()));
  return object;
}

/** The cluster as the admission of one object sees it. */
export function clusterFor(registry: Registry, written: ApiResource, name: string): Cluster {
  return {
    get(group, resource, wanted) {
      const revision = registry.find(group, 'v1', resource)?.collection.get(keyOf('', wanted));
      return revision && objectOf(revision);
    },
    list(group, resource, namespace) {
      const objects: JsonObject[] = [];
      const prefix = namespace === undefined ? '' : keyOf(namespace, '');
      registry.find(group, 'v1', resource)?.collection.scan(Number.POSITIVE_INFINITY, prefix, '', (revision) => {
        objects.push(objectOf(revision));
        return true;
      });
      return objects;
    },
    refuse(why) {
      throw new StatusError(forbidden(written.groupResource, name, why));
    },
  };
}
