import { optionError } from '../meta/options/validate.js';

/** Returns the same string (or other primitive) for items that are the same work. */
export type KeyOf<T> = (item: T) => unknown;

/**
 * The default `KeyOf`: a primitive is its own key, an object is compared by its fields in any order. So `{ namespace, name }`
 * built for each event is one item.
 */
export function keyByValue(item: unknown): unknown {
  return typeof item === 'object' && item !== null ? canonical(item) : item;
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    // A Date or a Map has no fields to compare: all of them would be one item.
    throw optionError('item', 'a primitive or a plain object, unless the queue has a keyOf', value);
  }
  const fields = value as Record<string, unknown>;
  const names = Object.keys(fields).filter((name) => fields[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(fields[name])}`)
    .join()}}`;
}
