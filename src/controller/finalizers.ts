import type { Abortable, DeepReadonly, JsonPatchOperation, KubernetesObject, ResourceClient } from '../index.js';

/** Whether the object has the finalizer. */
export function hasFinalizer(object: DeepReadonly<KubernetesObject>, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** How a finalizer is added or removed. */
type FinalizerOptions = Abortable & { readonly fieldManager?: string | undefined };

/** The finalizers of the object after one of them was added or removed. */
export function finalizersAfter(
  how: 'add' | 'remove',
  { metadata: { finalizers = [] } }: DeepReadonly<KubernetesObject>,
  finalizer: string,
): readonly string[] {
  return how === 'add' ? [...finalizers, finalizer] : finalizers.filter((one) => one !== finalizer);
}

/**
 * Adds a finalizer to the object as it was read, and resolves with the result. It is a JSON patch that tests the uid and the
 * finalizers: if the object was replaced, deleted or got other finalizers meanwhile, the server refuses it (404 or 422) and
 * nothing is changed.
 */
export function addFinalizer<T extends KubernetesObject>(
  client: Pick<ResourceClient<T>, 'patch'>,
  object: DeepReadonly<T>,
  finalizer: string,
  options: FinalizerOptions = {},
): Promise<T> {
  return client.patch(
    object.metadata.name,
    replaceFinalizers(object, finalizersAfter('add', object, finalizer)),
    options,
  );
}

/** Removes a finalizer from the object as it was read: the counterpart of {@link addFinalizer}. */
export function removeFinalizer<T extends KubernetesObject>(
  client: Pick<ResourceClient<T>, 'patch'>,
  object: DeepReadonly<T>,
  finalizer: string,
  options: FinalizerOptions = {},
): Promise<T> {
  return client.patch(
    object.metadata.name,
    replaceFinalizers(object, finalizersAfter('remove', object, finalizer)),
    options,
  );
}

function replaceFinalizers(
  { metadata: { uid, finalizers } }: DeepReadonly<KubernetesObject>,
  after: readonly string[],
): readonly JsonPatchOperation[] {
  const path = '/metadata/finalizers';
  const isNew = finalizers === undefined || finalizers.length === 0;
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    // A test against null passes where the field is missing.
    { op: 'test', path, value: isNew ? null : finalizers },
    { op: isNew ? 'add' : 'replace', path, value: after },
  ];
}
