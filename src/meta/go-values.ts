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
