import type { JsonPatchOperation } from '../../meta/objects.js';
import { jsonDifferences, sameJson } from './json-differences.js';

/**
 * The JSON patch (RFC 6902) from one JSON value to another. It names only what differs, so that the server keeps all other
 * values as they were sent, with every digit of a number. Items that were added to or removed from a list are added and
 * removed; the items around them are not repeated.
 */
export function jsonPatchBetween(before: unknown, after: unknown): JsonPatchOperation[] {
  return [...operations(before, after, '')];
}

function* operations(before: unknown, after: unknown, at: string): Generator<JsonPatchOperation> {
  for (const { path, before: old, after: value } of jsonDifferences(before, after)) {
    const pointer = at + path.map((name) => `/${escapeName(String(name))}`).join('');
    if (Array.isArray(old) && Array.isArray(value)) yield* listOperations(old, value, pointer);
    else if (value === undefined) yield { op: 'remove', path: pointer };
    else yield { op: old === undefined ? 'add' : 'replace', path: pointer, value };
  }
}

/** The operations between lists of different lengths. */
function* listOperations(
  before: readonly unknown[],
  after: readonly unknown[],
  pointer: string,
): Generator<JsonPatchOperation> {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && sameJson(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && sameJson(before.at(-1 - end), after.at(-1 - end))) end++;
  const common = shorter - end;
  for (let i = start; i < common; i++) yield* operations(before[i], after[i], `${pointer}/${i}`);
  // The last one first, so that the numbers of the others stay the same.
  for (let i = before.length - end - 1; i >= common; i--) yield { op: 'remove', path: `${pointer}/${i}` };
  for (let i = common; i < after.length - end; i++) yield { op: 'add', path: `${pointer}/${i}`, value: after[i] };
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
