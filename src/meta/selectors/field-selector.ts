import { ParseError } from '../errors/errors.js';

/** One condition of a field selector. */
export interface FieldRequirement {
  /** A field that the server supports for the resource, such as `metadata.name` or `spec.nodeName`. */
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Returns the value of a field as text. */
export type FieldLookup = (field: string) => string | undefined;

/** A parsed field selector: all of its requirements must hold. Immutable. */
export class ParsedFieldSelector {
  /** Selects every object. */
  static readonly everything: ParsedFieldSelector = new ParsedFieldSelector([]);

  /** Sorted by their text form. */
  readonly requirements: readonly FieldRequirement[];
  readonly #text: string;

  constructor(requirements: readonly FieldRequirement[]) {
    const printed = requirements.map((requirement) => ({ requirement, text: printRequirement(requirement) }));
    printed.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
    this.requirements = printed.map(({ requirement }) => requirement);
    this.#text = printed.map(({ text }) => text).join(',');
  }

  /** Whether every object is selected. */
  get matchesEverything(): boolean {
    return this.requirements.length === 0;
  }

  /** Whether the fields match; a missing field counts as empty. */
  matches(fields: Readonly<Record<string, string>> | FieldLookup): boolean {
    for (const { field, operator, value } of this.requirements) {
      const found = typeof fields === 'function' ? fields(field) : fields[field];
      const actual = typeof found === 'string' ? found : '';
      if ((actual === value) !== (operator === '=')) return false;
    }
    return true;
  }

  /** The value that the selector requires of a field; undefined if it allows more than one. */
  exactValue(field: string): string | undefined {
    return this.requirements.find((candidate) => candidate.field === field && candidate.operator === '=')?.value;
  }

  /** The `fieldSelector` query parameter; it parses to an equal selector. */
  toString(): string {
    return this.#text;
  }
}

function printRequirement({ field, operator, value }: FieldRequirement): string {
  return `${field}${operator}${escapeFieldValue(value)}`;
}

/** Escapes a text for use as a value in a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

/**
 * Parses `metadata.name=web,spec.nodeName!=`. In values, `\`, `,` and `=` are escaped with a `\`. Empty terms are ignored, and
 * an empty text selects everything.
 *
 * @throws ParseError with the position, worded as in kube-apiserver.
 */
export function parseFieldSelector(selector: string): ParsedFieldSelector {
  const requirements: FieldRequirement[] = [];
  for (let start = 0; start <= selector.length; ) {
    const end = endOfTerm(selector, start);
    const requirement = end > start ? parseTerm(selector, start, end) : undefined;
    // kube-apiserver ignores a term without field and value.
    if (requirement !== undefined && requirement.field + requirement.value !== '') requirements.push(requirement);
    start = end + 1;
  }
  return requirements.length === 0 ? ParsedFieldSelector.everything : new ParsedFieldSelector(requirements);
}

/** The index of the next comma that is not escaped, or the length. */
function endOfTerm(selector: string, start: number): number {
  for (let i = start; i < selector.length; i++) {
    if (selector[i] === '\\') i++;
    else if (selector[i] === ',') return i;
  }
  return selector.length;
}

function parseTerm(selector: string, start: number, end: number): FieldRequirement {
  const term = selector.slice(start, end);
  const operator = /!=|==?/.exec(term);
  if (operator === null) {
    const reason = `invalid selector: '${selector}'; can't understand '${term}'`;
    throw new ParseError('field selector', selector, start, reason);
  }
  const valueStart = start + operator.index + operator[0].length;
  return {
    field: term.slice(0, operator.index),
    operator: operator[0] === '!=' ? '!=' : '=',
    value: unescapeValue(selector, valueStart, end),
  };
}

function unescapeValue(selector: string, start: number, end: number): string {
  let value = '';
  for (let i = start; i < end; i++) {
    const character = selector[i] as string;
    if (character === '\\') {
      const escaped = i + 1 < end ? (selector[i + 1] as string) : '';
      if (escaped === '' || !'\\,='.includes(escaped)) {
        const reason = `invalid field selector: invalid escape sequence: \\${escaped}`;
        throw new ParseError('field selector', selector, i, reason);
      }
      value += escaped;
      i++;
    } else if (character === '=') {
      // kube-apiserver prints the code of the character.
      const reason = `invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`;
      throw new ParseError('field selector', selector, i, reason);
    } else value += character;
  }
  return value;
}
