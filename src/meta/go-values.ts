import { isJsonObject } from './json-values.js';

/** A JSON value as Go's `%v` prints it: `map[a:1 b:[x y]]`. */
export function printGoValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(printGoValue).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const names = Object.keys(value).sort();
  return `map[${names.map((name) => `${name}:${printGoValue(value[name])}`).join(' ')}]`;
}

/** The Go type that a JSON value is decoded to. */
export function goTypeName(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return { string: 'string', boolean: 'bool' }[typeof value as string] ?? 'map[string]interface {}';
}

/** The characters that Go writes as a backslash and a letter in quoted text, by that letter. */
export const GO_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

const QUOTED: ReadonlyMap<string, string> = new Map([
  ...Object.entries(GO_ESCAPES).map(([letter, character]) => [character, `\\${letter}`] as const),
  ['"', '\\"'],
]);

/** A character as it stands in text between double quotes in Go. */
export function quoteGoCharacter(character: string): string {
  return QUOTED.get(character) ?? character;
}
