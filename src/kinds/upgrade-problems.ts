import { isDeepStrictEqual } from 'node:util';
import type { DeepReadonly, New } from '../meta/objects.js';
import type { CustomResourceDefinition, JSONSchemaProps } from '../resources/types/apiextensions-v1.js';

type Definition = DeepReadonly<CustomResourceDefinition>;
type NextDefinition = DeepReadonly<New<CustomResourceDefinition>>;
type Schema = DeepReadonly<JSONSchemaProps>;

/**
 * What would harm stored objects, or clients that write them, if `after` replaced `before` in a cluster: a version that objects
 * are stored in or a field goes; a new field is required and has no default; a type, an enumeration, a bound, a pattern or a
 * list gets narrower; a rule is added; the scope or a subresource changes. Empty if there is nothing.
 *
 * `before` is the definition as the cluster has it: `status.storedVersions` tells which versions must stay.
 */
export function upgradeProblems(before: Definition, after: NextDefinition): readonly string[] {
  return [...definitionProblems(before, after)];
}

function* definitionProblems(before: Definition, after: NextDefinition): Iterable<string> {
  const [old, next] = [before.spec, after.spec];
  for (const [name, one, other] of [
    ['group', old.group, next.group],
    ['kind', old.names.kind, next.names.kind],
    ['plural name', old.names.plural, next.names.plural],
    ['scope', old.scope, next.scope],
  ] as const) {
    if (one !== other) yield `the ${name} changes from ${one} to ${other}: objects would have to be created anew`;
  }
  const stored = old.versions.find(({ storage }) => storage);
  const kept = new Map(next.versions.map((version) => [version.name, version]));
  for (const name of before.status?.storedVersions ?? (stored === undefined ? [] : [stored.name])) {
    if (!kept.has(name)) yield `version ${name} goes, but objects are stored in it (status.storedVersions)`;
  }
  const isConverted = next.conversion?.strategy === 'Webhook';
  for (const version of next.versions) {
    const same = old.versions.find(({ name }) => name === version.name);
    // Without conversion, objects of the stored version are read as they are in a new version.
    const from = same ?? (isConverted ? undefined : stored);
    if (from === undefined) continue;
    for (const subresource of ['status', 'scale'] as const) {
      const [had, has] = [from, version].map(({ subresources }) => subresources?.[subresource] !== undefined);
      if (had && !has) yield `${version.name}: the subresource ${subresource} goes`;
    }
    const [oldSchema, nextSchema] = [from.schema?.openAPIV3Schema, version.schema?.openAPIV3Schema];
    if (oldSchema !== undefined && nextSchema !== undefined) yield* schemaChanges(oldSchema, nextSchema, version.name);
  }
}

/** Compares schemas without recursion: those of a cluster may be nested deeply. */
function* schemaChanges(before: Schema, after: Schema, version: string): Iterable<string> {
  const pairs: [Schema, Schema, string][] = [[before, after, '']];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [old, next, path] = pair;
    const place = path === '' ? version : `${version} ${path}`;
    yield* nodeChanges(old, next, place);
    yield* fieldChanges(old, next, version, path);
    pairs.push(...[...commonParts(old, next, path)].reverse());
  }
}

function* nodeChanges(old: Schema, next: Schema, place: string): Iterable<string> {
  const [from, to] = [typeOf(old), typeOf(next)];
  const widened = WIDER[from]?.includes(to) === true;
  if (from !== to && !widened) yield `${place}: the type changes from ${from} to ${to}`;
  if (old.nullable === true && next.nullable !== true && from === to) yield `${place}: null is no longer allowed`;
  if (keepsUnknown(old) && !keepsUnknown(next) && from === to) yield `${place}: unknown fields are no longer kept`;
  if (next.enum !== undefined) {
    const missing = old.enum?.filter((value) => !next.enum?.some((one) => isDeepStrictEqual(one, value)));
    if (missing === undefined) yield `${place}: only ${shown(next.enum)} are allowed from now on`;
    else if (missing.length > 0)
      yield `${place}: ${shown(missing)} ${missing.length === 1 ? 'is' : 'are'} no longer allowed`;
  }
  yield* boundChanges(old, next, place);
  for (const keyword of ['pattern', 'format', 'multipleOf'] as const) {
    if (next[keyword] === undefined || next[keyword] === old[keyword]) continue;
    // An integer without a format has the range of an int64.
    if (keyword === 'format' && next.format === 'int64' && old.format === undefined) continue;
    if (keyword === 'format' && next.format === 'int64' && old.format === 'int32') continue;
    yield `${place}: the ${keyword} ${old[keyword] === undefined ? 'is new' : `changes from ${old[keyword]}`}: ${next[keyword]}`;
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf', 'not'] as const) {
    if (next[keyword] !== undefined && !isDeepStrictEqual(old[keyword], next[keyword])) {
      yield `${place}: ${keyword} ${old[keyword] === undefined ? 'is new' : 'changes'}`;
    }
  }
  const rules = new Set(old['x-kubernetes-validations']?.map(({ rule }) => rule));
  for (const { rule } of next['x-kubernetes-validations'] ?? []) {
    if (!rules.has(rule)) yield `${place}: the rule ${JSON.stringify(rule)} is new`;
  }
  if (from === 'array' && to === 'array') yield* listChanges(old, next, place);
}

/** The types that accept all values of another one. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  integer: ['number', 'int-or-string', 'any'],
  string: ['int-or-string', 'any'],
  'int-or-string': ['any'],
  number: ['any'],
  boolean: ['any'],
  array: ['any'],
  object: ['any'],
};

function typeOf(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  return schema.type ?? 'any';
}

function keepsUnknown({ 'x-kubernetes-preserve-unknown-fields': keeps, additionalProperties }: Schema): boolean {
  return keeps === true || additionalProperties === true;
}

function shown(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}

const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;
const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;

function* boundChanges(old: Schema, next: Schema, place: string): Iterable<string> {
  for (const bound of [...LOWER, ...UPPER]) {
    const [from, to] = [old[bound], next[bound]];
    if (to === undefined || (bound !== 'minimum' && bound.startsWith('min') && to === 0)) continue;
    const isNarrower = from === undefined || (bound.startsWith('min') ? to > from : to < from);
    if (isNarrower) yield `${place}: ${bound} ${from === undefined ? 'is new' : `changes from ${from}`}: ${to}`;
  }
  for (const bound of ['exclusiveMinimum', 'exclusiveMaximum'] as const) {
    if (next[bound] === true && old[bound] !== true) yield `${place}: ${bound} is new`;
  }
}

function* listChanges(old: Schema, next: Schema, place: string): Iterable<string> {
  const type = (schema: Schema): string => schema['x-kubernetes-list-type'] ?? 'atomic';
  const keys = (schema: Schema): string => [...(schema['x-kubernetes-list-map-keys'] ?? [])].sort().join(', ');
  // A list that is replaced as a whole may have items twice, which the others refuse.
  if (type(next) !== type(old) && type(next) !== 'atomic') {
    yield `${place}: the list type changes from ${type(old)} to ${type(next)}`;
  } else if (type(next) === 'map' && keys(next) !== keys(old)) {
    yield `${place}: the keys of the list change from ${keys(old)} to ${keys(next)}`;
  }
}

function* fieldChanges(old: Schema, next: Schema, version: string, path: string): Iterable<string> {
  const { properties: had = {}, required: needed = [] } = old;
  const { properties: has = {}, required = [], additionalProperties } = next;
  const place = (name: string): string => `${version} ${path === '' ? name : `${path}.${name}`}`;
  for (const name of Object.keys(had)) {
    if (Object.hasOwn(has, name) || keepsUnknown(next) || typeof additionalProperties === 'object') continue;
    yield `${place(name)}: the field goes, and servers drop stored values of it`;
  }
  if (typeof old.additionalProperties === 'object' && typeOf(next) === 'object') {
    if (typeof additionalProperties !== 'object' && !keepsUnknown(next)) {
      yield `${path === '' ? version : `${version} ${path}`}: a map becomes an object with certain fields`;
    }
  }
  for (const name of required) {
    if (needed.includes(name)) {
      const [from, to] = [own(had, name)?.default, own(has, name)?.default];
      if (from !== undefined && to === undefined) yield `${place(name)}: the default of a required field goes`;
    } else if (own(has, name)?.default === undefined) {
      const what = Object.hasOwn(had, name) ? 'the field becomes required' : 'the field is new and required';
      yield `${place(name)}: ${what}, and has no default`;
    }
  }
  for (const [name, property] of Object.entries(had)) {
    // Without its default a field is missing where it used to be there.
    const now = own(has, name);
    if (required.includes(name) || now === undefined || property.default === undefined) continue;
    if (now.default === undefined) yield `${place(name)}: the default goes, so that objects may be without the field`;
  }
}

function own<T>(fields: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function* commonParts(old: Schema, next: Schema, path: string): Iterable<[Schema, Schema, string]> {
  for (const [name, property] of Object.entries(old.properties ?? {})) {
    const now = own(next.properties ?? {}, name);
    if (now !== undefined) yield [property, now, path === '' ? name : `${path}.${name}`];
  }
  const [values, nextValues] = [old.additionalProperties, next.additionalProperties];
  if (typeof values === 'object' && typeof nextValues === 'object') yield [values, nextValues, `${path}.*`];
  const [items, nextItems] = [old.items as Schema | undefined, next.items as Schema | undefined];
  if (items !== undefined && nextItems !== undefined) yield [items, nextItems, `${path}[]`];
}
