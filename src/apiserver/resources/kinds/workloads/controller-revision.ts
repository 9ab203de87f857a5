import { fieldRequired } from '../../../../meta/errors/field-cause.js';
import { isJsonObject } from '../../../../meta/json-values.js';
import type { ControllerRevision } from '../../../../resources/types/apps-v1.js';
import { type CauseSteps, nonNegative } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { immutableCauses } from '../label-rules.js';

export const controllerRevisions: Partial<Strategy> = strategyFor<ControllerRevision>({
  *causes({ revision, data }, old): CauseSteps {
    yield* nonNegative(revision, 'revision');
    if (old !== undefined) yield* immutableCauses(data, old.data, 'data');
    else if (data === undefined || data === null) yield fieldRequired('data', 'data is mandatory');
    else if (!isJsonObject(data)) yield fieldRequired('data', 'data must be a valid JSON object');
  },
});
