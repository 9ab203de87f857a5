import { fieldTooLong } from '../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../meta/errors/status.js';
import { quoteGoCharacter } from '../../../meta/go-values.js';

const MAX_BYTES = 128;
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** The name of a request's writer in managedFields: its `fieldManager`, otherwise its User-Agent as far as the first slash. */
export function managerName(fieldManager: string, userAgent: string | undefined): string {
  if (fieldManager !== '') return fieldManager;
  let name = '';
  let size = 0;
  for (const character of (userAgent ?? '').split('/', 1)[0]!) {
    if (UNPRINTABLE.test(character)) continue;
    size += Buffer.byteLength(character);
    if (size > MAX_BYTES) break;
    name += character;
  }
  return name;
}

/** Causes for an invalid `fieldManager`. */
export function* managerCauses(fieldManager: string): Generator<StatusCause> {
  if (Buffer.byteLength(fieldManager) > MAX_BYTES) yield fieldTooLong('fieldManager', MAX_BYTES);
  let position = 0;
  for (const character of fieldManager) {
    if (UNPRINTABLE.test(character)) {
      const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
      const message = `Invalid value: ${goQuote(fieldManager)}: invalid character U+${code} (at position ${position})`;
      yield { reason: 'FieldValueInvalid', message, field: 'fieldManager' };
    }
    position += Buffer.byteLength(character);
  }
}

/** A text as Go's `%q` prints it. */
function goQuote(text: string): string {
  let quoted = '';
  for (const character of text) {
    const code = character.codePointAt(0)!;
    const escaped = quoteGoCharacter(character);
    if (escaped !== character || !UNPRINTABLE.test(character)) quoted += escaped;
    else if (code < 0x80) quoted += `\\x${code.toString(16).padStart(2, '0')}`;
    else
      quoted += code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  }
  return `"${quoted}"`;
}
