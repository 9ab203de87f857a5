import { isDeepStrictEqual } from 'node:util';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { dns1123LabelErrors } from '../../../../meta/names.js';
import type { StatefulSet, StatefulSetSpec } from '../../../../resources/types/apps-v1.js';
import type { PodSpec, PodTemplateSpec, Volume } from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { type CauseSteps, each, invalids, nonNegative } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { fill } from '../fill.js';
import { labelCauses, selects } from '../label-rules.js';
import { annotationCauses, podAnnotationCauses } from '../pods/pod-annotations.js';
import { fillTemplate } from '../pods/pod-defaults.js';
import { endingPodCauses, templateCauses, unselectedCauses } from '../pods/pod-template.js';
import { claimSpecCauses } from '../storage/claim-spec.js';
import {
  availableCauses,
  collisionCauses,
  countCauses,
  countOrPercent,
  countOrPercentCauses,
  excessCauses,
  mostPercentCauses,
  NO_TEMPLATE,
  requiredSelectorCauses,
} from './workload.js';

export const statefulSets: Partial<Strategy> = strategyFor<StatefulSet>({
  generation: 'content',
  nameErrors: dns1123LabelErrors,
  defaults: fillStatefulSet,
  causes: statefulSetCauses,
});

function* fillStatefulSet({ spec }: StatefulSet): Steps<void> {
  if (spec === undefined) return;
  fill(spec, { replicas: 1, podManagementPolicy: 'OrderedReady', revisionHistoryLimit: 10 });
  const strategy = (spec.updateStrategy ??= {});
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate !== undefined) {
    fill(strategy.rollingUpdate, { partition: 0 });
    // Behind a feature gate that is off.
    delete strategy.rollingUpdate.maxUnavailable;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  fill(spec.persistentVolumeClaimRetentionPolicy, { whenDeleted: 'Retain', whenScaled: 'Retain' });
  for (const claim of spec.volumeClaimTemplates ?? []) {
    fill(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
    if (claim.spec !== undefined) fill(claim.spec, { volumeMode: 'Filesystem' });
    claim.status ??= {};
    fill(claim.status, { phase: 'Pending' });
  }
  yield* fillTemplate(spec.template);
}

const COUNTS = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;

/** The fields of the spec that an update may change. */
const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

function* statefulSetCauses(
  { spec, status }: StatefulSet,
  old: StatefulSet | undefined,
  subresource: string,
): CauseSteps {
  if (subresource === 'status') {
    if (status === undefined) return;
    yield* countCauses(status, ['replicas', ...COUNTS, 'observedGeneration', 'collisionCount']);
    yield* excessCauses(status, COUNTS);
    yield* availableCauses(status, 'status.readyReplicas');
    yield* collisionCauses(status, old?.status);
    return;
  }
  yield* specCauses(spec ?? { selector: undefined as never, template: NO_TEMPLATE }, old === undefined);
  if (old === undefined || isDeepStrictEqual(fixedPart(spec), fixedPart(old.spec))) return;
  const named = MUTABLE.map((field) => `'${field}'`);
  const fields = `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
  yield fieldForbidden('spec', `updates to statefulset spec for fields other than ${fields} are forbidden`);
}

function fixedPart(spec: StatefulSetSpec | undefined): Partial<StatefulSetSpec> {
  const fixed: Partial<StatefulSetSpec> = { ...spec };
  for (const field of MUTABLE) delete fixed[field];
  return fixed;
}

function* specCauses(spec: StatefulSetSpec, isNew: boolean): CauseSteps {
  const { selector, template = NO_TEMPLATE, serviceName } = spec;
  const policy: string | undefined = spec.podManagementPolicy;
  if (!policy) yield fieldRequired('spec.podManagementPolicy');
  else if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    yield fieldInvalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'");
  }
  yield* updateStrategyCauses(spec.updateStrategy ?? {}, 'spec.updateStrategy');
  for (const field of ['whenDeleted', 'whenScaled'] as const) {
    const value = spec.persistentVolumeClaimRetentionPolicy?.[field];
    if (value === 'Retain' || value === 'Delete') continue;
    yield fieldNotSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, value ?? '', ['Retain', 'Delete']);
  }
  if (isNew) {
    yield* each(spec.volumeClaimTemplates, 'spec.volumeClaimTemplates', (claim, place) =>
      claimSpecCauses(claim.spec ?? {}, `${place}.spec`),
    );
  }
  yield* nonNegative(spec.replicas, 'spec.replicas');
  yield* nonNegative(spec.minReadySeconds, 'spec.minReadySeconds');
  yield* nonNegative(spec.ordinals?.start, 'spec.ordinals.start');
  if (isNew && serviceName) yield* invalids('spec.serviceName', serviceName, dns1123LabelErrors(serviceName));
  yield* requiredSelectorCauses(selector, 'statefulset', 'spec.selector');
  if (selector !== undefined && selects(selector, {}) === undefined) yield fieldInvalid('spec.selector', selector, '');
  else {
    yield* unselectedCauses(selector, template, 'spec.template');
    const checked = checkedTemplate(spec, template);
    yield* templateCauses(checked, 'spec.template');
    // kube-apiserver looks at these twice.
    const { labels, annotations } = checked.metadata ?? {};
    yield* labelCauses(labels, 'spec.template.labels');
    yield* annotationCauses(annotations, 'spec.template.annotations');
    yield* podAnnotationCauses(annotations, checked.spec ?? NO_TEMPLATE.spec!, 'spec.template.annotations');
  }
  yield* endingPodCauses(template, 'StatefulSet', 'spec.template');
}

/** The template as its pods will have it: with the volumes of the claims, and with names of hosts by ordinals. */
function checkedTemplate({ volumeClaimTemplates }: StatefulSetSpec, template: PodTemplateSpec): PodTemplateSpec {
  const spec: PodSpec = { ...(template.spec ?? NO_TEMPLATE.spec!) };
  delete spec.hostname;
  delete spec.subdomain;
  const claims = new Map<string, Volume>();
  for (const { metadata } of volumeClaimTemplates ?? []) {
    const name = metadata?.name ?? '';
    claims.set(name, { name, persistentVolumeClaim: { claimName: name } });
  }
  if (claims.size > 0) {
    spec.volumes = [...claims.values(), ...(spec.volumes ?? []).filter(({ name }) => !claims.has(name))];
  }
  return { ...template, spec };
}

function* updateStrategyCauses(strategy: NonNullable<StatefulSetSpec['updateStrategy']>, path: string): CauseSteps {
  const { rollingUpdate } = strategy;
  const type: string | undefined = strategy.type;
  if (!type) yield fieldRequired(path);
  else if (type === 'OnDelete') {
    if (rollingUpdate === undefined) return;
    yield fieldInvalid(`${path}.rollingUpdate`, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type !== 'RollingUpdate') {
    const shown = { Type: type, RollingUpdate: rollingUpdate ?? null };
    yield fieldInvalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'");
  } else if (rollingUpdate !== undefined) {
    const place = `${path}.rollingUpdate`;
    yield* nonNegative(rollingUpdate.partition, `${place}.partition`);
    const { maxUnavailable } = rollingUpdate;
    if (maxUnavailable === undefined) return;
    yield* countOrPercentCauses(maxUnavailable, `${place}.maxUnavailable`);
    if (countOrPercent(maxUnavailable) === 0) {
      yield fieldInvalid(`${place}.maxUnavailable`, maxUnavailable, 'cannot be 0');
    }
    yield* mostPercentCauses(maxUnavailable, `${place}.maxUnavailable`);
  }
}
