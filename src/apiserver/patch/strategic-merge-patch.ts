import { goTypeName, printGoValue } from '../../meta/go-values.js';
import { getField, isJsonObject, type JsonObject, jsonTypeName, setField } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import { withoutNullsInSteps } from './merge-patch.js';
import { brokenPatch, inapplicablePatch, malformedPatch } from './patch-errors.js';

/**
 * How the fields of one type are patched. For a map (labels, limits) `field` returns the same for every name.
 */
export interface PatchSchema {
  /** The name of the Go type in messages. */
  readonly name: string;
  /** Undefined for a field that the type does not have. */
  field(name: string): PatchField | undefined;
}

/** How one field is patched, as Kubernetes' types declare it in `x-kubernetes-patch-strategy` and `-merge-key`. */
export interface PatchField {
  /** Lists: `merge` or else replaced. Objects: `replace` or else merged. `retainKeys` is in the patch itself. */
  readonly strategy?: 'merge' | 'replace' | undefined;
  /** The field that identifies the items of a list of objects. */
  readonly mergeKey?: string | undefined;
  /** The type of the object, or of the list's items. */
  readonly schema?: PatchSchema | undefined;
}

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const ORDER_PREFIX = '$setElementOrder/';
const DELETE_PREFIX = '$deleteFromPrimitiveList/';

/**
 * Applies a strategic merge patch: a merge patch that also merges lists with `patchStrategy: merge`, item by item. The
 * document is changed and returned, and shares values with the patch. Throws a StatusError as kube-apiserver does: 400 for
 * a malformed patch, 422 for one that does not apply, 500 for one that contradicts itself or the schema.
 */
export function* applyStrategicMergePatch(
  document: JsonObject,
  patch: unknown,
  schema: PatchSchema | undefined,
): Steps<JsonObject> {
  if (patch === null) return document;
  if (!isJsonObject(patch)) {
    const found = jsonTypeName(patch);
    throw malformedPatch(`json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
  }
  return yield* mergeObject(document, patch, schema);
}

/** Merges into `original`, which is changed, and shares values with `patch`. */
function* mergeObject(original: JsonObject, patch: JsonObject, schema: PatchSchema | undefined): Steps<JsonObject> {
  const directive = getField(patch, DIRECTIVE);
  if (directive === 'replace') {
    // Directives deeper in it stay: the types of Kubernetes do not have such fields.
    const { [DIRECTIVE]: _, ...replacement } = patch;
    return replacement;
  }
  if (directive === 'delete') return {};
  if (directive !== undefined) throw unknownDirective(directive, patch);

  retainKeys(original, patch);
  const ordered = yield* mergeOrderedLists(original, patch, schema);
  for (const name of Object.keys(patch)) {
    if (name === RETAIN_KEYS || name.startsWith(ORDER_PREFIX.slice(0, -1)) || ordered.has(name)) continue;
    const value = getField(patch, name);
    if (name.startsWith(DELETE_PREFIX.slice(0, -1))) yield* deleteFromList(original, name, value, schema);
    else yield* mergeField(original, name, value, schema);
    yield;
  }
  return original;
}

function* mergeField(original: JsonObject, name: string, value: unknown, schema: PatchSchema | undefined): Steps<void> {
  const current = getField(original, name);
  if (value === null) {
    delete original[name];
  } else if (isJsonObject(current) && isJsonObject(value)) {
    const field = fieldOf(schema, name);
    const isReplaced = field?.strategy === 'replace';
    setField(original, name, isReplaced ? value : yield* mergeObject(current, value, field?.schema));
  } else if (Array.isArray(current) && Array.isArray(value)) {
    const field = fieldOf(schema, name);
    setField(original, name, field?.strategy === 'merge' ? yield* mergeList(current, value, field) : value);
  } else if (isDirective(value)) {
    delete original[name];
  } else {
    setField(original, name, yield* fresh(value));
  }
}

/** How a field is patched. Throws for a field that its type does not have. */
function fieldOf(schema: PatchSchema | undefined, name: string): PatchField | undefined {
  if (schema === undefined) return undefined;
  const field = schema.field(name);
  if (field !== undefined) return field;
  throw brokenPatch(`unable to find api field in struct ${schema.name} for the json field ${JSON.stringify(name)}`);
}

/** Drops every field that `$retainKeys` does not name; throws if the patch sets one of them. */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  const retained = getField(patch, RETAIN_KEYS);
  if (retained === undefined) return;
  if (!Array.isArray(retained)) throw malformedPatch('invalid patch format of retainKeys');
  const keep = new Set<unknown>(retained);
  for (const name of Object.keys(patch)) {
    const isParallelList = name.startsWith(ORDER_PREFIX) || name.startsWith(DELETE_PREFIX);
    if (name === RETAIN_KEYS || isParallelList || getField(patch, name) === null) continue;
    if (!keep.has(name)) throw malformedPatch('invalid patch format of retainKeys');
  }
  for (const name of Object.keys(original)) if (!keep.has(name)) delete original[name];
}

/** Applies every `$setElementOrder/x` together with `x`; returns the names of those fields. */
function* mergeOrderedLists(
  original: JsonObject,
  patch: JsonObject,
  schema: PatchSchema | undefined,
): Steps<Set<string>> {
  const done = new Set<string>();
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(ORDER_PREFIX.slice(0, -1))) continue;
    const order = getField(patch, directive);
    const name = directive.slice(ORDER_PREFIX.length);
    if (!Array.isArray(order)) throw wrongType('[]interface {}', order);
    if (!directive.startsWith(ORDER_PREFIX)) throw malformedPatch('invalid patch format of setElementOrder list');
    const current = listOrNothing(original, name);
    const change = listOrNothing(patch, name);
    const field = fieldOf(schema, name) ?? {};
    if (change !== undefined) checkOrder(change, order, field.mergeKey);
    done.add(name);
    if (current === undefined && change === undefined) continue;
    let merged = current ?? [];
    if (change !== undefined && current === undefined) merged = (yield* withoutDirectives(change)) as unknown[];
    else if (change !== undefined)
      merged = field.strategy === 'merge' ? yield* mergeList(merged, change, field) : change;
    isListOfObjects(current ?? [], change ?? []);
    if ((current ?? []).length + (change ?? []).length === 0) {
      throw brokenPatch('no elements in any of the given slices');
    }
    setField(original, name, yield* arrange(merged, order, current ?? [], field.mergeKey));
  }
  return done;
}

function listOrNothing(object: JsonObject, name: string): unknown[] | undefined {
  const value = getField(object, name);
  if (value === undefined || Array.isArray(value)) return value;
  throw wrongType('[]interface {}', value);
}

function wrongType(wanted: string, found: unknown): Error {
  const type = found === null ? '%!s(<nil>)' : goTypeName(found);
  return brokenPatch(`expected a ${wanted}, but received a ${type}`);
}

/** Throws unless the items of the patch occur in `$setElementOrder`, in the same sequence. */
function checkOrder(change: unknown[], order: unknown[], mergeKey: string | undefined): void {
  if (order.length === 0) return;
  const items = mergeKey === undefined ? change : withoutDeletions(change);
  let at = 0;
  let found = 0;
  while (found < items.length && at < order.length) {
    if (isDirective(items[found])) {
      found++;
      continue;
    }
    if (identityOf(items[found], mergeKey) === identityOf(order[at], mergeKey)) found++;
    at++;
  }
  if (found >= items.length || at < order.length) return;
  const [inPatch, inOrder] = [printGoValue(change), printGoValue(order)];
  throw brokenPatch(`The order in patch list:\n${inPatch}\n doesn't match $setElementOrder list:\n${inOrder}\n`);
}

/** The items of a list that are not marked for deletion. */
function withoutDeletions(change: unknown[]): unknown[] {
  return change.filter((item) => {
    if (!isJsonObject(item)) throw wrongType('map[string]interface {}', item);
    return getField(item, DIRECTIVE) !== 'delete';
  });
}

/** Removes values from a list of scalars; null removes the list. */
function* deleteFromList(
  original: JsonObject,
  directive: string,
  values: unknown,
  schema: PatchSchema | undefined,
): Steps<void> {
  if (!directive.startsWith(DELETE_PREFIX)) throw malformedPatch('invalid patch format of primitive list');
  const name = directive.slice(DELETE_PREFIX.length);
  const current = getField(original, name);
  if (values === null) delete original[name];
  if (!Array.isArray(current) || !Array.isArray(values) || current.length + values.length === 0) return;
  if (isListOfObjects(current, values)) {
    setField(original, name, yield* mergeList(current, values, fieldOf(schema, name) ?? {}));
    return;
  }
  const unwanted = new Set<unknown>(values);
  const kept = current.filter((item) => !unwanted.has(item));
  setField(original, name, kept);
}

function* mergeList(current: unknown[], change: unknown[], field: PatchField): Steps<unknown[]> {
  if (current.length === 0 && change.length === 0) return current;
  if (!isListOfObjects(current, change)) {
    return yield* arrange([...new Set([...current, ...change])], change, current, undefined);
  }
  yield;
  const { mergeKey } = field;
  if (mergeKey === undefined) throw brokenPatch(`cannot merge lists without merge key for ${field.schema?.name ?? ''}`);

  const plain: JsonObject[] = [];
  const deleted = new Set<unknown>();
  let replace = false;
  for (const item of change as JsonObject[]) {
    const directive = getField(item, DIRECTIVE);
    if (directive === undefined) plain.push(item);
    else if (directive === 'delete') deleted.add(identityOf(item, mergeKey));
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge') throw brokenPatch('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(directive, item);
    yield;
  }
  if (replace) return plain;

  const before = (current as JsonObject[]).filter((existing) => !deleted.has(getField(existing, mergeKey)));
  yield;
  const merged = [...before];
  const placeOf = new Map<unknown, number>();
  for (const [at, existing] of merged.entries()) {
    const identity = getField(existing, mergeKey);
    if (identity !== undefined && !placeOf.has(identity)) placeOf.set(identity, at);
    if (at % 256 === 0) yield;
  }
  for (const item of plain) {
    const identity = identityOf(item, mergeKey);
    const at = placeOf.get(identity);
    if (at === undefined) placeOf.set(identity, merged.push(item) - 1);
    else merged[at] = yield* mergeObject(merged[at]!, item, field.schema);
    yield;
  }
  return yield* arrange(merged, plain, before, mergeKey);
}

/** Whether these are lists of objects; false for scalars. Throws for mixtures and lists of lists, which cannot be merged. */
function isListOfObjects(...lists: unknown[][]): boolean {
  let kind: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      const type = goTypeName(item);
      kind ??= type;
      if (kind === '[]interface {}') throw inapplicablePatch('lists of lists are not supported');
      if (kind !== type) throw brokenPatch(`list element types are not identical: ${printGoValue(lists)}`);
    }
  }
  return kind === 'map[string]interface {}';
}

/**
 * Orders a merged list: the items of `wanted` in its sequence, the others in the sequence of `before`. Another item
 * stays in front of the wanted items that it was in front of.
 */
function* arrange(
  items: unknown[],
  wanted: unknown[],
  before: unknown[],
  mergeKey: string | undefined,
): Steps<unknown[]> {
  const wantedAt = yield* positions(wanted, mergeKey);
  const beforeAt = yield* positions(before, mergeKey);
  const named: Placed[] = [];
  const rest: Placed[] = [];
  for (const [at, item] of items.entries()) {
    const identity = identityOf(item, mergeKey);
    const was = beforeAt.get(identity) ?? Number.POSITIVE_INFINITY;
    const wish = wantedAt.get(identity);
    if (wish === undefined) rest.push({ item, was, place: was });
    else named.push({ item, was, place: wish });
    if (at % 256 === 0) yield;
  }
  yield* sortByPlace(named);
  yield* sortByPlace(rest);

  const arranged: unknown[] = [];
  let next = 0;
  for (const { item, was } of named) {
    while (was !== Number.POSITIVE_INFINITY && next < rest.length && rest[next]!.was < was) {
      arranged.push(rest[next++]!.item);
    }
    arranged.push(item);
    if (arranged.length % 256 === 0) yield;
  }
  for (; next < rest.length; next++) arranged.push(rest[next]!.item);
  return arranged;
}

/** An item of a merged list, its index before and its sort key. */
interface Placed {
  readonly item: unknown;
  readonly was: number;
  readonly place: number;
}

/** Sorts by place unless the list is in order already, as most are. Infinite places are equal and keep their order. */
function* sortByPlace(items: Placed[]): Steps<void> {
  let isSorted = true;
  for (let at = 1; at < items.length && isSorted; at++) {
    isSorted = items[at - 1]!.place <= items[at]!.place;
    if (at % 256 === 0) yield;
  }
  if (isSorted) return;
  items.sort((a, b) => (a.place === b.place ? 0 : a.place < b.place ? -1 : 1));
  yield;
}

function* positions(list: unknown[], mergeKey: string | undefined): Steps<Map<unknown, number>> {
  const index = new Map<unknown, number>();
  for (const [at, item] of list.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!index.has(identity)) index.set(identity, at);
    if (at % 256 === 0) yield;
  }
  return index;
}

function identityOf(item: unknown, mergeKey: string | undefined): unknown {
  if (mergeKey === undefined) return item;
  if (!isJsonObject(item)) throw wrongType('map[string]interface {}', item);
  const identity = getField(item, mergeKey);
  if (identity === undefined) {
    throw brokenPatch(`map: ${printGoValue(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return identity;
}

function isDirective(value: unknown): boolean {
  return isJsonObject(value) && Object.hasOwn(value, DIRECTIVE);
}

function unknownDirective(directive: unknown, patch: JsonObject): Error {
  return brokenPatch(`unknown patch type: ${printGoValue(directive)} in map: ${printGoValue(patch)}`);
}

/** A value of the patch that has nothing to merge with, without nulls and without objects that have a `$patch`. */
function* fresh(value: unknown): Steps<unknown> {
  return yield* withoutDirectives(yield* withoutNullsInSteps(value));
}

function* withoutDirectives(value: unknown): Steps<unknown> {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (!isDirective(item)) items.push(isLeaf(item) ? item : yield* withoutDirectives(item));
      yield;
    }
    return items;
  }
  if (!isJsonObject(value)) return value;
  for (const name of Object.keys(value)) {
    const field = getField(value, name);
    if (isDirective(field)) delete value[name];
    else if (!isLeaf(field)) setField(value, name, yield* withoutDirectives(field));
    yield;
  }
  return value;
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
