import { isDeepStrictEqual } from 'node:util';
import { StatusError } from '../../meta/errors.js';
import { getField, isJsonObject, type JsonObject, jsonTypeName, setField } from '../../meta/json-values.js';
import { mutableCopy } from '../../meta/objects.js';
import { requestEntityTooLarge } from '../../meta/status.js';
import { inapplicablePatch, malformedPatch } from './patch-errors.js';

/** How many operations one patch may have. */
const MAX_OPERATIONS = 10_000;

/** How much all `copy` operations of a patch may add together: doubling a value thirty times takes only thirty of them. */
const MAX_COPIED = 3 * 1024 * 1024;

type Container = JsonObject | unknown[];

interface Operation {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: unknown;
}

/** The document lives in a holder, because a `replace` of the empty path puts another in its place. */
interface Holder {
  root: unknown;
  copied: number;
}

/**
 * Applies a JSON patch (RFC 6902), all of it or nothing: the result is a new document, and neither argument is changed.
 * A patch that is none throws a 400, one that does not apply a 422, both as {@link StatusError}.
 *
 * Where the real server is laxer than the RFC, so is this: `replace` of a field that is missing adds it, `copy` of a
 * missing field and an operation without value give null, indexes may be negative (counted from the end) or have
 * leading zeros, and only `replace` and `test` know the empty path.
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  const operations = readOperations(patch);
  const holder: Holder = { root: mutableCopy(document as object), copied: 0 };
  for (const operation of operations) applyOperation(holder, operation);
  return holder.root;
}

function readOperations(patch: unknown): Operation[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw undecodable(patch, 'Go value of type []handlers.jsonPatchOp');
  if (patch.length > MAX_OPERATIONS) {
    throw new StatusError(
      requestEntityTooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`),
    );
  }
  return patch.map((entry: unknown) => {
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

function applyOperation(holder: Holder, operation: Operation): void {
  const { op, path, from } = operation;
  if (op === 'add') {
    add(holder, op, path, mutableCopy(operation.value as object));
  } else if (op === 'remove') {
    const [container, key] = locate(holder, op, path);
    remove(container, key, op);
  } else if (op === 'replace') {
    replace(holder, path, mutableCopy(operation.value as object));
  } else if (op === 'move') {
    const [container, key] = locate(holder, op, from);
    const value = get(container, key, op);
    remove(container, key, op);
    add(holder, op, path, value);
  } else if (op === 'copy') {
    const [container, key] = locate(holder, op, from);
    const value = get(container, key, op);
    holder.copied += JSON.stringify(value).length;
    if (holder.copied > MAX_COPIED) throw inapplicablePatch(`the copies of this patch are over ${MAX_COPIED} bytes`);
    add(holder, op, path, mutableCopy(value as object));
  } else if (op === 'test') {
    test(holder, path, operation.value);
  } else {
    throw inapplicablePatch(`unexpected kind of operation: ${op ?? 'unknown'}`);
  }
}

function add(holder: Holder, op: string, path: string | undefined, value: unknown): void {
  const [container, key] = locate(holder, op, path);
  if (!Array.isArray(container)) setField(container, key, value);
  else if (key === '-') container.push(value);
  else container.splice(arrayIndex(key, container.length + 1, op), 0, value);
}

function remove(container: Container, key: string, op: string): void {
  if (Array.isArray(container)) {
    container.splice(arrayIndex(key, container.length, op), 1);
    return;
  }
  if (!Object.hasOwn(container, key)) {
    throw inapplicablePatch(`${op} operation does not apply: unable to remove nonexistent key: ${key}`);
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
  if (Array.isArray(container)) container[arrayIndex(key, container.length, 'replace')] = value;
  else setField(container, key, value);
}

function test(holder: Holder, path: string | undefined, expected: unknown): void {
  let actual = holder.root;
  if (path !== '') {
    const [container, key] = locate(holder, 'test', path);
    actual = get(container, key, 'test');
  }
  if (!isDeepStrictEqual(actual, expected)) throw inapplicablePatch(`testing value ${path} failed: test failed`);
}

function get(container: Container, key: string, op: string): unknown {
  if (Array.isArray(container)) return container[arrayIndex(key, container.length, op)];
  return getField(container, key) ?? null;
}

/** The container that holds what a pointer points to, and the key in it. */
function locate(holder: Holder, op: string, pointer: string | undefined): [container: Container, key: string] {
  if (pointer === undefined) throw inapplicablePatch(`${op} operation failed to decode path: missing value`);
  const [, ...keys] = pointer.split('/').map(unescapeKey);
  const last = keys.pop();
  let container = holder.root;
  for (const key of keys) {
    if (typeof container !== 'object' || container === null) break;
    container = get(container as Container, key, op);
  }
  if (last === undefined || typeof container !== 'object' || container === null) {
    throw inapplicablePatch(`${op} operation does not apply: doc is missing path: ${JSON.stringify(pointer)}`);
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
