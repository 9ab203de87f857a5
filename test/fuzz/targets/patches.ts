import assert from 'node:assert/strict';
import fastJsonPatch from 'fast-json-patch';
import { readFieldsV1 } from '../../../src/apiserver/managed-fields/fields.js';
import { patchSchemaOf } from '../../../src/apiserver/patch/built-in-patch-schema.js';
import { applyJsonPatch } from '../../../src/apiserver/patch/json-patch.js';
import { applyMergePatch } from '../../../src/apiserver/patch/merge-patch.js';
import { applyStrategicMergePatch } from '../../../src/apiserver/patch/strategic-merge-patch.js';
import { jsonPatchBetween } from '../../../src/controller/webhooks/json-patch.js';
import { StatusError } from '../../../src/meta/errors/errors.js';
import { isJsonObject, type JsonObject } from '../../../src/meta/json-values.js';
import { finish } from '../../../src/time/steps.js';
import { jsonObject, jsonValue } from '../json-text.js';
import { mutateText } from '../mutate.js';
import type { Random } from '../random.js';
import { accepted, target } from '../target.js';

interface Patch {
  readonly document: JsonObject;
  readonly patch: unknown;
}

const copy = <T>(value: T): T => structuredClone(value);

/** A pointer into the document, mostly to something that is there. */
function pointer(random: Random, document: unknown): string {
  let path = '';
  let at = document;
  for (let depth = 1 + random.below(3); depth > 0; depth--) {
    const names = typeof at === 'object' && at !== null ? Object.keys(at) : [];
    const name =
      names.length > 0 && !random.oneIn(12)
        ? random.pick(names)
        : random.pick(['a', 'b', '0', '1', '-', '-1', '01', '__proto__', '']);
    path += `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    at = isJsonObject(at) || Array.isArray(at) ? (at as JsonObject)[name] : undefined;
  }
  return path;
}

function operation(random: Random, document: unknown): unknown {
  if (random.oneIn(40)) return jsonValue(random, 1);
  const op = random.pick([
    'add',
    'add',
    'add',
    'replace',
    'replace',
    'remove',
    'move',
    'copy',
    ...(random.oneIn(10) ? ['test', 'nothing', 5] : []),
  ]);
  const path = random.oneIn(30) ? random.pick(['', 'a', '/', '//', '/~2']) : pointer(random, document);
  return {
    op,
    path,
    ...(op === 'move' || op === 'copy' ? { from: pointer(random, document) } : {}),
    ...(op === 'add' || op === 'replace' || op === 'test' ? { value: jsonValue(random, 2) } : {}),
  };
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** What fast-json-patch makes of a patch; undefined if it refuses it, or if kube-apiserver reads the patch in its own way. */
function patchedElsewhere(document: unknown, patch: readonly Operation[]): { readonly value: unknown } | undefined {
  const isOdd = (path: string): boolean => path === '' || /\/(?:-\d|0\d||__proto__|toString)(?:\/|$)/.test(path);
  if (!Array.isArray(patch)) return undefined;
  let result = copy(document);
  const apply = (one: Operation): void => {
    result = fastJsonPatch.applyOperation(result, copy(one) as never, true).newDocument;
  };
  try {
    for (const one of patch) {
      const { op, path, from } = one;
      if (isOdd(path) || isOdd(from ?? '/a')) return undefined;
      if (from === undefined) {
        apply(one);
        continue;
      }
      // It does not check the place that it moves and copies to: made of what it does check.
      const [parent] = /.*(?=\/)/.exec(from) as RegExpExecArray;
      const isInContainer = typeof fastJsonPatch.getValueByPointer(result, parent) === 'object';
      const value: unknown = isInContainer ? copy(fastJsonPatch.getValueByPointer(result, from)) : undefined;
      if (value === undefined || !['move', 'copy'].includes(op)) return undefined;
      if (op === 'move') apply({ op: 'remove', path: from });
      apply({ op: 'add', path, value });
    }
  } catch {
    return undefined;
  }
  return { value: result };
}

/** RFC 7386, with what kube-apiserver does to nulls in arrays. */
function merged(document: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return withoutNulls(patch);
  const result: JsonObject = isJsonObject(document) ? { ...document } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else
      result[name] = merged(
        isJsonObject(document) && Object.hasOwn(document, name) ? document[name] : undefined,
        value,
      );
  }
  return result;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== null)
      .map(([name, entry]) => [name, withoutNulls(entry)]),
  );
}

const podSchema = patchSchemaOf({ group: '', version: 'v1', kind: 'Pod' });

function container(random: Random, isPatch: boolean): unknown {
  if (random.oneIn(30)) return jsonValue(random, 1);
  return {
    ...(random.oneIn(20) ? {} : { name: random.pick(['a', 'b', 'c', 5]) }),
    ...(random.oneIn(3) ? { image: random.pick(['x', 'y', null]) } : {}),
    ...(random.oneIn(4)
      ? { env: random.list(0, 2, () => ({ name: random.pick(['X', 'Y']), value: random.pick(['1', null]) })) }
      : {}),
    ...(random.oneIn(6) ? { ports: [{ containerPort: random.pick([80, 81]), protocol: 'TCP' }] } : {}),
    ...(isPatch && random.oneIn(6)
      ? { $patch: random.pick(['delete', 'replace', 'merge', 'nothing', 1, { toString: 1 }]) }
      : {}),
  };
}

function pod(random: Random, isPatch: boolean): JsonObject {
  const or = (value: unknown): unknown => (random.oneIn(30) ? jsonValue(random, 1) : value);
  const spec: JsonObject = {
    ...(random.oneIn(2) ? { containers: or(random.list(0, 3, () => container(random, isPatch))) } : {}),
    ...(random.oneIn(4) ? { nodeSelector: or({ a: random.pick(['1', null]) }) } : {}),
    ...(random.oneIn(4) ? { tolerations: or([{ key: 'a' }]) } : {}),
    ...(random.oneIn(6) ? { volumes: or([{ name: 'v', emptyDir: {} }]) } : {}),
  };
  if (isPatch) {
    if (random.oneIn(5))
      spec['$setElementOrder/containers'] = or(random.list(0, 3, () => ({ name: random.pick(['a', 'b', 'c']) })));
    if (random.oneIn(10)) spec['$retainKeys'] = or(['containers', 'nodeSelector']);
    if (random.oneIn(20)) spec['$patch'] = random.pick(['replace', 'delete', 'x']);
  }
  const metadata: JsonObject = {
    ...(random.oneIn(3) ? { labels: or(jsonObject(random, 1)) } : {}),
    ...(random.oneIn(4) ? { finalizers: or(random.list(0, 3, () => random.pick(['a', 'b', 'c']))) } : {}),
    ...(isPatch && random.oneIn(6) ? { '$deleteFromPrimitiveList/finalizers': or(['a']) } : {}),
  };
  return { ...(random.oneIn(2) ? { metadata: or(metadata) } : {}), spec: or(spec) };
}

/** The list fields of a pod that are merged, with the key of their items; undefined for lists of texts. */
const mergedLists: Readonly<Record<string, string | undefined>> = {
  containers: 'name',
  env: 'name',
  ports: 'containerPort',
  volumes: 'name',
  finalizers: undefined,
};

const objectFields = ['metadata', 'spec', 'labels', 'nodeSelector'];
/** Lists that a patch replaces. */
const replacedLists = ['tolerations'];

/** Whether kube-apiserver would store this part of a pod: it refuses fields of another type, and items without a key. */
function isStorable(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isStorable);
  if (!isJsonObject(value)) return true;
  return Object.entries(value).every(([name, entry]) => {
    if (name.startsWith('$') || (objectFields.includes(name) && !isJsonObject(entry))) return false;
    if (replacedLists.includes(name) && !Array.isArray(entry)) return false;
    if (!Object.hasOwn(mergedLists, name)) return isStorable(entry);
    const key = mergedLists[name];
    if (!Array.isArray(entry)) return false;
    // It stores a finalizer that a patch contains twice, and merges the two when the patch comes again.
    if (key === undefined)
      return entry.every((item) => typeof item === 'string') && new Set(entry).size === entry.length;
    const keys = entry.map((item) => (isJsonObject(item) ? item[key] : undefined));
    const isKey = (one: unknown): boolean => typeof one === (key === 'name' ? 'string' : 'number');
    return keys.every(isKey) && new Set(keys).size === keys.length && isStorable(entry);
  });
}

/** A pod as kube-apiserver has it after decoding: nulls and empty lists are no values of its fields. */
function asStored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asStored);
  if (!isJsonObject(value)) return value;
  const isValue = (entry: unknown): boolean => entry !== null && !(Array.isArray(entry) && entry.length === 0);
  const fields = Object.entries(value).filter(([, entry]) => isValue(entry));
  return Object.fromEntries(fields.map(([name, entry]) => [name, asStored(entry)]));
}

/** Without directives and lists. */
const isPlain = (patch: unknown): boolean => !/"\$|\[/.test(JSON.stringify(patch));

const elements = [
  'f:a',
  'f:b',
  'f:',
  'k:{"name":"x"}',
  'k:{"b":1,"a":"<"}',
  'v:"x"',
  'v:1',
  'v:null',
  'i:0',
  'i:-5',
  '.',
  'f:__proto__',
];
const oddElements = ['x:y', 'f', '', 'k:1', 'k:', 'v:{', 'i:a', 'k:{"__proto__":1}', 'k:null'];

/** A set of fields in the notation of managedFields. */
function fieldsText(random: Random, depth: number): string {
  const members = random.list(0, 3, () => {
    const element = random.pick(random.oneIn(25) ? oddElements : elements);
    const name = random.oneIn(40) ? mutateText(random, element, [':', '{', '"']) : element;
    const value = random.oneIn(40)
      ? random.pick(['1', 'null', '[]'])
      : depth > 0
        ? fieldsText(random, depth - 1)
        : '{}';
    return `${JSON.stringify(name)}:${value}`;
  });
  return `{${members.join(',')}}`;
}

export const patchTargets = [
  target(
    'json-patches',
    'refuses with a Status; does what fast-json-patch does where that applies the patch',
    (random) => {
      const document = jsonObject(random, 4);
      return {
        document,
        patch: random.oneIn(40) ? jsonValue(random, 1) : random.list(1, 3, () => operation(random, document)),
      };
    },
    ({ document, patch }: Patch) => {
      const result = accepted(() => ({ value: finish(applyJsonPatch(copy(document), copy(patch))) }), [StatusError]);
      const expected = patchedElsewhere(document, patch as Operation[]);
      if (expected !== undefined) assert.deepEqual(result, expected);
      return result !== undefined;
    },
  ),

  target(
    'json-patches-between',
    'the patch between two objects makes the second of the first',
    (random) => ({ document: jsonObject(random, 4), patch: jsonObject(random, 4) }),
    ({ document, patch }: Patch) => {
      const operations = jsonPatchBetween(document, patch);
      assert.deepEqual(finish(applyJsonPatch(copy(document), copy(operations))), patch);
      return operations.length > 0;
    },
  ),

  target(
    'merge-patches',
    'refuses with a Status; does what RFC 7386 says',
    (random) => ({
      document: jsonObject(random, 4),
      patch: random.oneIn(40) ? jsonValue(random, 1) : jsonObject(random, 4),
    }),
    ({ document, patch }: Patch) => {
      const result = accepted(() => finish(applyMergePatch(copy(document), copy(patch))), [StatusError]);
      assert.equal(result !== undefined, isJsonObject(patch));
      if (result !== undefined) assert.deepEqual(result, merged(document, patch));
      return result !== undefined;
    },
  ),

  target(
    'strategic-merge-patches',
    'refuses with a Status; without directives and lists it is a merge patch; applied twice it does the same as once',
    (random) => ({ document: pod(random, false), patch: random.oneIn(60) ? jsonValue(random, 1) : pod(random, true) }),
    ({ document, patch }: Patch) => {
      const apply = (to: JsonObject): JsonObject => finish(applyStrategicMergePatch(copy(to), copy(patch), podSchema));
      const result = accepted(() => apply(document), [StatusError]);
      if (result === undefined) return false;
      if (!isStorable(document)) return true;
      if (isJsonObject(patch) && isPlain(patch)) assert.deepEqual(result, merged(document, patch));
      const stored = asStored(result);
      // Null instead of deleted values removes the list of an object that is there, and is left out of a new object.
      if (isStorable(stored) && !/"\$deleteFromPrimitiveList\/\w+":null/.test(JSON.stringify(patch))) {
        const again = accepted(() => apply(stored as JsonObject), [StatusError]);
        // An item with a wrong directive, or without a key, is left out of a new list, and refused for one that is there.
        if (again === undefined) assert.match(JSON.stringify(patch), /"\$patch":/);
        else assert.deepEqual(asStored(again), stored);
      }
      return true;
    },
  ),

  target(
    'managed-fields',
    'a set of fields is read, or refused with an Error; the set that was read is read as the same',
    (random) => fieldsText(random, 3),
    (text: string) => {
      const set = accepted(() => ({ set: finish(readFieldsV1(JSON.parse(text))) }), [Error]);
      if (set === undefined) return false;
      const printed = JSON.stringify(set.set);
      if (printed !== undefined) assert.equal(JSON.stringify(finish(readFieldsV1(JSON.parse(printed)))), printed);
      return printed !== undefined;
    },
  ),
];
