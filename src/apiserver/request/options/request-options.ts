import { StatusError } from '../../../meta/errors/errors.js';
import { fieldForbidden, fieldNotSupported, fieldRequired } from '../../../meta/errors/field-cause.js';
import { badRequest, invalid, type StatusCause } from '../../../meta/errors/status.js';
import { queryFlag } from '../../wire/request-info.js';
import type { FieldValidation } from '../body/field-faults.js';
import { managerCauses } from './manager-name.js';

const INTEGER = /^[+-]?\d+$/;

/** An integer of the query; throws 400 with the message of Go's parser. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!INTEGER.test(text)) {
    throw new StatusError(badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`));
  }
  if (!isInt64(Number(text))) {
    throw new StatusError(badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`));
  }
  return Number(text);
}

/** Whether a number fits into int64. */
function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** Options of a create, update or patch. */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** What becomes of unknown and duplicate fields. */
  readonly fieldValidation: FieldValidation;
  /** `fieldValidation` as it was sent; empty if it was not. */
  readonly sentFieldValidation: string;
  /** Empty if the request does not name one. */
  readonly fieldManager: string;
  /** Whether an apply takes fields from their managers. */
  readonly force: boolean;
}

/** Reads the options of a write; `kind` is their kind in error messages. */
export function readWriteOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  isApply = false,
): WriteOptions {
  const fieldManager = query.get('fieldManager') ?? '';
  const causes: StatusCause[] = [];
  if (isApply && fieldManager === '') causes.push(fieldRequired('fieldManager', 'is required for apply patch'));
  // `force` is for server-side apply only.
  if (kind === 'PatchOptions' && query.has('force') && !isApply) {
    causes.push(fieldForbidden('force', 'may not be specified for non-apply patch'));
  }
  causes.push(...managerCauses(fieldManager));
  const dryRun = query.getAll('dryRun');
  causes.push(...dryRunCauses(dryRun));
  const fieldValidation = query.get('fieldValidation') ?? '';
  if (!FIELD_VALIDATIONS.includes(fieldValidation)) {
    causes.push(fieldNotSupported('fieldValidation', fieldValidation, FIELD_VALIDATIONS));
  }
  if (causes.length > 0) throw new StatusError(invalid({ group: 'meta.k8s.io', kind }, '', causes));
  return {
    dryRun: dryRun.length > 0,
    fieldValidation: (fieldValidation || 'Warn') as FieldValidation,
    sentFieldValidation: fieldValidation,
    fieldManager,
    force: queryFlag(query, 'force'),
  };
}

const FIELD_VALIDATIONS: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

/** The only valid value of `dryRun` is `All`. */
export function dryRunCauses(dryRun: readonly string[]): StatusCause[] {
  return dryRun.every((value) => value === 'All') ? [] : [fieldNotSupported('dryRun', dryRun, ['All'])];
}
