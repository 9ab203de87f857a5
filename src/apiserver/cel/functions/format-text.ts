import { CelType } from '../check/types.js';
import {
  CelError,
  type CelList,
  type CelMap,
  costExceeded,
  Duration,
  elementsOf,
  isList,
  isMap,
  isOpaque,
  noSuchOverload,
  Timestamp,
  typeOf,
  Uint,
  type Value,
} from '../eval/values.js';
import { conversions } from './conversions.js';
import { maxTextLength } from './strings.js';

/** Reads the clauses of a format string: text, or a letter with its precision. An error for an unknown letter. */
export function formatClauses(
  format: string,
): (string | { letter: string; precision: number | undefined })[] | CelError {
  const clauses: (string | { letter: string; precision: number | undefined })[] = [];
  let text = '';
  for (let i = 0; i < format.length; i++) {
    const character = format.charAt(i);
    if (character !== '%') {
      text += character;
      continue;
    }
    if (i + 1 >= format.length) return new CelError('unexpected end of string');
    if (format.charAt(i + 1) === '%') {
      text += '%';
      i++;
      continue;
    }
    const clause = /^%(?:\.(\d*))?(.)?/s.exec(format.slice(i)) as RegExpExecArray;
    const [whole, precision, letter] = clause;
    if (precision === '')
      return new CelError(
        'could not parse formatting clause: error while parsing precision: could not convert precision to integer: strconv.Atoi: parsing "": invalid syntax',
      );
    if (letter === undefined) return new CelError('could not parse formatting clause: unexpected end of string');
    if (!'sdfebxXo'.includes(letter))
      return new CelError(`could not parse formatting clause: unrecognized formatting clause "${letter}"`);
    clauses.push(text, { letter, precision: precision === undefined ? undefined : Number(precision) });
    text = '';
    i += whole.length - 1;
  }
  clauses.push(text);
  return clauses;
}

/** `'%d of %s'.format([1, 'x'])` */
export function format(text: Value, args: Value): Value {
  if (typeof text !== 'string' || !isList(args)) return noSuchOverload;
  const clauses = formatClauses(text);
  if (clauses instanceof CelError) return clauses;
  let result = '';
  let next = 0;
  for (const clause of clauses) {
    if (typeof clause === 'string') {
      result += clause;
      continue;
    }
    if (next >= args.listSize) return new CelError(`index ${next} out of range`);
    const shown = formatClause(clause.letter, clause.precision ?? 6, args.at(next++));
    if (shown instanceof CelError) return new CelError(`error during formatting: ${shown.message}`);
    result += shown;
    if (result.length > maxTextLength) return costExceeded;
  }
  return result;
}

function formatClause(letter: string, precision: number, value: Value): string | CelError {
  const type = typeOf(value).name;
  const integer = typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;
  switch (letter) {
    case 's':
      return formatString(value);
    case 'd':
      return integer === undefined
        ? new CelError(`decimal clause can only be used on integers, was given ${type}`)
        : String(integer);
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integer === undefined
        ? new CelError(`only integers and bools can be formatted as binary, was given ${type}`)
        : integer.toString(2);
    case 'o':
      return integer === undefined
        ? new CelError(`octal clause can only be used on integers, was given ${type}`)
        : integer.toString(8);
    case 'x':
    case 'X': {
      const hex =
        integer?.toString(16) ??
        (typeof value === 'string' || value instanceof Uint8Array ? Buffer.from(value).toString('hex') : undefined);
      if (hex === undefined)
        return new CelError(`only integers, byte buffers, and strings can be formatted as hex, was given ${type}`);
      return letter === 'X' ? hex.toUpperCase() : hex;
    }
    default:
      return formatFloat(letter, precision, value, type);
  }
}

function formatFloat(letter: string, precision: number, value: Value, type: string): string | CelError {
  const number = value === 'NaN' || value === 'Infinity' || value === '-Infinity' ? Number(value) : value;
  if (typeof number !== 'number')
    return new CelError(
      `${letter === 'f' ? 'fixed-point' : 'scientific'} clause can only be used on doubles, was given ${type}`,
    );
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? '∞' : '-∞';
  if (letter === 'f') return formatFixed(number, Math.min(precision, 100));
  const [mantissa, exponent] = number.toExponential(6).split('e') as [string, string];
  const power = Number(exponent);
  return `${mantissa}×10${superscript(`${power < 0 ? '-' : ''}${String(Math.abs(power)).padStart(2, '0')}`)}`;
}

/** The most digits after the point that `toLocaleString` takes in every release of Node.js; `toFixed` takes 100. */
const MOST_LOCALE_DIGITS = 20;

function formatFixed(number: number, digits: number): string {
  const given = Math.min(digits, MOST_LOCALE_DIGITS);
  const shown = number.toLocaleString('en-US', { minimumFractionDigits: given, maximumFractionDigits: given });
  if (digits === given) return shown;
  // So many digits round nothing away before the point.
  const fraction = (Math.abs(number) % 1).toFixed(digits).slice(1);
  return `${shown.slice(0, shown.indexOf('.'))}${fraction}`;
}

function superscript(text: string): string {
  const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  return [...text].map((character) => (character === '-' ? '⁻' : digits.charAt(Number(character)))).join('');
}

function formatString(value: Value): string | CelError {
  if (value === null) return 'null';
  if (value instanceof CelType) return value.name;
  if (isList(value)) return formatList(value);
  if (isMap(value)) return formatMap(value);
  if (isOpaque(value) || value instanceof CelError || !isFormattable(value))
    return new CelError(
      `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeOf(value).name}`,
    );
  return conversions['string']?.(value) as string | CelError;
}

function isFormattable(value: Value): boolean {
  return (
    typeof value !== 'object' ||
    value instanceof Uint ||
    value instanceof Uint8Array ||
    value instanceof Timestamp ||
    value instanceof Duration
  );
}

/** An element of a list or a value of a map: texts are quoted, times are shown as calls. */
function formatElement(value: Value): string | CelError {
  if (typeof value === 'number')
    return Number.isFinite(value)
      ? value.toFixed(6)
      : JSON.stringify(String(value).replace('Infinity', '+Inf').replace('-+', '-'));
  const shown = formatString(value);
  if (shown instanceof CelError) return new CelError(`no formatting function for ${typeOf(value).name}`);
  if (typeof value === 'string') return JSON.stringify(shown);
  if (value instanceof Uint8Array) return `b${JSON.stringify(shown)}`;
  if (value instanceof Timestamp) return `timestamp("${shown}")`;
  return value instanceof Duration ? `duration("${shown}")` : shown;
}

function formatList(list: CelList): string | CelError {
  const shown: string[] = [];
  for (const element of elementsOf(list)) {
    const text = formatElement(element);
    if (text instanceof CelError) return text;
    shown.push(text);
  }
  return `[${shown.join(', ')}]`;
}

function formatMap(map: CelMap): string | CelError {
  const shown: [string, string][] = [];
  for (const key of map.keys()) {
    const value = formatElement(map.find(key) ?? null);
    if (value instanceof CelError) return value;
    shown.push([formatElement(key) as string, value]);
  }
  shown.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${shown.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}
