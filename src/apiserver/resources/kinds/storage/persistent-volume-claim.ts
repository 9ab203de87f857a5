import { isDeepStrictEqual } from 'node:util';
import { fieldForbidden } from '../../../../meta/errors/field-cause.js';
import { parseQuantity } from '../../../../meta/quantity.js';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../../resources/types/core-v1.js';
import type { CauseSteps } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { changes } from '../changes.js';
import { immutableCauses } from '../label-rules.js';
import { claimSpecCauses } from './claim-spec.js';

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';
/** The StorageObjectInUseProtection admission plugin, which is on by default, adds these. */
const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';

export const persistentVolumeClaims: Partial<Strategy> = strategyFor<PersistentVolumeClaim>({
  returnsDeleted: true,
  defaults({ spec }) {
    if (spec !== undefined) spec.volumeMode ??= 'Filesystem';
  },
  prepareCreate(claim) {
    claim.status = { phase: 'Pending' };
    claim.metadata.finalizers = withFinalizer(claim.metadata.finalizers, CLAIM_FINALIZER);
    const { spec } = claim;
    if (spec === undefined) return;
    // The two fields stand for each other; only the second one can name a namespace.
    if (spec.dataSource !== undefined && spec.dataSourceRef === undefined) spec.dataSourceRef = { ...spec.dataSource };
    else if (spec.dataSourceRef !== undefined && spec.dataSource === undefined) {
      const { apiGroup, kind, name, namespace } = spec.dataSourceRef;
      if (!namespace) spec.dataSource = { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name };
    }
  },
  *causes(claim, old, subresource): CauseSteps {
    if (subresource === 'status') return;
    yield* claimSpecCauses(claim.spec ?? {}, 'spec');
    if (old !== undefined) yield* changeCauses(claim, old);
  },
});

/** The finalizers with one more. */
export function withFinalizer(finalizers: readonly string[] | undefined, name: string): string[] {
  const present = finalizers ?? [];
  return present.includes(name) ? [...present] : [...present, name];
}

function* changeCauses(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): CauseSteps {
  const beta = claim.metadata.annotations?.[BETA_CLASS];
  yield* immutableCauses(beta, old.metadata.annotations?.[BETA_CLASS], `metadata.annotations[${BETA_CLASS}]`);
  const spec = claim.spec ?? {};
  const former = old.spec ?? {};
  const isBound = claim.status?.phase === 'Bound';
  // What may change is compared as if it had not.
  const kept: PersistentVolumeClaimSpec = { ...spec };
  if (!former.volumeName) kept.volumeName = former.volumeName;
  if (former.storageClassName === undefined && !isBound) kept.storageClassName = former.storageClassName;
  if (isBound) {
    kept.volumeAttributesClassName = former.volumeAttributesClassName;
    kept.resources = { ...spec.resources, requests: { ...spec.resources?.requests } };
    const storage = former.resources?.requests?.['storage'];
    if (storage !== undefined) kept.resources.requests!['storage'] = storage;
  }
  if (!isDeepStrictEqual(defined(kept), defined(former))) {
    const detail = 'spec is immutable after creation except resources.requests and volumeAttributesClassName';
    yield fieldForbidden('spec', `${detail} for bound claims\n${changes(former, kept)}`);
  }
  const size = (given: PersistentVolumeClaimSpec): bigint =>
    parseQuantity(String(given.resources?.requests?.['storage'] ?? '0')).nanos;
  const capacity = old.status?.capacity?.['storage'];
  if (size(spec) < size(former) && capacity !== undefined && size(spec) <= parseQuantity(String(capacity)).nanos) {
    yield fieldForbidden('spec.resources.requests.storage', 'field can not be less than status.capacity');
  }
}

function defined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
