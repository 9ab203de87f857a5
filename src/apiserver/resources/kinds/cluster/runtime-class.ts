import { fieldDuplicate, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { dns1123LabelErrors } from '../../../../meta/names.js';
import type { RuntimeClass } from '../../../../resources/types/node-v1.js';
import { type CauseSteps, each, invalids } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { immutableCauses, labelCauses } from '../label-rules.js';
import { tolerationCauses } from '../pods/affinity.js';
import { roundAll } from '../pods/pod-defaults.js';
import { requirementsCauses } from '../pods/resource-rules.js';

export const runtimeClasses: Partial<Strategy> = strategyFor<RuntimeClass>({
  createOnUpdate: true,
  unconditionalUpdate: false,
  defaults: ({ overhead }) => roundAll(overhead?.podFixed),
  *causes({ handler, overhead, scheduling }, old): CauseSteps {
    if (old !== undefined) {
      yield* immutableCauses(handler, old.handler, 'handler');
      return;
    }
    if (!handler) yield fieldRequired('handler');
    else yield* invalids('handler', handler, dns1123LabelErrors(handler));
    if (overhead?.podFixed !== undefined) {
      yield* requirementsCauses({ limits: overhead.podFixed }, new Set(), 'overhead');
    }
    yield* labelCauses(scheduling?.nodeSelector, 'scheduling.nodeSelector');
    yield* tolerationCauses(scheduling?.tolerations, 'scheduling.tolerations');
    const seen = new Set<string>();
    yield* each(scheduling?.tolerations, 'scheduling.tolerations', function* (toleration, place) {
      const key = JSON.stringify([toleration.key, toleration.operator, toleration.value, toleration.effect]);
      if (seen.has(key)) yield fieldDuplicate(place, toleration);
      seen.add(key);
    });
  },
});
