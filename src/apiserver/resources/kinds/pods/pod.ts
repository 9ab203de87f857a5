import { fieldForbidden } from '../../../../meta/errors/field-cause.js';
import { valueAt } from '../../../../meta/json-paths.js';
import type { JsonObject } from '../../../../meta/json-values.js';
import type { LabelSelector } from '../../../../meta/objects.js';
import type { Pod, PodSpec } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each } from '../../causes.js';
import { fields, notSupported, type Strategy, strategyFor, text } from '../../strategy.js';
import { paddedImageCauses } from './container.js';
import { admitPod, approvePod } from './pod-admission.js';
import { annotationConflictCauses, annotationUpdateCauses, podAnnotationCauses } from './pod-annotations.js';
import { fillPod } from './pod-defaults.js';
import { qosClass } from './pod-resources.js';
import { podSpecCauses } from './pod-spec.js';
import { keepStatusFields, podStatusCauses } from './pod-status.js';
import { ephemeralUpdateCauses, resizeCauses, specUpdateCauses } from './pod-update.js';

export const pods: Partial<Strategy> = strategyFor<Pod>({
  fields: {
    ...fields('spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'status.phase'),
    'spec.hostNetwork': (object) => text(valueAt(object, ['spec', 'hostNetwork'])) || 'false',
    ...fields('status.nominatedNodeName'),
    'status.podIP': (object) => text(valueAt(object, ['status', 'podIP'])),
    'status.podIPs': () => '',
  },
  fieldAliases: { 'spec.host': 'spec.nodeName' },
  unknownField: notSupported,
  generation: 'content',
  returnsDeleted: true,
  statusWrites: 'metadataButOwners',
  gracePeriod: podGracePeriod,
  defaults: fillPod,
  admit: admitPod,
  approve: approvePod,
  prepareCreate(pod) {
    pod.status = { phase: 'Pending', qosClass: qosClass(pod) };
    if ((pod.spec?.schedulingGates ?? []).length > 0) {
      const condition = {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: pod.metadata.creationTimestamp,
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      };
      Object.assign(pod.status, { conditions: [condition] });
    }
    applyLabelKeys(pod);
  },
  prepareStatus: keepStatusFields,
  causes: podCauses,
});

/** The grace period of a pod: 0 if it is not on a node or has finished. */
function podGracePeriod(pod: JsonObject, asked: number | undefined): number {
  const wanted = asked ?? Number(valueAt(pod, ['spec', 'terminationGracePeriodSeconds']) ?? 30);
  const phase = valueAt(pod, ['status', 'phase']);
  const isIdle = text(valueAt(pod, ['spec', 'nodeName'])) === '' || phase === 'Succeeded' || phase === 'Failed';
  return isIdle ? 0 : wanted < 0 ? 1 : wanted;
}

/** Adds the pod's own values of labels to the selectors that name only their keys. */
function applyLabelKeys({ metadata, spec }: Pod): void {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  for (const affinity of [podAffinity, podAntiAffinity]) {
    const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const term of [...required, ...preferred.map(({ podAffinityTerm }) => podAffinityTerm)]) {
      addLabelKeys(term.labelSelector, term.matchLabelKeys, 'In', metadata.labels);
      addLabelKeys(term.labelSelector, term.mismatchLabelKeys, 'NotIn', metadata.labels);
    }
  }
  for (const { labelSelector, matchLabelKeys } of spec?.topologySpreadConstraints ?? []) {
    addLabelKeys(labelSelector, matchLabelKeys, 'In', metadata.labels);
  }
}

function addLabelKeys(
  selector: LabelSelector | undefined,
  keys: readonly string[] | undefined,
  operator: 'In' | 'NotIn',
  labels: Readonly<Record<string, string>> | undefined,
): void {
  if (selector === undefined || labels === undefined) return;
  for (const key of keys ?? []) {
    const value = labels[key];
    if (value === undefined) continue;
    selector.matchExpressions = [...(selector.matchExpressions ?? []), { key, operator, values: [value] }];
  }
}

const NO_SPEC: PodSpec = { containers: [] };

function* podCauses(pod: Pod, old: Pod | undefined, subresource: string): CauseSteps {
  const { annotations } = pod.metadata;
  const spec = pod.spec ?? NO_SPEC;
  if (subresource === 'status') {
    yield* annotationUpdateCauses(annotations, old?.metadata.annotations, 'metadata.annotations');
    yield* podAnnotationCauses(annotations, spec, 'metadata.annotations');
    yield* podStatusCauses(pod, old!);
    return;
  }
  yield* podAnnotationCauses(annotations, spec, 'metadata.annotations');
  yield* podSpecCauses(spec, pod.metadata.name ?? '', 'spec');
  yield* tokenCauses(spec);
  for (const list of ['containers', 'initContainers'] as const) {
    yield* each(spec[list], `spec.${list}`, paddedImageCauses);
  }
  if (old !== undefined) {
    yield* annotationUpdateCauses(annotations, old.metadata.annotations, 'metadata.annotations');
    if (subresource === 'ephemeralcontainers') yield* ephemeralUpdateCauses(pod, old);
    else if (subresource === 'resize') yield* resizeCauses(pod, old);
    else if (subresource === '') yield* specUpdateCauses(spec, old.spec ?? NO_SPEC);
    return;
  }
  if ((spec.ephemeralContainers ?? []).length > 0) {
    yield fieldForbidden('spec.ephemeralContainers', 'cannot be set on create');
  }
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
    yield fieldForbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared');
  }
  yield* annotationConflictCauses(annotations, spec, 'spec');
}

/** Causes for tokens of a ServiceAccount that the pod does not name. */
function* tokenCauses({ serviceAccountName, volumes }: PodSpec): CauseSteps {
  if (serviceAccountName) return;
  yield* each(volumes, 'spec.volumes', ({ projected }, place) =>
    each(projected?.sources, `${place}.projected.sources`, function* ({ serviceAccountToken }, source) {
      if (serviceAccountToken === undefined) return;
      const rule = 'must not be specified when serviceAccountName is not set';
      yield fieldForbidden(`${source}.serviceAccountToken`, rule);
    }),
  );
}
