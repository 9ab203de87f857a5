import { unescapeName } from '../meta/cel-names.js';
import { nearNames } from '../meta/options/nearest-names.js';
import { compileRegexp, RegexpError } from '../regexp/regexp.js';
import type { JSONSchemaProps } from '../resources/types/apiextensions-v1.js';
import { celPaths, readsOldSelf } from './cel-text.js';
import { valueProblems } from './value-problems.js';

/** A schema and where it is. */
interface Place {
  readonly schema: JSONSchemaProps;
  readonly path: string;
  /** The list or map around it whose length has no limit. */
  readonly unlimited: string | undefined;
  /** The list around it whose items have no identity, so that a rule cannot know their former values. */
  readonly uncorrelated: string | undefined;
}

/**
 * What a server would refuse in a structural schema, each with its path: wrong types and keywords, patterns, defaults that
 * break the rules of their field, lists without usable keys, rules on fields that do not exist or on lists without a limit.
 * Rules are checked by their text: a server may find more.
 */
export function* schemaProblems(root: JSONSchemaProps, path: string): Iterable<string> {
  const places: Place[] = [{ schema: root, path, unlimited: undefined, uncorrelated: undefined }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    yield* nodeProblems(place);
    places.push(...[...partsOf(place)].reverse());
  }
}

function* partsOf({ schema, path, unlimited, uncorrelated }: Place): Iterable<Place> {
  const { properties = {}, additionalProperties, items, maxItems, maxProperties } = schema;
  for (const [name, property] of Object.entries(properties)) {
    yield { schema: property, path: path === '' ? name : `${path}.${name}`, unlimited, uncorrelated };
  }
  if (typeof additionalProperties === 'object') {
    const around = unlimited ?? (maxProperties === undefined ? path : undefined);
    yield { schema: additionalProperties, path: `${path}.*`, unlimited: around, uncorrelated };
  }
  if (items !== undefined && !Array.isArray(items)) {
    yield {
      schema: items,
      path: `${path}[]`,
      unlimited: unlimited ?? (maxItems === undefined ? path : undefined),
      uncorrelated: uncorrelated ?? (schema['x-kubernetes-list-type'] === 'map' ? undefined : path),
    };
  }
}

function* nodeProblems(place: Place): Iterable<string> {
  const { schema, path } = place;
  yield* keywordProblems(schema, path);
  const pattern = patternProblem(schema.pattern);
  if (pattern !== undefined) yield `${path}: the pattern ${schema.pattern} is invalid: ${pattern}`;
  else if (schema.default !== undefined) yield* valueProblems(schema, schema.default, `${path}: the default`);
  yield* listProblems(schema, path);
  for (const { rule } of schema['x-kubernetes-validations'] ?? []) yield* ruleProblems(rule, place);
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
/** The keywords of JSON Schema that Kubernetes does not have. */
const UNSUPPORTED = [
  '$ref',
  '$schema',
  'id',
  'definitions',
  'dependencies',
  'patternProperties',
  'additionalItems',
] as const;

/** Only a schema of `field.of` can have these. */
function* keywordProblems(schema: JSONSchemaProps, path: string): Iterable<string> {
  const { type, items, properties, additionalProperties, uniqueItems } = schema;
  const isAny =
    schema['x-kubernetes-preserve-unknown-fields'] === true || schema['x-kubernetes-int-or-string'] === true;
  if (type === undefined ? !isAny : !TYPES.includes(type)) {
    yield `${path}: the type of a schema must be one of ${TYPES.join(', ')}, got ${type}`;
  }
  for (const keyword of UNSUPPORTED) {
    if (schema[keyword] !== undefined) yield `${path}: Kubernetes does not support ${keyword} in a schema`;
  }
  if (uniqueItems === true) yield `${path}: Kubernetes does not support uniqueItems; make the list a set`;
  if (Array.isArray(items)) yield `${path}: the items of a list must have one schema`;
  if (type === 'array' && items === undefined) yield `${path}: a list needs a schema for its items`;
  if (properties !== undefined && Object.keys(properties).length > 0 && typeof additionalProperties === 'object') {
    yield `${path}: an object has either properties or additionalProperties, not both`;
  }
}

function patternProblem(pattern: string | undefined): string | undefined {
  try {
    if (pattern !== undefined) compileRegexp(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof RegexpError) return error.message;
    throw error;
  }
}

function* listProblems(schema: JSONSchemaProps, path: string): Iterable<string> {
  const { items, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  if (items === undefined || Array.isArray(items)) return;
  if (listType === 'set') {
    if (items.nullable === true) yield `${path}: the items of a set cannot be null`;
    if (items.type === 'array' && !['atomic', undefined].includes(items['x-kubernetes-list-type'])) {
      yield `${path}: the items of a set must be lists that are replaced as a whole`;
    }
  }
  if (listType !== 'map') return;
  const { properties = {}, required = [] } = items;
  if (items.type !== 'object') yield `${path}: a list with keys must have objects as items`;
  if (items.nullable === true) yield `${path}: the items of a list with keys cannot be null`;
  for (const key of new Set(keys)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) yield `${path}: the key ${key} is not a field of the items`;
    else if (property.type === 'array' || property.type === 'object') {
      yield `${path}: the key ${key} must be a string, a number or a boolean`;
    } else if (property.nullable === true) yield `${path}: the key ${key} cannot be null`;
    else if (!required.includes(key) && property.default === undefined) {
      yield `${path}: the key ${key} must be required or have a default`;
    }
  }
  if (new Set(keys).size < keys.length) yield `${path}: the keys of a list must be different`;
}

/** Methods of CEL that read every item of a list or map. */
const ITERATING = new Set(
  'all exists exists_one existsOne map filter sortBy transformList transformMap transformMapEntry sum min max isSorted'.split(
    ' ',
  ),
);

function* ruleProblems(rule: string, { schema, path, unlimited, uncorrelated }: Place): Iterable<string> {
  const shown = `${path}: the rule ${JSON.stringify(rule)}`;
  if (unlimited !== undefined) {
    yield `${shown} is checked for every item of ${unlimited}, which needs maxItems or maxProperties: servers limit the cost of rules`;
  }
  if (uncorrelated !== undefined && readsOldSelf(rule)) {
    yield `${shown} needs the former value, but the items of ${uncorrelated} have no identity: give the list keys`;
  }
  for (const { fields, method } of celPaths(rule)) {
    const end = follow(schema, fields, path === '');
    if (end.unknown !== undefined) {
      const [near] = nearNames(end.unknown, end.names);
      yield `${shown} reads self.${fields.join('.')}, but there is no field ${end.unknown}${near === undefined ? '' : `; did you mean ${near}?`}`;
    } else if (method !== undefined && ITERATING.has(method) && isUnlimited(end.schema)) {
      const read = ['self', ...fields].join('.');
      yield `${shown} reads all of ${read}, which needs maxItems or maxProperties: servers limit the cost of rules`;
    }
  }
}

interface PathEnd {
  /** The schema at the end of the path; undefined if it is not known. */
  readonly schema?: JSONSchemaProps | undefined;
  /** The first field that does not exist, and those that do. */
  readonly unknown?: string;
  readonly names: readonly string[];
}

/** Follows the fields of a rule through objects; what is behind a map or an unknown value is not known. */
function follow(from: JSONSchemaProps, fields: readonly string[], isRoot: boolean): PathEnd {
  let schema = from;
  for (const [at, identifier] of fields.entries()) {
    const name = unescapeName(identifier) ?? identifier;
    if (isRoot && at === 0 && ['metadata', 'apiVersion', 'kind'].includes(name)) return { names: [] };
    const { properties = {}, additionalProperties, type } = schema;
    if (typeof additionalProperties === 'object') {
      schema = additionalProperties;
      continue;
    }
    if (type !== 'object' || additionalProperties === true) return { names: [] };
    if (schema['x-kubernetes-preserve-unknown-fields'] === true) return { names: [] };
    const next = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (next === undefined) return { unknown: name, names: Object.keys(properties) };
    schema = next;
  }
  return { schema, names: [] };
}

function isUnlimited(schema: JSONSchemaProps | undefined): boolean {
  if (schema?.type === 'array') return schema.maxItems === undefined;
  return (
    schema?.type === 'object' && typeof schema.additionalProperties === 'object' && schema.maxProperties === undefined
  );
}
