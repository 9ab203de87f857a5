import { valueAt } from '../../../../meta/json-paths.js';
import type { ReplicaSet, ReplicaSetStatus } from '../../../../resources/types/apps-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { type CauseSteps, nonNegative } from '../../causes.js';
import { type SelectableFields, type Strategy, strategyFor, text } from '../../strategy.js';
import { fill } from '../fill.js';
import { immutableCauses } from '../label-rules.js';
import { fillTemplate } from '../pods/pod-defaults.js';
import { replicaTemplateCauses } from './deployment.js';
import { availableCauses, countCauses, excessCauses, NO_TEMPLATE, requiredSelectorCauses } from './workload.js';

/** The selectable field of ReplicaSets and ReplicationControllers. */
export const replicaFields: SelectableFields = {
  'status.replicas': (object) => text(valueAt(object, ['status', 'replicas'])) || '0',
};

export const replicaSets: Partial<Strategy> = strategyFor<ReplicaSet>({
  generation: 'content',
  fields: replicaFields,
  *defaults({ spec }: ReplicaSet): Steps<void> {
    if (spec === undefined) return;
    fill(spec, { replicas: 1 });
    yield* fillTemplate(spec.template);
  },
  *causes({ spec, status }, old, subresource): CauseSteps {
    if (subresource === 'status') {
      yield* replicaStatusCauses(status);
      return;
    }
    yield* nonNegative(spec?.replicas, 'spec.replicas');
    yield* nonNegative(spec?.minReadySeconds, 'spec.minReadySeconds');
    yield* requiredSelectorCauses(spec?.selector, 'deployment', 'spec.selector');
    yield* replicaTemplateCauses(spec?.selector, spec?.template ?? NO_TEMPLATE);
    if (old !== undefined) yield* immutableCauses(spec?.selector, old.spec?.selector, 'spec.selector');
  },
});

const COUNTS = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

/** Causes for the status of a ReplicaSet or ReplicationController. */
export function* replicaStatusCauses(status: ReplicaSetStatus | undefined): CauseSteps {
  if (status === undefined) return;
  yield* countCauses(status, ['replicas', ...COUNTS, 'observedGeneration', 'terminatingReplicas']);
  yield* excessCauses(status, COUNTS);
  yield* availableCauses(status);
}
