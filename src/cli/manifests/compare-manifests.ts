import { isDeepStrictEqual } from 'node:util';
import { valueAt } from '../../meta/json-paths.js';
import { getField, isJsonObject, type JsonObject } from '../../meta/json-values.js';

/**
 * The differences between the wanted objects and those that are there, a line for each: an object that is missing, one that is
 * not wanted, or the fields in which one differs.
 */
export function compareManifests(wanted: readonly JsonObject[], present: readonly JsonObject[]): string[] {
  const left = new Map(present.map((object) => [nameOf(object), object]));
  const lines: string[] = [];
  for (const object of wanted) {
    const name = nameOf(object);
    const found = left.get(name);
    left.delete(name);
    if (found === undefined) lines.push(`${name} is missing`);
    else {
      const paths = differences(object, found, '');
      if (paths.length > 0) lines.push(`${name} differs at ${paths.join(', ')}`);
    }
  }
  for (const name of left.keys()) lines.push(`${name} is not needed any more`);
  return lines;
}

function nameOf(object: JsonObject): string {
  const [namespace, name] = ['namespace', 'name'].map((field) => valueAt(object, ['metadata', field]));
  return `${object['kind']} ${namespace === undefined ? '' : `${namespace}/`}${name} (${object['apiVersion']})`;
}

function differences(one: unknown, other: unknown, path: string): string[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    return one.flatMap((item, at) => differences(item, other[at], `${path}[${at}]`));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return [path];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) =>
    differences(getField(one, name), getField(other, name), path === '' ? name : `${path}.${name}`),
  );
}
