import type { DeepReadonly, KubernetesObject } from '../index.js';
import type { OwnerReference } from '../meta/objects.js';
import { checkOptions } from '../meta/options/known-options.js';
import { parseApiVersion } from '../meta/resource.js';
import type { KnownResource } from './controller.js';

/**
 * The reference to an owner, for `metadata.ownerReferences` of an object that it owns. `apply` of a controller adds it by
 * itself. Both options are true by default.
 */
export function ownerReference(
  owner: DeepReadonly<KubernetesObject>,
  options: { readonly controller?: boolean | undefined; readonly blockOwnerDeletion?: boolean | undefined } = {},
): OwnerReference {
  const { controller = true, blockOwnerDeletion = true } = checkOptions('ownerReference', options, {
    controller: true,
    blockOwnerDeletion: true,
  });
  const { apiVersion, kind, metadata } = owner;
  if (!apiVersion || !kind || !metadata?.name || !metadata.uid)
    throw new TypeError('the owner of an object needs apiVersion, kind, metadata.name and metadata.uid');
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller, blockOwnerDeletion };
}

/** The reference to the controller of an object, if it has one. */
export function controllerOf(
  references: readonly DeepReadonly<OwnerReference>[] | undefined,
): DeepReadonly<OwnerReference> | undefined {
  return references?.find(({ controller }) => controller === true);
}

/**
 * Returns the key of the object of this kind that controls another one: by the owner reference with `controller: true`, in any
 * version of the group.
 */
export function controllerKeys(
  owner: KnownResource<unknown>,
): (facts: {
  readonly namespace: string;
  readonly ownerReferences: readonly DeepReadonly<OwnerReference>[];
}) => string | undefined {
  // One version is in use at a time, so the last one is compared as text.
  let knownVersion: string | undefined;
  const isOfGroup = (apiVersion: string): boolean => {
    if (apiVersion === knownVersion) return true;
    if (apiVersion === '' || parseApiVersion(apiVersion).group !== owner.group) return false;
    knownVersion = apiVersion;
    return true;
  };
  return ({ namespace, ownerReferences }) => {
    for (const reference of ownerReferences) {
      if (reference.controller !== true || reference.kind !== owner.kind || !isOfGroup(reference.apiVersion)) continue;
      return owner.namespaced && namespace !== '' ? `${namespace}/${reference.name}` : reference.name;
    }
    return undefined;
  };
}
