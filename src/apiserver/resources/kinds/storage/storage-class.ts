import { fieldInvalid, fieldNotSupported, fieldRequired, fieldTooLong } from '../../../../meta/errors/field-cause.js';
import { labelKeyErrors } from '../../../../meta/names.js';
import type { StorageClass } from '../../../../resources/types/storage-v1.js';
import { type CauseSteps, eachEntry, invalids } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { immutableCauses } from '../label-rules.js';

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;

export const storageClasses: Partial<Strategy> = strategyFor<StorageClass>({
  returnsDeleted: true,
  defaults(storageClass) {
    storageClass.reclaimPolicy ??= 'Delete';
    storageClass.volumeBindingMode ??= 'Immediate';
  },
  *causes(storageClass, old): CauseSteps {
    if (old !== undefined) {
      for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const) {
        yield* immutableCauses(storageClass[field], old[field], field);
      }
      return;
    }
    const { provisioner, parameters = {}, reclaimPolicy, volumeBindingMode } = storageClass;
    if (provisioner === '') yield fieldRequired('provisioner', '');
    else yield* invalids('provisioner', provisioner.toLowerCase(), labelKeyErrors(provisioner.toLowerCase()));
    if (Object.keys(parameters).length > MAX_PARAMETERS) yield fieldTooLong('parameters', MAX_PARAMETERS);
    else {
      let bytes = 0;
      yield* eachEntry(parameters, 'parameters', function* (key, value): CauseSteps {
        if (key === '') yield fieldInvalid('parameters', key, 'field can not be empty.');
        bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
      });
      if (bytes > MAX_PARAMETER_BYTES) yield fieldTooLong('parameters', MAX_PARAMETER_BYTES);
    }
    if (!RECLAIM_POLICIES.includes(reclaimPolicy ?? '')) {
      yield fieldNotSupported('reclaimPolicy', reclaimPolicy, RECLAIM_POLICIES);
    }
    if (!BINDING_MODES.includes(volumeBindingMode ?? '')) {
      yield fieldNotSupported('volumeBindingMode', volumeBindingMode, BINDING_MODES);
    }
  },
});
