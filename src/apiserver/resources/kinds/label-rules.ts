import { isDeepStrictEqual } from 'node:util';
import { fieldForbidden, fieldInvalid, fieldRequired } from '../../../meta/errors/field-cause.js';
import { labelKeyErrors, labelValueErrors } from '../../../meta/names.js';
import type { LabelSelector } from '../../../meta/objects.js';
import { labelSelectorFromObject } from '../../../meta/selectors/label-selector.js';
import { type CauseSteps, each, ITEMS_PER_STEP, invalids } from '../causes.js';

/** Causes for invalid labels, and for node selectors, which are labels too. */
export function* labelCauses(labels: Readonly<Record<string, string>> | undefined, path: string): CauseSteps {
  if (labels === undefined || labels === null) return;
  let at = 0;
  for (const key of Object.keys(labels)) {
    yield* invalids(path, key, labelKeyErrors(key));
    yield* invalids(path, labels[key], labelValueErrors(labels[key]!));
    if (++at % ITEMS_PER_STEP === 0) yield undefined;
  }
}

type Requirement = NonNullable<LabelSelector['matchExpressions']>[number];

/** Causes for an invalid label selector; a missing one is fine. */
export function* selectorCauses(selector: LabelSelector | undefined, path: string): CauseSteps {
  if (selector === undefined || selector === null) return;
  yield* labelCauses(selector.matchLabels, `${path}.matchLabels`);
  yield* each(selector.matchExpressions, `${path}.matchExpressions`, requirementCauses);
}

function* requirementCauses({ key, operator, values = [] }: Requirement, path: string): CauseSteps {
  yield* operatorCauses(operator, values ?? [], path);
  yield* invalids(`${path}.key`, key, labelKeyErrors(key));
  yield* each(values, `${path}.values`, (value, place) => invalids(place, value, labelValueErrors(value)));
}

/** Causes for an operator that does not fit its values, in selectors of labels and of nodes. */
export function* operatorCauses(operator: string, values: readonly string[], path: string): CauseSteps {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      yield fieldRequired(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      yield fieldForbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else yield fieldInvalid(`${path}.operator`, operator, 'not a valid selector operator');
}

/** Whether a selector has no conditions. */
export function isEmptySelector({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return Object.keys(matchLabels ?? {}).length + (matchExpressions ?? []).length === 0;
}

/**
 * Whether a selector matches labels; undefined if it is not valid. A missing selector matches nothing.
 */
export function selects(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean | undefined {
  if (selector === undefined || selector === null) return false;
  try {
    return labelSelectorFromObject(selector).matches(labels ?? {});
  } catch {
    return undefined;
  }
}

/** The cause for a change of a value that cannot change. */
export function* immutableCauses(value: unknown, old: unknown, path: string): CauseSteps {
  if (!isDeepStrictEqual(value, old)) yield fieldInvalid(path, value ?? null, 'field is immutable');
}
