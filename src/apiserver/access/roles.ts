import type { Registry } from '../resources/registry.js';
import type { Revision, Storage } from '../storage/storage.js';
import type { RoleBindingLike, RoleLike, RoleLookup } from './authorization.js';

const GROUP = 'rbac.authorization.k8s.io';

/** Finds roles and bindings among the stored objects, parsing each state of one only once. */
export function storedRoles(storage: Storage, registry: Registry): RoleLookup {
  const parsed = new WeakMap<Revision, object>();
  const collectionOf = (resource: string) => registry.find(GROUP, 'v1', resource)!.collection;
  const read = <T extends object>(revision: Revision): T => {
    let object = parsed.get(revision);
    if (object === undefined) parsed.set(revision, (object = revision.decode()));
    return object as T;
  };
  const all = (resource: string, prefix: string): RoleBindingLike[] => {
    const found: RoleBindingLike[] = [];
    collectionOf(resource).scan(storage.version, prefix, '', (revision) => found.push(read(revision)) > 0);
    return found;
  };
  const one = (resource: string, key: string): RoleLike | undefined => {
    const revision = collectionOf(resource).get(key);
    return revision && read<RoleLike>(revision);
  };
  return {
    clusterRoleBindings: () => all('clusterrolebindings', ''),
    roleBindings: (namespace) => all('rolebindings', `${namespace}/`),
    clusterRole: (name) => one('clusterroles', name),
    role: (namespace, name) => one('roles', `${namespace}/${name}`),
  };
}
