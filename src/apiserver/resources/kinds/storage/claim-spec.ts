import { isDeepStrictEqual } from 'node:util';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { dns1123LabelErrors, dns1123SubdomainErrors } from '../../../../meta/names.js';
import { quantityNanos } from '../../../../meta/quantity.js';
import type { PersistentVolumeClaimSpec, TypedObjectReference } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, invalids, oneOfIfSet } from '../../causes.js';
import { selectorCauses } from '../label-rules.js';

/** The modes of volumes. */
export const VOLUME_MODES: readonly string[] = ['Block', 'Filesystem'];
const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Causes for the spec of a claim: of a PersistentVolumeClaim, and of templates for one. */
export function* claimSpecCauses(spec: PersistentVolumeClaimSpec, path: string): CauseSteps {
  const { accessModes, resources, storageClassName, dataSource, dataSourceRef } = spec;
  yield* accessModeCauses(accessModes ?? [], `${path}.accessModes`, 'at least 1 access mode is required');
  yield* selectorCauses(spec.selector, `${path}.selector`);
  const storage = resources?.requests?.['storage'];
  if (storage === undefined) yield fieldRequired(`${path}.resources[storage]`);
  else if (quantityNanos(storage) <= 0n) {
    yield fieldInvalid(`${path}.resources[storage]`, storage, 'must be greater than zero');
  }
  if (storageClassName)
    yield* invalids(`${path}.storageClassName`, storageClassName, dns1123SubdomainErrors(storageClassName));
  yield* oneOfIfSet(spec.volumeMode, VOLUME_MODES, `${path}.volumeMode`);
  if (dataSource !== undefined) yield* dataSourceCauses(dataSource, `${path}.dataSource`);
  if (dataSourceRef !== undefined) yield* dataSourceCauses(dataSourceRef, `${path}.dataSourceRef`);
  if (dataSource !== undefined && dataSourceRef?.namespace) {
    yield fieldInvalid(path, `${path}.dataSource`, 'may not be specified when dataSourceRef.namespace is specified');
  } else if (dataSource !== undefined && dataSourceRef !== undefined && !isDeepStrictEqual(dataSource, dataSourceRef)) {
    yield fieldInvalid(path, `${path}.dataSource`, 'must match dataSourceRef');
  }
  const attributes = spec.volumeAttributesClassName;
  if (attributes) yield* invalids(`${path}.volumeAttributesClassName`, attributes, dns1123SubdomainErrors(attributes));
}

/** Causes for access modes; the message for none differs between claims and volumes. */
export function* accessModeCauses(modes: readonly string[], path: string, ifNone: string): CauseSteps {
  if (modes.length === 0) yield fieldRequired(path, ifNone);
  yield* each(modes, path, function* (mode): CauseSteps {
    if (!ACCESS_MODES.includes(mode)) yield fieldNotSupported(path, mode, ACCESS_MODES);
  });
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode));
  if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')) {
    yield fieldForbidden(path, 'may not use ReadWriteOncePod with other access modes');
  }
}

function* dataSourceCauses({ name, kind, apiGroup, namespace }: TypedObjectReference, path: string): CauseSteps {
  if (!name) yield fieldRequired(`${path}.name`);
  if (!kind) yield fieldRequired(`${path}.kind`);
  if (apiGroup) yield* invalids(`${path}.apiGroup`, apiGroup, dns1123SubdomainErrors(apiGroup));
  else if (kind !== 'PersistentVolumeClaim') {
    yield fieldInvalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (namespace) yield* invalids(`${path}.namespace`, namespace, dns1123LabelErrors(namespace));
}
