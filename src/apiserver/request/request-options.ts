import { StatusError } from '../../meta/errors/errors.js';
import { fieldForbidden, fieldNotSupported } from '../../meta/errors/field-cause.js';
import { badRequest, invalid, type StatusCause } from '../../meta/errors/status.js';
import type { FieldValidation } from './field-faults.js';

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
}

/** Reads the options of a write; `kind` is their kind in error messages. */
export function readWriteOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteOptions {
  const dryRun = query.getAll('dryRun');
  const causes = dryRunCauses(dryRun);
  const fieldValidation = query.get('fieldValidation') ?? '';
  if (!FIELD_VALIDATIONS.includes(fieldValidation)) {
    causes.push(fieldNotSupported('fieldValidation', fieldValidation, FIELD_VALIDATIONS));
  }
  // `force` is for server-side apply only.
  if (kind === 'PatchOptions' && query.has('force')) {
    causes.push(fieldForbidden('force', 'may not be specified for non-apply patch'));
  }
  if (causes.length > 0) throw new StatusError(invalid({ group: 'meta.k8s.io', kind }, '', causes));
  return { dryRun: dryRun.length > 0, fieldValidation: (fieldValidation || 'Warn') as FieldValidation };
}

const FIELD_VALIDATIONS: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

/** The only valid value of `dryRun` is `All`. */
export function dryRunCauses(dryRun: readonly string[]): StatusCause[] {
  return dryRun.every((value) => value === 'All') ? [] : [fieldNotSupported('dryRun', dryRun, ['All'])];
}
