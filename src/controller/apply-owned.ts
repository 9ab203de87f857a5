import type { Abortable, Client, DeepReadonly, KubernetesObject, New, Resource } from '../index.js';
import { formatKey } from '../meta/key.js';
import type { ObjectMeta } from '../meta/objects.js';
import { abortableNames, checkOptions } from '../meta/options/known-options.js';
import { describeValue, requireString } from '../meta/options/validate.js';
import { printGroupResource } from '../meta/resource.js';
import { type KnownResource, knownResource } from './controller.js';
import { ownerReference } from './owners.js';

/** Options of {@link applyOwned}. */
export interface ApplyOwnedOptions extends Abortable {
  /** The owner of the applied fields: the name of the controller. */
  readonly fieldManager: string;
  /** The object that controls the applied one. */
  readonly owner: DeepReadonly<KubernetesObject>;
}

/** Where an applied object belongs. */
export interface ApplyTarget<U> {
  readonly resource: KnownResource<U>;
  readonly key: string;
  readonly namespace: string | undefined;
}

/**
 * Creates or updates an object that another one controls: server-side apply, with force, with the owner's reference, in the
 * owner's namespace if the object names none. Throws a TypeError for an owner that the garbage collector would not find. `apply`
 * of a controller's context does the same, and sends nothing if nothing would change.
 *
 * @example
 * await applyOwned(client, resources.core.v1.configMaps, { metadata: { name: 'web' }, data }, { owner: widget, fieldManager });
 */
export async function applyOwned<U>(
  client: Client,
  resource: Resource<U>,
  object: DeepReadonly<New<U>>,
  options: ApplyOwnedOptions,
): Promise<U> {
  const { owner, signal } = checkOptions('applyOwned', options, { ...abortableNames, fieldManager: true, owner: true });
  const fieldManager = requireString('fieldManager', options.fieldManager);
  const { namespace } = applyTarget(resource, object, owner, true);
  const body = completeObject(object, namespace, owner);
  return client.forResource(resource, namespace).apply(body, { fieldManager, force: true, signal });
}

/**
 * Finds out where an object belongs that a run of `home` applies: in its own namespace, else in that of `home`.
 *
 * @throws TypeError for an object without a name and, if it is owned, for an owner that the garbage collector would not find
 */
export function applyTarget<U>(
  given: Resource<U>,
  object: DeepReadonly<New<U>>,
  home: DeepReadonly<KubernetesObject>,
  isOwned: boolean,
): ApplyTarget<U> {
  const resource = knownResource('resource', given);
  const metadata = metadataOf(object);
  if (metadata?.name === undefined || metadata.name === '')
    throw new TypeError(
      `apply ${printGroupResource(resource)} needs an object with metadata.name, got ${describeValue(object)}`,
    );
  const namespace = resource.namespaced ? metadata.namespace || home.metadata.namespace : undefined;
  const key = formatKey(namespace, metadata.name);
  if (isOwned) checkOwner(home, resource, key, namespace);
  return { resource, key, namespace };
}

/** The object as it is sent: with its namespace and the reference to its owner, if there is one. */
export function completeObject<U>(
  object: DeepReadonly<New<U>>,
  namespace: string | undefined,
  owner: DeepReadonly<KubernetesObject> | undefined,
): DeepReadonly<New<U>> {
  const metadata = metadataOf(object) ?? {};
  const complete = {
    ...metadata,
    ...(namespace !== undefined && { namespace }),
    ...(owner !== undefined && owners(metadata, owner)),
  };
  return { ...object, metadata: complete };
}

function metadataOf(object: unknown): DeepReadonly<ObjectMeta> | undefined {
  return (object as { readonly metadata?: DeepReadonly<ObjectMeta> } | null)?.metadata;
}

function owners(metadata: DeepReadonly<ObjectMeta>, owner: DeepReadonly<KubernetesObject>) {
  const others = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
  return { ownerReferences: [...others, ownerReference(owner)] };
}

/** The garbage collector deletes an object whose owner it does not find. */
function checkOwner(
  owner: DeepReadonly<KubernetesObject>,
  resource: KnownResource<unknown>,
  key: string,
  namespace: string | undefined,
): void {
  const home = owner.metadata.namespace;
  if (home === undefined || home === '') return;
  if (!resource.namespaced) throw wrongOwner(owner, resource, key, 'it has no namespace, and its owner has one');
  if (namespace !== home) throw wrongOwner(owner, resource, key, 'it is in another namespace');
}

/** The error for an object that cannot have this owner. */
export function wrongOwner(
  owner: DeepReadonly<KubernetesObject>,
  resource: Resource<unknown>,
  key: string,
  why: string,
): TypeError {
  const name = formatKey(owner.metadata.namespace, owner.metadata.name);
  return new TypeError(
    `${owner.kind} ${name} cannot own ${printGroupResource(resource)} ${key}: ${why}; apply it without an owner, and delete it in finalize`,
  );
}
