import {
  fieldDuplicate,
  fieldInvalid,
  fieldInvalidWithoutValue,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
} from '../../../../meta/errors/field-cause.js';
import { labelKeyErrors } from '../../../../meta/names.js';
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from '../../../../resources/types/batch-v1.js';
import { type CauseSteps, each, invalids, nonNegative } from '../../causes.js';
import { indexesProblem } from './job-indexes.js';

/* When a Job fails or succeeds before all of its pods have. */

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_INDEXES_LENGTH = 64 * 1024;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

/** The values of a set as Go prints them. */
function listed(values: readonly string[]): string {
  return `valid values: [${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}

/** Like `oneOf`, with the valid values in the cause for a missing one. */
function* listedOneOf(value: string | undefined, supported: readonly string[], path: string): CauseSteps {
  if (!value) yield fieldRequired(path, listed(supported));
  else if (!supported.includes(value)) yield fieldNotSupported(path, value, supported);
}

/** Causes for the rules by which failed pods count. */
export function* failurePolicyCauses(spec: JobSpec, path: string): CauseSteps {
  const rules = spec.podFailurePolicy?.rules ?? [];
  if (rules.length > MAX_RULES) yield fieldTooMany(`${path}.rules`, rules.length, MAX_RULES);
  const pod = spec.template?.spec;
  const names = new Set([...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].map(({ name }) => name));
  yield* each(rules, `${path}.rules`, (rule, place) => failureRuleCauses(rule, spec, names, place));
}

function* failureRuleCauses(
  { action, onExitCodes, onPodConditions }: PodFailurePolicyRule,
  spec: JobSpec,
  names: ReadonlySet<string>,
  path: string,
): CauseSteps {
  const conditions = onPodConditions ?? [];
  if (action === 'FailIndex') {
    if (spec.backoffLimitPerIndex === undefined) {
      yield fieldInvalid(`${path}.action`, action, 'requires the backoffLimitPerIndex to be set');
    }
  } else yield* listedOneOf(action, ACTIONS, `${path}.action`);
  if (onExitCodes !== undefined) yield* exitCodeCauses(onExitCodes, names, `${path}.onExitCodes`);
  if (conditions.length > MAX_RULES) yield fieldTooMany(`${path}.onPodConditions`, conditions.length, MAX_RULES);
  yield* each(conditions, `${path}.onPodConditions`, function* ({ type, status }, place) {
    yield* invalids(`${place}.type`, type, labelKeyErrors(type));
    yield* listedOneOf(status, STATUSES, `${place}.status`);
  });
  const both = 'OnExitCodes and OnPodConditions is';
  if (onExitCodes !== undefined && conditions.length > 0) {
    yield fieldInvalidWithoutValue(path, `specifying both ${both} not supported`);
  }
  if (onExitCodes === undefined && conditions.length === 0) {
    yield fieldInvalidWithoutValue(path, `specifying one of ${both} required`);
  }
}

function* exitCodeCauses(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  names: ReadonlySet<string>,
  path: string,
): CauseSteps {
  const codes = values ?? [];
  yield* listedOneOf(operator, OPERATORS, `${path}.operator`);
  if (containerName !== undefined && !names.has(containerName)) {
    const rule = 'must be one of the container or initContainer names in the pod template';
    yield fieldInvalid(`${path}.containerName`, containerName, rule);
  }
  if (codes.length === 0) yield fieldInvalid(`${path}.values`, codes, 'at least one value is required');
  else if (codes.length > MAX_EXIT_CODES) yield fieldTooMany(`${path}.values`, codes.length, MAX_EXIT_CODES);
  const seen = new Set<number>();
  yield* each(codes, `${path}.values`, function* (code, place) {
    if (operator === 'In' && code === 0) yield fieldInvalid(place, code, 'must not be 0 for the In operator');
    if (seen.has(code)) yield fieldDuplicate(place, code);
    seen.add(code);
  });
  if (codes.some((code, at) => at > 0 && codes[at - 1]! > code)) {
    yield fieldInvalid(`${path}.values`, codes, 'must be ordered');
  }
}

/** Causes for the rules by which a Job succeeds early. */
export function* successPolicyCauses(spec: JobSpec, path: string): CauseSteps {
  const rules = spec.successPolicy?.rules ?? [];
  if (rules.length === 0) {
    const rule = 'at least one rules must be specified when the successPolicy is specified';
    yield fieldRequired(`${path}.rules`, rule);
  }
  if (rules.length > MAX_RULES) yield fieldTooMany(`${path}.rules`, rules.length, MAX_RULES);
  yield* each(rules, `${path}.rules`, (rule, place) => successRuleCauses(rule, spec.completions ?? 0, place));
}

function* successRuleCauses(
  { succeededIndexes, succeededCount: count }: SuccessPolicyRule,
  completions: number,
  path: string,
): CauseSteps {
  if (count === undefined && succeededIndexes === undefined) {
    yield fieldRequired(path, 'at least one of succeededCount or succeededIndexes must be specified');
  }
  let total = 0;
  if (succeededIndexes !== undefined) {
    const place = `${path}.succeededIndexes`;
    if (succeededIndexes.length > MAX_INDEXES_LENGTH) yield fieldTooLong(place, MAX_INDEXES_LENGTH);
    const { problem, total: found } = indexesProblem(succeededIndexes, completions);
    total = found;
    if (problem !== undefined) {
      yield fieldInvalid(place, succeededIndexes, `error parsing succeededIndexes: ${problem}`);
    }
  }
  if (count === undefined) return;
  const place = `${path}.succeededCount`;
  yield* nonNegative(count, place);
  if (count > completions) {
    const rule = `must be less than or equal to ${completions} (the number of specified completions)`;
    yield fieldInvalid(place, count, rule);
  }
  if (succeededIndexes !== undefined && count > total) {
    const rule = `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`;
    yield fieldInvalid(place, count, rule);
  }
}
