import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { isStepDue, type Steps } from '../../time/steps.js';
import { type Branches, branchesOf, type FieldSet, type Fields, fieldsOf, isMember, LEAF, union } from './fields.js';
import type { OwnedList, OwnedMap, OwnedType } from './owned-type.js';
import { fieldElement, type PathElement } from './path-element.js';
import { fieldType, itemElement, shapeOf } from './typed-value.js';

/**
 * The fields that an applied object sets: scalars, atomic values, items of lists, entries of maps, empty maps and nulls. Fields
 * that only lead to others do not count.
 */
export function* setOfValue(type: OwnedType, value: unknown): Steps<FieldSet> {
  const { shape } = shapeOf(type, value);
  if (shape === 'scalar') return LEAF;
  if (shape === 'map') return type.map!.isAtomic ? LEAF : yield* setOfMap(type.map!, value);
  return type.list!.isAtomic ? LEAF : yield* setOfList(type.list!, value);
}

function* setOfMap(map: OwnedMap, value: unknown): Steps<FieldSet> {
  if (!isJsonObject(value)) return undefined;
  const branches: Branches = [];
  for (const name in value) {
    const item = value[name];
    const type = fieldType(map, name);
    if (item === undefined || type === undefined) continue;
    const below = yield* setOfValue(type, item);
    // Only a value without fields may be empty: the names of a large map take long to list.
    const isEmpty = below === undefined && (item === null || (isJsonObject(item) && Object.keys(item).length === 0));
    const node = isEmpty || !map.fields.has(name) ? yield* union(below, LEAF) : below;
    if (node !== undefined) branches.push([fieldElement(name), node]);
    if (isStepDue()) yield;
  }
  return yield* fieldsOf(branches, false);
}

/** Items with the same identity count once, without what is below them. */
function* setOfList(list: OwnedList, value: unknown): Steps<FieldSet> {
  if (!Array.isArray(value)) return undefined;
  const found = new Map<PathElement, Fields>();
  for (const item of value) {
    const element = itemElement(list, item);
    found.set(element, found.has(element) ? LEAF : (yield* union(yield* setOfValue(list.items, item), LEAF))!);
    if (isStepDue()) yield;
  }
  return yield* fieldsOf([...found], false);
}

/** The set with all declared fields that lead to one of its fields. */
export function* withNamedFields(set: FieldSet, type: OwnedType | undefined): Steps<FieldSet> {
  if (set === undefined) return undefined;
  const branches: Branches = [];
  for (const [element, node] of yield* branchesOf(set)) {
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const field = name === undefined ? undefined : type?.map?.fields.get(name);
    const isItem = element.startsWith('k:');
    const below = field?.type ?? (isItem ? type?.list?.items : name === undefined ? undefined : type?.map?.values);
    const named = yield* withNamedFields(node, below);
    branches.push([element, (field === undefined ? named : yield* union(named, LEAF))!]);
    if (isStepDue()) yield;
  }
  return yield* fieldsOf(branches, isMember(set));
}

/**
 * The object without the fields of a set. Atomic values from which something is removed are removed as a whole, and so are
 * objects and lists that become empty. The object is not changed.
 */
export function* withoutFields(type: OwnedType, object: JsonObject, set: FieldSet): Steps<JsonObject> {
  return ((yield* remove(type, object, set)) ?? {}) as JsonObject;
}

function* remove(type: OwnedType, value: unknown, set: FieldSet): Steps<unknown> {
  const { shape } = shapeOf(type, value);
  if (shape === 'scalar') return value;
  if (shape === 'map') {
    if (!isJsonObject(value) || type.map!.isAtomic) return undefined;
    return yield* removeFields(type.map!, value, set);
  }
  return !Array.isArray(value) || type.list!.isAtomic ? undefined : yield* removeItems(type.list!, value, set);
}

function* removeFields(map: OwnedMap, value: JsonObject, set: FieldSet): Steps<JsonObject | undefined> {
  const left: [string, unknown][] = [];
  for (const name in value) {
    const node = set?.[fieldElement(name)];
    if (node === undefined) left.push([name, value[name]]);
    else if (!isMember(node)) {
      const type = fieldType(map, name);
      // kube-apiserver keeps a field whose value is removed as a null.
      left.push([name, type === undefined ? value[name] : ((yield* remove(type, value[name], node)) ?? null)]);
    }
    if (isStepDue()) yield;
  }
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

function* removeItems(list: OwnedList, items: readonly unknown[], set: FieldSet): Steps<unknown[] | undefined> {
  const left: unknown[] = [];
  for (const item of items) {
    const node = set?.[itemElement(list, item)];
    if (node === undefined) left.push(item);
    else if (!isMember(node)) left.push((yield* remove(list.items, item, node)) ?? null);
    if (isStepDue()) yield;
  }
  return left.length === 0 ? undefined : left;
}
