import { setValueAt, valueAt } from '../../../../meta/json-paths.js';
import { dns1123LabelErrors } from '../../../../meta/names.js';
import { metadataOf } from '../../object-meta.js';
import { fields, notSupported, type Strategy } from '../../strategy.js';

const FINALIZERS = ['spec', 'finalizers'];

export const namespaces: Partial<Strategy> = {
  nameErrors: dns1123LabelErrors,
  fields: fields('status.phase'),
  unknownField: notSupported,
  returnsDeleted: true,
  prepareCreate(object) {
    const given = (valueAt(object, FINALIZERS) as string[] | undefined) ?? [];
    setValueAt(object, FINALIZERS, [...given.filter((name) => name !== 'kubernetes'), 'kubernetes']);
    object['status'] = { phase: 'Active' };
  },
  defaults(object) {
    const metadata = metadataOf(object);
    metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name ?? '' };
  },
  canonicalize(object, old) {
    // Only `/finalize` changes spec.finalizers.
    if (old !== undefined) setValueAt(object, FINALIZERS, valueAt(old, FINALIZERS) ?? []);
  },
  termination: {
    begin: (object) => setValueAt(object, ['status', 'phase'], 'Terminating'),
    isHeld: (object) => ((valueAt(object, FINALIZERS) as unknown[] | undefined) ?? []).length > 0,
  },
};
