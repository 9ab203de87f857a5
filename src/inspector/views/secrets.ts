import { isJsonObject, type JsonObject, setField } from '../../meta/json-values.js';
import type { Resource } from '../../meta/resource.js';

/** Stands for a value of a Secret. */
const HIDDEN = '(hidden)';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
/** The fields of a Secret that are sent as they are. A transform may have put values into any other. */
const harmless = new Set(['apiVersion', 'kind', 'metadata', 'type', 'immutable']);

/** Whether objects of the resource are Secrets. */
export function isSecret({ group, resource }: Pick<Resource<unknown>, 'group' | 'resource'>): boolean {
  return group === '' && resource === 'secrets';
}

/** A Secret without its values, and the paths of these. Other objects are not passed here. */
export function withoutValues(secret: unknown): { readonly object: unknown; readonly hidden: readonly string[] } {
  if (!isJsonObject(secret)) return { object: HIDDEN, hidden: [''] };
  const hidden: string[] = [];
  const object: JsonObject = {};
  for (const [name, value] of Object.entries(secret)) {
    if (name === 'metadata') setField(object, name, metadataWithoutValues(value, hidden));
    else if (harmless.has(name)) setField(object, name, value);
    else setField(object, name, namesOnly(name, value, hidden));
  }
  return { object, hidden };
}

/** Whether the values at a path of a Secret are hidden. */
export function isHiddenPath(path: readonly (string | number)[]): boolean {
  const [first, second, third] = path;
  if (first === 'metadata')
    return second === undefined || (second === 'annotations' && (third === undefined || third === lastApplied));
  return !harmless.has(String(first));
}

function metadataWithoutValues(metadata: unknown, hidden: string[]): unknown {
  if (!isJsonObject(metadata) || !isJsonObject(metadata.annotations)) return metadata;
  if (!Object.hasOwn(metadata.annotations, lastApplied)) return metadata;
  hidden.push(`metadata.annotations["${lastApplied}"]`);
  return { ...metadata, annotations: { ...metadata.annotations, [lastApplied]: HIDDEN } };
}

function namesOnly(field: string, value: unknown, hidden: string[]): unknown {
  if (!isJsonObject(value)) {
    hidden.push(field);
    return HIDDEN;
  }
  const names: JsonObject = {};
  for (const name of Object.keys(value)) {
    hidden.push(`${field}.${name}`);
    setField(names, name, HIDDEN);
  }
  return names;
}
