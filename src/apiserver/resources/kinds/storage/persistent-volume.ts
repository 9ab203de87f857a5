import { isDeepStrictEqual } from 'node:util';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { dns1123SubdomainErrors } from '../../../../meta/names.js';
import { parseQuantity } from '../../../../meta/quantity.js';
import { typeSchema } from '../../../../resources/schema.js';
import type { PersistentVolume, PersistentVolumeSpec } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, eachEntry, invalids } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { changes } from '../changes.js';
import { immutableCauses } from '../label-rules.js';
import { accessModeCauses, VOLUME_MODES } from './claim-spec.js';
import { withFinalizer } from './persistent-volume-claim.js';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const VOLUME_FINALIZER = 'kubernetes.io/pv-protection';

export const persistentVolumes: Partial<Strategy> = strategyFor<PersistentVolume>({
  returnsDeleted: true,
  defaults({ spec }) {
    if (spec === undefined) return;
    spec.persistentVolumeReclaimPolicy ??= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    if (spec.hostPath !== undefined) spec.hostPath.type ??= '';
    if (spec.iscsi !== undefined) spec.iscsi.iscsiInterface ??= 'default';
  },
  prepareCreate(volume) {
    const lastPhaseTransitionTime = volume.metadata.creationTimestamp;
    volume.status = { phase: 'Pending', ...(lastPhaseTransitionTime ? { lastPhaseTransitionTime } : {}) };
    volume.metadata.finalizers = withFinalizer(volume.metadata.finalizers, VOLUME_FINALIZER);
  },
  *causes(volume, old, subresource): CauseSteps {
    if (subresource === 'status') return;
    const spec = volume.spec ?? {};
    yield* specCauses(spec);
    if (old === undefined) return;
    const former = old.spec ?? {};
    if (!isDeepStrictEqual(sourcesOf(spec), sourcesOf(former))) {
      const detail = 'spec.persistentvolumesource is immutable after creation';
      const difference = changes(sourcesOf(former), sourcesOf(spec));
      yield fieldForbidden('spec.persistentvolumesource', `${detail}\n${difference}`);
    }
    yield* immutableCauses(spec.volumeMode, former.volumeMode, 'volumeMode');
  },
});

function* specCauses(spec: PersistentVolumeSpec): CauseSteps {
  const { accessModes, capacity, persistentVolumeReclaimPolicy: policy, volumeMode, storageClassName = '' } = spec;
  yield* accessModeCauses(accessModes ?? [], 'spec.accessModes', '');
  const names = Object.keys(capacity ?? {});
  if (names.length === 0) yield fieldRequired('spec.capacity', '');
  if (!names.includes('storage') || names.length > 1) {
    const shown = capacity === undefined ? null : Object.fromEntries(Object.entries(capacity).sort());
    yield fieldNotSupported('spec.capacity', shown, ['storage']);
  }
  yield* eachEntry(capacity, 'spec.capacity', function* (_name, amount, path): CauseSteps {
    const { nanos } = parseQuantity(String(amount));
    if (nanos < 0n) yield fieldInvalid(path, amount, 'must be a valid resource quantity');
    if (nanos <= 0n) yield fieldInvalid(path, amount, 'must be greater than zero');
  });
  if (policy !== undefined && !RECLAIM_POLICIES.includes(policy)) {
    yield fieldNotSupported('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES);
  }
  const [first, ...others] = Object.keys(sourcesOf(spec));
  if (first === undefined) yield fieldRequired('spec', 'must specify a volume type');
  for (const source of others) yield fieldForbidden(`spec.${source}`, 'may not specify more than 1 volume type');
  if (first === 'local' && spec.nodeAffinity === undefined) {
    yield fieldRequired('spec.nodeAffinity', 'Local volume requires node affinity');
  }
  if (spec.hostPath !== undefined && /^\/*$/.test(spec.hostPath.path) && policy === 'Recycle') {
    const detail = "may not be 'recycle' for a hostPath mount of '/'";
    yield fieldForbidden('spec.persistentVolumeReclaimPolicy', detail);
  }
  if (storageClassName !== '') {
    yield* invalids('spec.storageClassName', storageClassName, dns1123SubdomainErrors(storageClassName));
  }
  if (volumeMode !== undefined && !VOLUME_MODES.includes(volumeMode)) {
    yield fieldNotSupported('spec.volumeMode', volumeMode, VOLUME_MODES);
  }
}

/** The volume sources that are set; one at most is valid. */
function sourcesOf(spec: PersistentVolumeSpec): Record<string, unknown> {
  const sources = typeSchema('core/v1.PersistentVolumeSource')!.fields;
  return Object.fromEntries(Object.entries(spec).filter(([name, value]) => sources.has(name) && value !== undefined));
}
