import { isJsonObject, type JsonObject, setField } from '../../meta/json-values.js';
import { isStepDue, type Steps } from '../../time/steps.js';
import type { OwnedList, OwnedMap, OwnedType } from './owned-type.js';
import type { PathElement } from './path-element.js';
import { fieldType, isUnion, itemElement, shapeOf } from './typed-value.js';

/**
 * Merges an applied object over the live one: applied scalars and atomic values win, objects and items with the same keys are
 * merged. Neither is changed; the result shares values with both.
 */
export function* mergeApplied(type: OwnedType, live: JsonObject, applied: JsonObject): Steps<JsonObject> {
  return ((yield* mergeValues(type, live, applied)) ?? {}) as JsonObject;
}

function* mergeValues(type: OwnedType, live: unknown, applied: unknown): Steps<unknown> {
  const shape = (applied === undefined ? shapeOf(type, live) : shapeOf(type, applied)).shape;
  const changesShape =
    live !== undefined && applied !== undefined && isUnion(type) && shapeOf(type, live).shape !== shape;
  if (shape === 'scalar' || changesShape) return applied === undefined ? live : applied;
  if (shape === 'map') {
    const old = isJsonObject(live) ? live : undefined;
    const next = isJsonObject(applied) ? applied : undefined;
    const isLeaf = type.map!.isAtomic || (isEmptyMap(old) && isEmptyMap(next));
    return isLeaf ? (applied === undefined ? live : applied) : yield* mergeMaps(type.map!, old, next);
  }
  const old = Array.isArray(live) ? live : [];
  const next = Array.isArray(applied) ? applied : [];
  const isLeaf = type.list!.isAtomic || old.length + next.length === 0;
  return isLeaf ? (applied === undefined ? live : applied) : yield* mergeLists(type.list!, old, next);
}

function isEmptyMap(value: JsonObject | undefined): boolean {
  for (const _ in value) return false;
  return true;
}

function* mergeMaps(
  map: OwnedMap,
  live: JsonObject | undefined,
  applied: JsonObject | undefined,
): Steps<JsonObject | undefined> {
  if (applied === undefined) return live;
  const merged: JsonObject = {};
  for (const name in live) {
    const isApplied = Object.hasOwn(applied, name);
    const type = fieldType(map, name);
    const value = isApplied && type !== undefined ? yield* mergeValues(type, live[name], applied[name]) : live[name];
    if (value !== undefined) setField(merged, name, value);
    if (isStepDue()) yield;
  }
  for (const name in applied) {
    if (live === undefined || !Object.hasOwn(live, name)) setField(merged, name, applied[name]);
    if (isStepDue()) yield;
  }
  return merged;
}

/**
 * Merges two lists whose items have an identity. Applied items keep their order; each item that only the live list has stays
 * in front of the next item that both have.
 */
function* mergeLists(list: OwnedList, live: readonly unknown[], applied: readonly unknown[]): Steps<unknown[]> {
  const before = yield* index(list, live);
  const after = yield* index(list, applied);
  const shared = after.elements.filter((element) => before.items.has(element));
  let nextShared = 0;
  const done = new Set<PathElement>();
  const merged: unknown[] = [];
  const take = function* (element: PathElement): Steps<void> {
    done.add(element);
    const item = after.items.get(element);
    merged.push(before.items.has(element) ? yield* mergeValues(list.items, before.items.get(element), item) : item);
    if (shared[nextShared] === element) nextShared++;
  };
  let l = 0;
  let r = 0;
  while (l < before.elements.length || r < after.elements.length) {
    if (isStepDue()) yield;
    const old = before.elements[l];
    const next = after.elements[r];
    if (old !== undefined && next !== undefined) {
      if (old === next) {
        yield* take(next);
        l++;
        r++;
        continue;
      }
      // An item of both, but not the one whose turn it is.
      if (after.items.has(old) && nextShared < shared.length && shared[nextShared] !== old) {
        l++;
        continue;
      }
    }
    if (old !== undefined) {
      if (!after.items.has(old)) {
        merged.push(live[l++]);
        continue;
      }
      if (done.has(old)) l++;
    }
    if (next !== undefined) {
      yield* take(next);
      r++;
    }
  }
  return merged;
}

/** The identities of a list's items in their order, and the item of each; null for those that occur twice. */
function* index(
  list: OwnedList,
  items: readonly unknown[],
): Steps<{ readonly elements: PathElement[]; readonly items: Map<PathElement, unknown> }> {
  const elements: PathElement[] = [];
  const found = new Map<PathElement, unknown>();
  for (const item of items) {
    const element = itemElement(list, item);
    elements.push(element);
    found.set(element, found.has(element) ? null : item);
    if (isStepDue()) yield;
  }
  return { elements, items: found };
}
