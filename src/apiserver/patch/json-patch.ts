import { equalLarge, parseLarge, stringifyLarge } from '../../codec/json/large-json.js';
import { StatusError } from '../../meta/errors/errors.js';
import { requestEntityTooLarge } from '../../meta/errors/status.js';
import { getField, isJsonObject, type JsonObject, jsonTypeName, setField } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import { EditableList, LONG_LIST } from './editable-list.js';
import { inapplicablePatch, malformedPatch } from './patch-errors.js';

/** The most operations in one patch, as on kube-apiserver. */
const MAX_OPERATIONS = 10_000;

/** The most bytes that all `copy` operations of a patch may add: thirty of them can double a value thirty times. */
const MAX_COPIED = 3 * 1024 * 1024;

/** The most items of long lists that may be copied back into arrays, for operations that need the whole list. */
const MAX_RESTORED = 20_000_000;

type Container = JsonObject | unknown[];

interface Operation {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: unknown;
}

/** The document that is patched, as a field: `replace` of the empty path replaces all of it. */
interface Holder {
  root: unknown;
  copied: number;
  restored: number;
  /** The items of long arrays that were edited, until they are copied back. */
  readonly lists: Map<unknown[], EditableList>;
}

/**
 * Applies a JSON patch (RFC 6902). The document is changed and returned, and shares values with the patch; after an error
 * it is partly changed. Throws a {@link StatusError}: 400 for a malformed patch, 422 for one that does not apply.
 *
 * It is as lax as kube-apiserver: `replace` of a missing field adds it, `copy` of a missing field and an operation
 * without value give null, indexes may be negative (from the end) or have leading zeros, and only `replace` and `test`
 * accept the empty path.
 */
export function* applyJsonPatch(document: unknown, patch: unknown): Steps<unknown> {
  const operations = readOperations(patch);
  const holder: Holder = { root: document, copied: 0, restored: 0, lists: new Map() };
  for (const operation of operations) {
    yield* applyOperation(holder, operation);
    yield;
  }
  yield* restoreLists(holder);
  return holder.root;
}

/** Copies the items of long lists back into their arrays. */
function* restoreLists(holder: Holder): Steps<void> {
  for (const [array, list] of holder.lists) {
    holder.restored += list.length;
    if (holder.restored > MAX_RESTORED) {
      const why = 'The operations of this JSON patch on long lists take too long: use fewer, or replace the lists';
      throw new StatusError(requestEntityTooLarge(why));
    }
    yield* list.copyTo(array);
  }
  holder.lists.clear();
}

function readOperations(patch: unknown): Operation[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw undecodable(patch, 'Go value of type []handlers.jsonPatchOp');
  if (patch.length > MAX_OPERATIONS) {
    throw new StatusError(
      requestEntityTooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`),
    );
  }
  return patch.map((given: unknown) => {
    const entry = given ?? {};
    if (!isJsonObject(entry)) throw undecodable(entry, 'Go value of type handlers.jsonPatchOp');
    return {
      op: readText(entry, 'op'),
      path: readText(entry, 'path'),
      from: readText(entry, 'from'),
      value: getField(entry, 'value') ?? null,
    };
  });
}

function readText(entry: JsonObject, name: string): string | undefined {
  const value = getField(entry, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw undecodable(value, `Go struct field jsonPatchOp.${name} of type string`);
  return value;
}

function undecodable(value: unknown, target: string): StatusError {
  return malformedPatch(`error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into ${target}`);
}

function* applyOperation(holder: Holder, operation: Operation): Steps<void> {
  const { op, path, from } = operation;
  if (op === 'add') {
    yield* add(holder, op, path, operation.value);
  } else if (op === 'remove') {
    const [container, key] = locate(holder, op, path);
    yield* remove(holder, container, key, op, path);
  } else if (op === 'replace') {
    replace(holder, path, operation.value);
  } else if (op === 'move') {
    const [container, key] = locate(holder, op, from);
    const value = get(holder, container, key, op);
    yield* remove(holder, container, key, op, from);
    yield* add(holder, op, path, value);
  } else if (op === 'copy') {
    const value = yield* whole(holder, op, from);
    const text = yield* stringifyLarge(value);
    holder.copied += text.length;
    if (holder.copied > MAX_COPIED) throw inapplicablePatch(`the copies of this patch are over ${MAX_COPIED} bytes`);
    yield* add(holder, op, path, yield* parseLarge(text));
  } else if (op === 'test') {
    const actual = yield* whole(holder, op, path);
    if (yield* equalLarge(actual, operation.value)) return;
    throw inapplicablePatch(`testing value ${path} failed: test failed`);
  } else {
    throw inapplicablePatch(`Unexpected kind: ${op ?? 'unknown'}`);
  }
}

/** The value at a pointer, with its long lists copied back. */
function* whole(holder: Holder, op: string, pointer: string | undefined): Steps<unknown> {
  let value = holder.root;
  if (op !== 'test' || pointer !== '') {
    const [container, key] = locate(holder, op, pointer);
    value = get(holder, container, key, op);
  }
  if (typeof value === 'object' && value !== null) yield* restoreLists(holder);
  return value;
}

function* add(holder: Holder, op: string, path: string | undefined, value: unknown): Steps<void> {
  const [container, key] = locate(holder, op, path);
  if (!Array.isArray(container)) {
    setField(container, key, value);
    return;
  }
  const length = lengthOf(holder, container);
  const index = key === '-' ? length : arrayIndex(key, length + 1, op);
  const list = index === length ? holder.lists.get(container) : yield* editable(holder, container);
  if (list === undefined) container.splice(index, 0, value);
  else list.insert(index, value);
}

/** The editable form of an array that is too long to be edited in place. */
function* editable(holder: Holder, array: unknown[]): Steps<EditableList | undefined> {
  let list = holder.lists.get(array);
  if (list === undefined && array.length >= LONG_LIST) {
    list = yield* EditableList.of(array);
    holder.lists.set(array, list);
  }
  return list;
}

function lengthOf(holder: Holder, array: unknown[]): number {
  return (holder.lists.get(array) ?? array).length;
}

function* remove(holder: Holder, container: Container, key: string, op: string, path: string | undefined): Steps<void> {
  if (Array.isArray(container)) {
    const index = arrayIndex(key, lengthOf(holder, container), op);
    const list = yield* editable(holder, container);
    if (list === undefined) container.splice(index, 1);
    else list.remove(index);
    return;
  }
  if (!Object.hasOwn(container, key)) {
    throw inapplicablePatch(`error in ${op} for path: '${path}': Unable to remove nonexistent key: ${key}: missing value`);
  }
  delete container[key];
}

function replace(holder: Holder, path: string | undefined, value: unknown): void {
  if (path === '') {
    if (typeof value !== 'object' || value === null) {
      throw inapplicablePatch('replace operation value must be object or array');
    }
    holder.root = value;
    return;
  }
  const [container, key] = locate(holder, 'replace', path);
  if (!Array.isArray(container)) {
    setField(container, key, value);
    return;
  }
  const index = arrayIndex(key, lengthOf(holder, container), 'replace');
  const list = holder.lists.get(container);
  if (list === undefined) container[index] = value;
  else list.set(index, value);
}

function get(holder: Holder, container: Container, key: string, op: string): unknown {
  if (!Array.isArray(container)) return getField(container, key) ?? null;
  const index = arrayIndex(key, lengthOf(holder, container), op);
  const list = holder.lists.get(container);
  return list === undefined ? container[index] : list.get(index);
}

/** The container of the value at a pointer, and its key. */
function locate(holder: Holder, op: string, pointer: string | undefined): [container: Container, key: string] {
  if (pointer === undefined) throw inapplicablePatch(`${op} operation failed to decode path: missing value`);
  const [, ...keys] = pointer.split('/').map(unescapeKey);
  const last = keys.pop();
  let container = holder.root;
  for (const key of keys) {
    if (typeof container !== 'object' || container === null) break;
    container = get(holder, container as Container, key, op);
  }
  if (last === undefined || typeof container !== 'object' || container === null) {
    throw inapplicablePatch(`${op} operation does not apply: doc is missing path: ${JSON.stringify(pointer)}: missing value`);
  }
  return [container as Container, last];
}

function unescapeKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

function arrayIndex(key: string, length: number, op: string): number {
  const index = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const fromStart = index < 0 ? index + length : index;
  if (!(fromStart >= 0 && fromStart < length)) {
    throw inapplicablePatch(`${op} operation does not apply: unable to access invalid index: ${key}`);
  }
  return fromStart;
}
