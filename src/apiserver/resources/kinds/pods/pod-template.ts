import { fieldForbidden, fieldInvalid, fieldNotSupported } from '../../../../meta/errors/field-cause.js';
import type { LabelSelector } from '../../../../meta/objects.js';
import type { PodTemplate, PodTemplateSpec } from '../../../../resources/types/core-v1.js';
import type { CauseSteps } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { labelCauses, selects } from '../label-rules.js';
import { annotationCauses, annotationConflictCauses, podAnnotationCauses } from './pod-annotations.js';
import { fillTemplate } from './pod-defaults.js';
import { podSpecCauses } from './pod-spec.js';

export const podTemplates: Partial<Strategy> = strategyFor<PodTemplate>({
  generation: 'content',
  returnsDeleted: true,
  defaults: ({ template }) => fillTemplate(template),
  causes: ({ template }) => templateCauses(template ?? NO_TEMPLATE, 'template'),
});

const NO_TEMPLATE: PodTemplateSpec = { metadata: {}, spec: { containers: [] } };

/** Causes for the template of a workload. */
export function* templateCauses({ metadata, spec }: PodTemplateSpec, path: string): CauseSteps {
  const { labels, annotations } = metadata ?? {};
  const pod = spec ?? NO_TEMPLATE.spec!;
  yield* labelCauses(labels, `${path}.labels`);
  yield* annotationCauses(annotations, `${path}.annotations`);
  yield* podAnnotationCauses(annotations, pod, `${path}.annotations`);
  yield* podSpecCauses(pod, undefined, `${path}.spec`);
  yield* annotationConflictCauses(annotations, pod, `${path}.spec`);
  if ((pod.ephemeralContainers ?? []).length > 0) {
    yield fieldForbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template');
  }
}

/** The cause for a template whose labels the selector of its workload does not select. */
export function* unselectedCauses(
  selector: LabelSelector | undefined,
  { metadata }: PodTemplateSpec,
  path: string,
): CauseSteps {
  if (selects(selector, metadata?.labels) !== false) return;
  const rule = '`selector` does not match template `labels`';
  yield fieldInvalid(`${path}.metadata.labels`, metadata?.labels ?? null, rule);
}

/** Causes for a template of pods that end, in a workload that runs pods all the time. */
export function* endingPodCauses({ spec }: PodTemplateSpec, kind: string, path: string): CauseSteps {
  if (spec?.restartPolicy !== 'Always') {
    yield fieldNotSupported(`${path}.spec.restartPolicy`, spec?.restartPolicy ?? '', ['Always']);
  }
  if (spec?.activeDeadlineSeconds !== undefined) {
    const rule = `activeDeadlineSeconds in ${kind} is not Supported`;
    yield fieldForbidden(`${path}.spec.activeDeadlineSeconds`, rule);
  }
}
