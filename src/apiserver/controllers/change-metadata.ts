import type { ObjectMeta } from '../../meta/objects.js';
import type { Steps } from '../../time/steps.js';
import { metadataOf } from '../resources/object-meta.js';
import type { ApiResource } from '../resources/registry.js';
import { ifPresent, type ObjectWriter } from '../resources/write/object-writer.js';
import type { Revision } from '../storage/storage.js';
import { CONTROLLER_MANAGER } from './server-controller.js';

/** Changes the metadata of an object as the controller manager, unless it is gone or was created again with another uid. */
export function* changeMetadata(
  writer: ObjectWriter,
  resource: ApiResource,
  { namespace, name, uid }: Revision,
  edit: (metadata: ObjectMeta) => void,
): Steps<void> {
  const update = writer.update(resource, namespace, name, {
    change(old) {
      const metadata = metadataOf(old);
      if (metadata.uid === uid) edit(metadata);
      return old;
    },
    track: writer.fields.update(resource, '', CONTROLLER_MANAGER),
  });
  yield* ifPresent(update);
}

/** Removes a finalizer, with which an object that is being deleted may go. */
export function removeFinalizer(
  writer: ObjectWriter,
  resource: ApiResource,
  revision: Revision,
  finalizer: string,
): Steps<void> {
  return changeMetadata(writer, resource, revision, (metadata) => {
    metadata.finalizers = (metadata.finalizers ?? []).filter((name) => name !== finalizer);
  });
}
