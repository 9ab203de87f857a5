import type { JsonObject } from '../../meta/json-values.js';
import { objectOf, objects, RBAC_GROUP, strings, text } from '../resources/kinds/cluster/rbac.js';
import type { Registry } from '../resources/registry.js';
import type { Revision, Storage } from '../storage/storage.js';
import type { PolicyRule, RoleBindingLike, RoleLike, RoleLookup } from './authorization.js';

/** Finds roles and bindings among the stored objects; parses each revision once. */
export function storedRoles(storage: Storage, registry: Registry): RoleLookup {
  const collectionOf = (resource: string) => registry.find(RBAC_GROUP, 'v1', resource)!.collection;
  const roles = readOnce(readRole);
  const bindings = readOnce(readBinding);
  const all = (resource: string, prefix: string): RoleBindingLike[] => {
    const found: RoleBindingLike[] = [];
    collectionOf(resource).scan(storage.version, prefix, '', (revision) => found.push(bindings(revision)) > 0);
    return found;
  };
  const one = (resource: string, key: string): RoleLike | undefined => {
    const revision = collectionOf(resource).get(key);
    return revision && roles(revision);
  };
  return {
    clusterRoleBindings: () => all('clusterrolebindings', ''),
    roleBindings: (namespace) => all('rolebindings', `${namespace}/`),
    clusterRole: (name) => one('clusterroles', name),
    role: (namespace, name) => one('roles', `${namespace}/${name}`),
  };
}

function readOnce<T extends object>(read: (object: JsonObject) => T): (revision: Revision) => T {
  const known = new WeakMap<Revision, T>();
  return (revision) => {
    let value = known.get(revision);
    if (value === undefined) known.set(revision, (value = read(revision.decode())));
    return value;
  };
}

/** Reads a Role or ClusterRole. Fields of a wrong type allow nothing, so that one bad object cannot fail all requests. */
export function readRole(object: JsonObject): { readonly rules: readonly PolicyRule[] } {
  return {
    rules: objects(object['rules']).map((rule) => ({
      verbs: strings(rule['verbs']),
      apiGroups: strings(rule['apiGroups']),
      resources: strings(rule['resources']),
      resourceNames: strings(rule['resourceNames']),
      nonResourceURLs: strings(rule['nonResourceURLs']),
    })),
  };
}

function readBinding(object: JsonObject): RoleBindingLike {
  const { kind, name } = objectOf(object['roleRef']);
  return {
    name: text(objectOf(object['metadata'])['name']),
    subjects: objects(object['subjects']).map((subject) => ({
      kind: text(subject['kind']),
      name: text(subject['name']),
      ...(text(subject['namespace']) === '' ? {} : { namespace: text(subject['namespace']) }),
    })),
    roleRef: { kind: text(kind), name: text(name) },
  };
}
