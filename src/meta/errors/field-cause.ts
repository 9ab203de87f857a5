/**
 * Makes a {@link StatusCause} for one invalid field, worded as in kube-apiserver. `invalid` of status.ts makes a 422 Status
 * of several.
 */
import type { StatusCause } from './status.js';

function cause(reason: string, field: string, ...parts: string[]): StatusCause {
  return { reason, message: parts.filter((part) => part !== '').join(': '), field };
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

/** A value that breaks a rule. */
export function fieldInvalid(field: string, value: unknown, detail: string): StatusCause {
  return cause('FieldValueInvalid', field, 'Invalid value', show(value), detail);
}

/** A missing value. */
export function fieldRequired(field: string, detail = ''): StatusCause {
  return cause('FieldValueRequired', field, 'Required value', detail);
}

/** A value that is not allowed in this place. */
export function fieldForbidden(field: string, detail: string): StatusCause {
  return cause('FieldValueForbidden', field, 'Forbidden', detail);
}

/** A value that is not one of a fixed set. */
export function fieldNotSupported(field: string, value: unknown, supported: readonly string[]): StatusCause {
  const words = supported.length === 0 ? '' : `supported values: ${supported.map(show).join(', ')}`;
  return cause('FieldValueNotSupported', field, 'Unsupported value', show(value), words);
}

/** A value over the limit in bytes; the message does not repeat it. */
export function fieldTooLong(field: string, maxBytes: number): StatusCause {
  return cause(
    'FieldValueTooLong',
    field,
    'Too long',
    `may not be more than ${maxBytes} ${maxBytes === 1 ? 'byte' : 'bytes'}`,
  );
}

/** A value that breaks a rule, and that the message does not repeat. */
export function fieldInvalidWithoutValue(field: string, detail: string): StatusCause {
  return cause('FieldValueInvalid', field, 'Invalid value', detail);
}

/** A value that occurs twice where it must be unique. */
export function fieldDuplicate(field: string, value: unknown, detail = ''): StatusCause {
  return cause('FieldValueDuplicate', field, 'Duplicate value', show(value), detail);
}

/** A reference to something that does not exist. */
export function fieldNotFound(field: string, value: unknown, detail = ''): StatusCause {
  return cause('FieldValueNotFound', field, 'Not found', show(value), detail);
}

/** A list or map with too many items. */
export function fieldTooMany(field: string, found: number, most: number): StatusCause {
  const detail = `must have at most ${most} ${most === 1 ? 'item' : 'items'}`;
  return cause('FieldValueTooMany', field, 'Too many', String(found), detail);
}

/** A value of a wrong type. */
export function fieldTypeInvalid(field: string, value: unknown, detail: string): StatusCause {
  return cause('FieldValueTypeInvalid', field, 'Invalid value', show(value), detail);
}
