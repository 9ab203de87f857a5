import { printGoValue } from '../../../meta/go-values.js';
import { getField, isJsonObject, type JsonObject, setField } from '../../../meta/json-values.js';
import type { Schema } from '../../../resources/schema.js';

/**
 * A patched object as kube-apiserver prints it in the cause of a refused patch: as JSON, with the members sorted on the levels
 * that the patch has touched, and in the order of the schema on others. Without a schema all levels are sorted.
 */
export function printPatched(
  patched: unknown,
  format: 'json' | 'merge',
  patch: string,
  schema: Schema | undefined,
): string {
  const touched = format === 'merge' ? JSON.parse(patch) : touchedBy(JSON.parse(patch));
  return JSON.stringify(ordered(patched, touched, schema)).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * A value with its members in order. `touched` is what a patch has there: an object of which it passes some members, a list
 * that it sets, which is sorted on all levels, another value, or undefined for none.
 */
function ordered(value: unknown, touched: unknown, schema: Schema | undefined): unknown {
  if (schema?.type === 'any' || touched === AS_SENT) return value;
  if (Array.isArray(value)) {
    const items = schema?.type === 'list' && !Array.isArray(touched) ? schema.items : undefined;
    return value.map((item, at) => ordered(item, isJsonObject(touched) ? touched[at] : undefined, items));
  }
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const name of namesOf(value, isJsonObject(touched) ? undefined : schema)) {
    const inner = isJsonObject(touched) ? getField(touched, name) : undefined;
    setField(result, name, ordered(getField(value, name), inner, schemaAt(schema, name)));
  }
  return result;
}

function namesOf(value: JsonObject, schema: Schema | undefined): string[] {
  const names = Object.keys(value).sort();
  if (schema?.type !== 'object') return names;
  const inOrder = [...schema.fields.keys()].filter((name) => Object.hasOwn(value, name));
  return [...inOrder, ...names.filter((name) => !schema.fields.has(name))];
}

function schemaAt(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema?.type === 'map') return schema.values;
  return schema?.type === 'object' ? schema.fields.get(name)?.schema : undefined;
}

/** Stands for a value that is printed as the patch has it. */
const AS_SENT = 'as sent';

/** The levels that the operations of a JSON patch pass, as objects in each other. */
function touchedBy(operations: unknown): JsonObject {
  const root: JsonObject = {};
  for (const operation of Array.isArray(operations) ? operations.filter(isJsonObject) : []) {
    const isSent = operation['op'] === 'add' || operation['op'] === 'replace';
    touch(root, operation['path'], isSent ? AS_SENT : undefined);
    touch(root, operation['from'], undefined);
  }
  return root;
}

function touch(root: JsonObject, pointer: unknown, last: string | undefined): void {
  if (typeof pointer !== 'string') return;
  const names = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  let level = root;
  for (const name of names.slice(0, -1)) {
    let next = getField(level, name);
    if (!isJsonObject(next)) setField(level, name, (next = {}));
    level = next as JsonObject;
  }
  if (last !== undefined && names.length > 0) setField(level, names.at(-1)!, last);
}

/** The most characters of a map that are printed: it ends up in a message. */
const MAX_PRINTED = 64 * 1024;

/** A JSON value as Go prints its maps and lists: `map[a:1 b:[x y]]`. */
export function printGoMap(value: unknown): string {
  const text = printGoValue(value);
  return text.length > MAX_PRINTED ? `${text.slice(0, MAX_PRINTED)}...` : text;
}
