import { printGoValue } from '../../meta/go-values.js';
import { getField, isJsonObject, type JsonObject, setField } from '../../meta/json-values.js';

/**
 * A patched object as kube-apiserver prints it in the cause of a refused patch: as JSON, with the members sorted on the levels
 * that the patch has touched, and on all levels of a custom resource.
 */
export function printPatched(patched: unknown, format: 'json' | 'merge', patch: string, isCustom: boolean): string {
  const touched = format === 'merge' ? JSON.parse(patch) : touchedBy(JSON.parse(patch));
  return JSON.stringify(sortTouched(patched, touched, isCustom)).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function sortTouched(value: unknown, touched: unknown, all: boolean): unknown {
  if (all && Array.isArray(value)) return value.map((item) => sortTouched(item, undefined, all));
  if (!isJsonObject(value) || !(all || isJsonObject(touched))) return value;
  const sorted: JsonObject = {};
  for (const name of Object.keys(value).sort()) {
    const inner = isJsonObject(touched) ? getField(touched, name) : undefined;
    setField(sorted, name, sortTouched(getField(value, name), inner, all));
  }
  return sorted;
}

/** The levels that the operations of a JSON patch pass, as objects in each other. */
function touchedBy(operations: unknown): JsonObject {
  const root: JsonObject = {};
  for (const operation of Array.isArray(operations) ? operations : []) {
    for (const pointer of isJsonObject(operation) ? [operation['path'], operation['from']] : []) {
      if (typeof pointer !== 'string') continue;
      let level = root;
      for (const part of pointer.split('/').slice(1, -1)) {
        const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
        const next = getField(level, name);
        if (isJsonObject(next)) level = next;
        else {
          const deeper: JsonObject = {};
          setField(level, name, deeper);
          level = deeper;
        }
      }
    }
  }
  return root;
}

/** The most characters of a map that are printed: it ends up in a message. */
const MAX_PRINTED = 64 * 1024;

/** A JSON value as Go prints its maps and lists: `map[a:1 b:[x y]]`. */
export function printGoMap(value: unknown): string {
  const text = printGoValue(value);
  return text.length > MAX_PRINTED ? `${text.slice(0, MAX_PRINTED)}...` : text;
}
