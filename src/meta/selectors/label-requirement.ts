import { fieldInvalid, fieldNotSupported } from '../errors/field-cause.js';
import type { StatusCause } from '../errors/status.js';
import { labelKeyErrors, labelValueErrors } from '../names.js';

/** The operator of a requirement. `==` means the same as `=`. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

const operators: readonly LabelOperator[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt', 'exists', '!'];

/** One condition of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, without duplicates. None for `exists` and `!`, one for `=`, `==`, `!=`, `gt` and `lt`. */
  readonly values: readonly string[];
}

/** The errors that kube-apiserver reports for a requirement; an empty array if it is valid. */
export function labelRequirementCauses(requirement: LabelRequirement): StatusCause[] {
  const { key, operator, values } = requirement;
  const causes: StatusCause[] = [];
  const keyErrors = labelKeyErrors(key);
  if (keyErrors.length > 0) causes.push(fieldInvalid('key', key, keyErrors.join('; ')));
  const countError = operators.includes(operator) ? valueCountError(operator, values.length) : undefined;
  if (!operators.includes(operator)) causes.push(fieldNotSupported('operator', operator, operators));
  if (countError !== undefined) causes.push(fieldInvalid('values', values, countError));
  if (operator === 'gt' || operator === 'lt') {
    for (const [i, value] of values.entries()) {
      if (parseInt64(value) !== undefined) continue;
      causes.push(fieldInvalid(`values[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
  }
  for (const [i, value] of values.entries()) {
    const errors = labelValueErrors(value);
    if (errors.length > 0) causes.push(fieldInvalid(`values[${i}][${key}]`, value, errors.join('; ')));
  }
  return causes;
}

function valueCountError(operator: LabelOperator, count: number): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case 'exists':
    case '!':
      return count !== 0 ? 'values set must be empty for exists and does not exist' : undefined;
    case 'gt':
    case 'lt':
      return count !== 1 ? "for 'Gt', 'Lt' operators, exactly one value is required" : undefined;
    default:
      return count !== 1 ? 'exact-match compatibility requires one single value' : undefined;
  }
}

/** Whether a requirement holds for the value of its label, which is undefined if the object has no such label. */
export function labelRequirementHolds(requirement: LabelRequirement, value: string | undefined): boolean {
  const { operator, values } = requirement;
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && isAmong(values, value);
    case '!=':
    case 'notin':
      return value === undefined || !isAmong(values, value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt':
      return value !== undefined && isBeyond(value, values[0] as string, operator);
  }
}

/** From so many values on, a set finds one faster than a search. */
const MANY_VALUES = 16;
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether a value is one of a requirement's; each object of a list may be asked for it. */
function isAmong(values: readonly string[], value: string): boolean {
  if (values.length < MANY_VALUES) return values.includes(value);
  let set = sets.get(values);
  if (set === undefined) sets.set(values, (set = new Set(values)));
  return set.has(value);
}

function isBeyond(value: string, bound: string, operator: 'gt' | 'lt'): boolean {
  const left = parseInt64(value);
  const right = parseInt64(bound);
  if (left === undefined || right === undefined) return false;
  return operator === 'gt' ? left > right : left < right;
}

/** Parses a decimal integer of 64 bits as Go does; undefined for anything else. */
function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** The text form of a requirement; it parses to an equal one. */
export function printLabelRequirement(requirement: LabelRequirement): string {
  const { key, operator, values } = requirement;
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    case 'gt':
      return `${key}>${values[0]}`;
    case 'lt':
      return `${key}<${values[0]}`;
    default:
      return `${key}${operator}${values[0]}`;
  }
}
