import { isJsonObject } from '../meta/json-values.js';

/** Whether two JSON values are equal. A field that is undefined counts as missing. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  for (const name in a) if (a[name] !== undefined && !equalJson(a[name], b[name])) return false;
  for (const name in b) if (b[name] !== undefined && a[name] === undefined) return false;
  return true;
}

/** Whether a value has all fields of the other one, with equal values. Lists are equal, or have all items of a list by `type`. */
export function containsJson(value: unknown, part: unknown): boolean {
  if (Array.isArray(part) && Array.isArray(value) && part.every((item) => isJsonObject(item) && 'type' in item))
    return part.every((item) => containsJson(sameItem(value, item), item));
  if (!isJsonObject(part) || !isJsonObject(value)) return equalJson(value, part);
  for (const name in part) if (part[name] !== undefined && !containsJson(value[name], part[name])) return false;
  return true;
}

/**
 * Whether a value differs from what it was before only in what was sent: each field is as before or as sent. Items of lists are
 * found again by `type` or `name`, as in lists of conditions.
 */
export function isExplained(value: unknown, before: unknown, sent: unknown): boolean {
  if (equalJson(value, before) || equalJson(value, sent)) return true;
  if (Array.isArray(value)) {
    if (!Array.isArray(sent)) return false;
    const old: readonly unknown[] = Array.isArray(before) ? before : [];
    return value.every((item) => isExplained(item, sameItem(old, item), sameItem(sent, item)));
  }
  if (!isJsonObject(value) || !isJsonObject(sent)) return false;
  const old = isJsonObject(before) ? before : {};
  for (const name in value) if (!isExplained(value[name], old[name], sent[name])) return false;
  return true;
}

function sameItem(items: readonly unknown[], item: unknown): unknown {
  const equal = items.find((other) => equalJson(other, item));
  if (equal !== undefined || !isJsonObject(item)) return equal;
  const mark = typeof item['type'] === 'string' ? 'type' : 'name';
  return items.find((other) => isJsonObject(other) && other[mark] !== undefined && other[mark] === item[mark]);
}
