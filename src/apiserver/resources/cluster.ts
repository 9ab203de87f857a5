import { StatusError } from '../../meta/errors/errors.js';
import { forbidden } from '../../meta/errors/status.js';
import type { JsonObject } from '../../meta/json-values.js';
import { keyOf, type Revision } from '../storage/storage.js';
import type { AdmissionPlugin } from './admission.js';
import type { ApiResource, Registry } from './registry.js';

/** What the admission of an object may ask about others. */
export interface Cluster {
  /** An object of a built-in resource, in a namespace if it is not cluster-scoped. The caller must not change it. */
  get(group: string, resource: string, name: string, namespace?: string): JsonObject | undefined;
  /** The objects of a built-in resource, in one namespace if it has any. The caller must not change them. */
  list(group: string, resource: string, namespace?: string): readonly JsonObject[];
  /** Throws 403 for the object that is written. */
  refuse(why: string): never;
  /** Whether a plugin is on. */
  isOn(plugin: AdmissionPlugin): boolean;
  /** A name with a random end. */
  randomName(stem: string): string;
}

/** What admission depends on besides stored objects. */
export interface ClusterContext {
  readonly registry: Registry;
  readonly plugins: ReadonlySet<AdmissionPlugin>;
  readonly randomName: (stem: string) => string;
}

/** Parsed once: the same few objects are asked for with every pod. */
const parsed = new WeakMap<Revision, JsonObject>();

function objectOf(revision: Revision): JsonObject {
  let object = parsed.get(revision);
  if (object === undefined) parsed.set(revision, (object = revision.decode()));
  return object;
}

/** The cluster as the admission of one object sees it. */
export function clusterFor(
  { registry, plugins, randomName }: ClusterContext,
  written: ApiResource,
  name: string,
): Cluster {
  return {
    isOn: (plugin) => plugins.has(plugin),
    randomName,
    get(group, resource, wanted, namespace = '') {
      const revision = registry.find(group, 'v1', resource)?.collection.get(keyOf(namespace, wanted));
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
