import { equalLarge } from '../../codec/json/large-json.js';
import { getField, isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { isStepDue, type Steps } from '../../time/steps.js';
import { type Branches, type FieldSet, fieldsOf, LEAF } from './fields.js';
import type { OwnedList, OwnedMap, OwnedType } from './owned-type.js';
import { fieldElement, type PathElement } from './path-element.js';
import { fieldType, isUnion, itemElement, shapeOf } from './typed-value.js';

/** How a new state differs from the one before. A node that leads to others counts itself if only one state has it. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const SAME: Comparison = { added: undefined, modified: undefined, removed: undefined };
const ADDED: Comparison = { added: LEAF, modified: undefined, removed: undefined };
const MODIFIED: Comparison = { added: undefined, modified: LEAF, removed: undefined };
const REMOVED: Comparison = { added: undefined, modified: undefined, removed: LEAF };

const NONE: Branches = [];
const MANY = 1024;

/** The branches of a comparison, while it is made. */
class Differences {
  #added = NONE;
  #modified = NONE;
  #removed = NONE;

  add(element: PathElement, { added, modified, removed }: Comparison): void {
    if (added !== undefined) (this.#added === NONE ? (this.#added = []) : this.#added).push([element, added]);
    if (modified !== undefined) {
      (this.#modified === NONE ? (this.#modified = []) : this.#modified).push([element, modified]);
    }
    if (removed !== undefined) (this.#removed === NONE ? (this.#removed = []) : this.#removed).push([element, removed]);
  }

  /** The comparison of the node itself. */
  *of(before: unknown, after: unknown, isModified = false): Steps<Comparison> {
    const [isAdded, isRemoved] = [before === undefined, after === undefined];
    const isSame = this.#added === NONE && this.#modified === NONE && this.#removed === NONE;
    if (isSame && !isAdded && !isRemoved && !isModified) return SAME;
    return {
      added: this.#added === NONE ? onlySelf(isAdded) : yield* fieldsOf(this.#added, isAdded),
      modified: this.#modified === NONE ? onlySelf(isModified) : yield* fieldsOf(this.#modified, isModified),
      removed: this.#removed === NONE ? onlySelf(isRemoved) : yield* fieldsOf(this.#removed, isRemoved),
    };
  }
}

function onlySelf(isMember: boolean): FieldSet {
  return isMember ? LEAF : undefined;
}

/** Compares two objects of a type. Throws an UnidentifiedItem if a list has one. */
export function* compare(type: OwnedType, before: JsonObject, after: JsonObject): Steps<Comparison> {
  return type.map === undefined ? SAME : yield* compareMaps(type.map, before, after, before, after);
}

/** Compares two values, of which one may be undefined. */
function* compareValues(type: OwnedType, before: unknown, after: unknown): Steps<Comparison> {
  const old = shapeOf(type, before);
  const next = shapeOf(type, after);
  if (after === undefined) return yield* compareAs(old.shape, type, before, after);
  if (before === undefined || old === next || !isUnion(type)) return yield* compareAs(next.shape, type, before, after);
  // A value that has changed its shape: what was below it is removed, and it is modified.
  const differences = new Differences();
  let isModified = false;
  for (const { shape } of [old, next]) {
    const { added, modified, removed } = yield* compareAs(shape, type, before, after);
    isModified ||= modified === LEAF;
    for (const element in added) differences.add(element, { ...SAME, added: added[element] });
    for (const element in modified) differences.add(element, { ...SAME, modified: modified[element] });
    for (const element in removed) differences.add(element, { ...SAME, removed: removed[element] });
  }
  return yield* differences.of(before, after, isModified);
}

function* compareAs(
  shape: 'map' | 'scalar' | 'list',
  type: OwnedType,
  before: unknown,
  after: unknown,
): Steps<Comparison> {
  if (shape === 'map') {
    const old = isJsonObject(before) ? before : undefined;
    const next = isJsonObject(after) ? after : undefined;
    return yield* compareMaps(type.map!, old, next, before, after);
  }
  if (shape === 'scalar') return yield* compareLeaves(before, after);
  const old = Array.isArray(before) ? before : undefined;
  const next = Array.isArray(after) ? after : undefined;
  return yield* compareLists(type.list!, old, next, before, after);
}

function* compareLeaves(before: unknown, after: unknown): Steps<Comparison> {
  if (before === undefined) return ADDED;
  if (after === undefined) return REMOVED;
  if (before === after) return SAME;
  const isScalar = typeof before !== 'object' || typeof after !== 'object';
  return !isScalar && (yield* equalLarge(before, after)) ? SAME : MODIFIED;
}

function* compareMaps(
  map: OwnedMap,
  old: JsonObject | undefined,
  next: JsonObject | undefined,
  before: unknown,
  after: unknown,
): Steps<Comparison> {
  if (map.isAtomic) return yield* compareLeaves(before, after);
  const oldNames = yield* namesOf(old);
  const nextNames = yield* namesOf(next);
  if (oldNames.length === 0 && nextNames.length === 0) return yield* compareLeaves(before, after);
  const differences = new Differences();
  for (const name of nextNames) {
    const was = old === undefined ? undefined : getField(old, name);
    const is = next![name];
    if (was !== is) {
      const type = fieldType(map, name);
      if (type !== undefined) yield* compareField(differences, fieldElement(name), type, was, is);
    }
    if (isStepDue()) yield;
  }
  for (const name of oldNames) {
    if (isStepDue()) yield;
    if (next !== undefined && Object.hasOwn(next, name)) continue;
    const type = fieldType(map, name);
    if (type !== undefined) yield* compareField(differences, fieldElement(name), type, old![name], undefined);
  }
  return yield* differences.of(before, after);
}

function* compareField(
  differences: Differences,
  element: PathElement,
  type: OwnedType,
  before: unknown,
  after: unknown,
): Steps<void> {
  if (before === after) return;
  const isPlain = type.scalar !== undefined && type.map === undefined && type.list === undefined;
  if (isPlain && before === undefined) differences.add(element, ADDED);
  else differences.add(element, yield* isPlain ? compareLeaves(before, after) : compareValues(type, before, after));
}

const NO_NAMES: readonly string[] = [];

/** The names of a large object take long to list. */
function* namesOf(object: JsonObject | undefined): Steps<readonly string[]> {
  if (object === undefined) return NO_NAMES;
  const names = Object.keys(object);
  if (names.length > MANY) yield;
  return names;
}

function* compareLists(
  list: OwnedList,
  old: readonly unknown[] | undefined,
  next: readonly unknown[] | undefined,
  before: unknown,
  after: unknown,
): Steps<Comparison> {
  const isEmpty = (old?.length ?? 0) + (next?.length ?? 0) === 0;
  if (list.isAtomic || isEmpty) return yield* compareLeaves(before, after);
  const was = yield* itemsByElement(list, old ?? []);
  const is = yield* itemsByElement(list, next ?? []);
  const differences = new Differences();
  for (const [element, olds] of was) {
    yield* compareItems(differences, element, list.items, olds, is.get(element) ?? []);
    if (isStepDue()) yield;
  }
  for (const [element, news] of is) {
    if (!was.has(element)) yield* compareItems(differences, element, list.items, [], news);
    if (isStepDue()) yield;
  }
  return yield* differences.of(before, after);
}

function* itemsByElement(list: OwnedList, items: readonly unknown[]): Steps<Map<PathElement, unknown[]>> {
  const found = new Map<PathElement, unknown[]>();
  for (const item of items) {
    const element = itemElement(list, item);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
    if (isStepDue()) yield;
  }
  return found;
}

/** Items with the same identity are compared as a whole. */
function* compareItems(
  differences: Differences,
  element: PathElement,
  type: OwnedType,
  olds: readonly unknown[],
  news: readonly unknown[],
): Steps<void> {
  if (olds.length < 2 && news.length < 2) return yield* compareField(differences, element, type, olds[0], news[0]);
  if (olds.length >= 2 && news.length >= 2) {
    if (!(yield* equalLarge(olds, news))) differences.add(element, MODIFIED);
    return;
  }
  if (olds.length >= 2) {
    if (news.length > 0) yield* compareField(differences, element, type, undefined, news[0]);
    differences.add(element, REMOVED);
    return;
  }
  if (olds.length > 0) yield* compareField(differences, element, type, olds[0], undefined);
  differences.add(element, ADDED);
}
