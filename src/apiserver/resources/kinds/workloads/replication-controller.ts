import { fieldInvalid, fieldRequired } from '../../../../meta/errors/field-cause.js';
import type { ReplicationController } from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { type CauseSteps, nonNegative } from '../../causes.js';
import { notSupported, type Strategy, strategyFor } from '../../strategy.js';
import { fill } from '../fill.js';
import { fillTemplate } from '../pods/pod-defaults.js';
import { endingPodCauses, templateCauses } from '../pods/pod-template.js';
import { replicaFields, replicaStatusCauses } from './replica-set.js';

export const replicationControllers: Partial<Strategy> = strategyFor<ReplicationController>({
  fields: replicaFields,
  unknownField: notSupported,
  generation: 'content',
  dependents: 'orphan',
  *defaults({ metadata, spec }: ReplicationController): Steps<void> {
    if (spec === undefined) return;
    fill(spec, { replicas: 1 });
    // Selector and labels are those of the template if they are missing.
    const labels = spec.template?.metadata?.labels;
    if (labels !== undefined) {
      if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
      if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
    }
    yield* fillTemplate(spec.template);
  },
  *causes({ spec, status }, _old, subresource): CauseSteps {
    if (subresource === 'status') {
      yield* replicaStatusCauses(status);
      return;
    }
    const { selector = {}, template } = spec ?? {};
    yield* nonNegative(spec?.minReadySeconds, 'spec.minReadySeconds');
    const keys = Object.keys(selector ?? {});
    if (keys.length === 0) yield fieldRequired('spec.selector');
    yield* nonNegative(spec?.replicas, 'spec.replicas');
    if (template === undefined) {
      yield fieldRequired('spec.template');
      return;
    }
    const labels = template.metadata?.labels;
    if (keys.some((key) => labels?.[key] !== selector[key])) {
      const rule = '`selector` does not match template `labels`';
      yield fieldInvalid('spec.template.metadata.labels', labels ?? null, rule);
    }
    yield* templateCauses(template, 'spec.template');
    yield* endingPodCauses(template, 'ReplicationController', 'spec.template');
  },
});
