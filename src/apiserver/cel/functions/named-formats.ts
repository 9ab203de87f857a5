import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelKeyErrors,
  labelValueErrors,
} from '../../../meta/names.js';
import { formatType } from '../check/declarations.js';
import type { CelType } from '../check/types.js';
import { parseDate } from '../eval/time.js';
import { ArrayList, CelError, noSuchOverload, type OpaqueValue, Optional, Timestamp } from '../eval/values.js';
import type { CelFunction } from './function.js';
import { parseRequestUri } from './url.js';

/** A named format of strings. */
export class NamedFormat implements OpaqueValue {
  readonly opaqueType: CelType = formatType;

  constructor(
    readonly name: string,
    /** The length of the pattern, which counts for the cost. */
    readonly patternSize: number,
    readonly problemsOf: (text: string) => string[],
  ) {}

  equals(other: OpaqueValue): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

/** A name that is generated from this prefix may end with a dash, which becomes a letter. */
function asPrefix(text: string): string {
  return text.length > 1 && text.endsWith('-') ? `${text.slice(0, -1)}a` : text;
}

function uriProblems(text: string): string[] {
  const url = parseRequestUri(text);
  return url instanceof CelError ? [url.message] : [];
}

function pattern(test: (text: string) => boolean, problem: string): (text: string) => string[] {
  return (text) => (test(text) ? [] : [problem]);
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  const match = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})$/.exec(time ?? '');
  if (match === null || !(parseDate(date) instanceof Timestamp)) return false;
  return Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59;
}

const dateTimePatternSize = 71;

const formats: ReadonlyMap<string, NamedFormat> = new Map(
  (
    [
      ['dns1123Label', 30, dns1123LabelErrors],
      ['dns1123Subdomain', 60, dns1123SubdomainErrors],
      ['dns1035Label', 30, dns1035LabelErrors],
      ['qualifiedName', 60, labelKeyErrors],
      ['dns1123LabelPrefix', 30, (text) => dns1123LabelErrors(asPrefix(text))],
      ['dns1123SubdomainPrefix', 60, (text) => dns1123SubdomainErrors(asPrefix(text))],
      ['dns1035LabelPrefix', 30, (text) => dns1035LabelErrors(asPrefix(text))],
      ['labelValue', 40, labelValueErrors],
      ['uri', 1103, uriProblems],
      [
        'uuid',
        70,
        pattern(
          (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
          'does not match the UUID format',
        ),
      ],
      ['byte', 84, pattern((text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text), 'invalid base64')],
      ['date', dateTimePatternSize, pattern((text) => parseDate(text) instanceof Timestamp, 'invalid date')],
      ['datetime', dateTimePatternSize, pattern(isDateTime, 'invalid datetime')],
    ] as [string, number, (text: string) => string[]][]
  ).map(([name, size, problemsOf]) => [name, new NamedFormat(name, size, problemsOf)]),
);

export const namedFormats: Readonly<Record<string, CelFunction>> = {
  ...Object.fromEntries([...formats].map(([name, format]) => [`format.${name}`, () => format])),
  'format.named': (name) => {
    if (typeof name !== 'string') return noSuchOverload;
    const format = formats.get(name);
    return format === undefined ? Optional.none : Optional.of(format);
  },
  validate: (format, text) => {
    if (!(format instanceof NamedFormat) || typeof text !== 'string') return noSuchOverload;
    const problems = format.problemsOf(text);
    return problems.length === 0 ? Optional.none : Optional.of(new ArrayList(problems));
  },
};
