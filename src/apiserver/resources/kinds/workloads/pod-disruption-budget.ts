import { fieldInvalid } from '../../../../meta/errors/field-cause.js';
import type { PodDisruptionBudget } from '../../../../resources/types/policy-v1.js';
import { type CauseSteps, oneOfIfSet } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { selectorCauses } from '../label-rules.js';
import { countCauses, countOrPercentCauses, mostPercentCauses } from './workload.js';

export const podDisruptionBudgets: Partial<Strategy> = strategyFor<PodDisruptionBudget>({
  generation: 'content',
  unconditionalUpdate: false,
  *causes({ spec = {}, status }, _old, subresource): CauseSteps {
    if (subresource === 'status') {
      if (status === undefined) return;
      yield* countCauses(status, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']);
      return;
    }
    const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
    if (minAvailable !== undefined && maxUnavailable !== undefined) {
      const shown = {
        MinAvailable: minAvailable,
        Selector: selector ?? null,
        MaxUnavailable: maxUnavailable,
        UnhealthyPodEvictionPolicy: policy ?? null,
      };
      yield fieldInvalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set');
    }
    for (const field of ['minAvailable', 'maxUnavailable'] as const) {
      const value = spec[field];
      if (value === undefined) continue;
      yield* countOrPercentCauses(value, `spec.${field}`);
      yield* mostPercentCauses(value, `spec.${field}`);
    }
    yield* selectorCauses(selector, 'spec.selector');
    yield* oneOfIfSet(policy, ['AlwaysAllow', 'IfHealthyBudget'], 'spec.unhealthyPodEvictionPolicy');
  },
});
