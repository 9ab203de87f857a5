import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../../meta/errors/status.js';
import { getField, isJsonObject, type JsonObject } from '../../../../meta/json-values.js';
import { isStepDue, type Steps } from '../../../../time/steps.js';
import { CauseList } from '../cause-list.js';
import { findField } from '../field-path.js';
import { isMetaField, parseStructural, type Structural, type ValidationRule } from './structural.js';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Where a node is, as far as its rules depend on it. */
export interface SchemaPlace {
  readonly isRoot: boolean;
  /** Whether the node belongs to the metadata of an object. */
  readonly isMeta: boolean;
  /** Why the node may have no default; undefined if it may. */
  readonly noDefaults: string | undefined;
  /** The list or map around the node whose items have no former values, so that `oldSelf` means nothing. */
  readonly uncorrelated: string | undefined;
}

/** Checks the expressions of a node after its schema is known to be right. */
export interface ExpressionRules {
  /** Enters a part of the schema: a property by its name, or the items or values of a list or map. */
  child(schema: Structural, name: string | undefined): ExpressionRules;
  causes(schema: Structural, path: string, place: SchemaPlace): Iterable<StatusCause>;
}

/** The causes for the keywords of a schema, and for its expressions. */
export function* openApiCauses(
  schema: Structural,
  path: string,
  expressions: ExpressionRules | undefined,
): Steps<StatusCause[]> {
  const rules = new SchemaRules();
  const place = { isRoot: true, isMeta: false, noDefaults: undefined, uncorrelated: undefined };
  yield* rules.check(schema, path, place, expressions);
  return [...rules.schema.causes, ...rules.expressions.causes];
}

class SchemaRules {
  readonly schema = new CauseList();
  readonly expressions = new CauseList();

  *check(schema: Structural, path: string, place: SchemaPlace, expressions: ExpressionRules | undefined): Steps<void> {
    if (isStepDue()) yield;
    const before = this.schema.count;
    this.schema.addAll(keywordCauses(schema, path, place));
    yield* this.#checkParts(schema, path, { ...place, isRoot: false }, place.isRoot, expressions);
    this.schema.addAll(listAndMapCauses(schema, path));
    for (const [at, rule] of schema.rules.entries()) {
      this.schema.addAll(ruleCauses(rule, schema, `${path}.x-kubernetes-validations[${at}]`));
    }
    // The messages about expressions of a wrong schema would mislead.
    if (schema.rules.length > 0 && this.schema.count === before && expressions !== undefined) {
      this.expressions.addAll(expressions.causes(schema, path, place));
    }
  }

  *#checkParts(
    schema: Structural,
    path: string,
    place: SchemaPlace,
    isRoot: boolean,
    expressions: ExpressionRules | undefined,
  ): Steps<void> {
    const { additionalProperties, properties, items, json } = schema;
    if (typeof additionalProperties === 'object') {
      const noDefaults = place.isMeta ? 'inside additionalProperties applying to object metadata' : place.noDefaults;
      const child = expressions?.child(additionalProperties, undefined);
      yield* this.check(additionalProperties, `${path}.additionalProperties`, { ...place, noDefaults }, child);
    }
    const isUncorrelated = schema.mapType !== undefined && schema.mapType !== 'granular' && schema.mapType !== 'atomic';
    const inProperties = isUncorrelated ? { ...place, uncorrelated: place.uncorrelated ?? path } : place;
    for (const [name, property] of properties) {
      const isMeta = (isRoot || schema.isEmbedded) && isMetaField(name);
      const inProperty = !isMeta
        ? inProperties
        : { ...inProperties, isMeta, noDefaults: isRoot ? `in top-level ${name}` : inProperties.noDefaults };
      const child = expressions?.child(property, name);
      yield* this.check(property, `${path}.properties[${name}]`, inProperty, child);
    }
    if (schema.not !== undefined) yield* this.check(schema.not, `${path}.not`, place, undefined);
    for (const keyword of ['allOf', 'oneOf', 'anyOf'] as const) {
      for (const [at, one] of schema[keyword].entries()) {
        yield* this.check(one, `${path}.${keyword}[${at}]`, place, undefined);
      }
    }
    if (isJsonObject(json['definitions'])) {
      for (const name of Object.keys(json['definitions'])) {
        const definition = getField(json['definitions'], name);
        if (!isJsonObject(definition)) continue;
        yield* this.check(parseStructural(definition), `${path}.definitions[${name}]`, place, undefined);
      }
    }
    if (items === undefined) return;
    const inItems = schema.listType === 'map' ? place : { ...place, uncorrelated: place.uncorrelated ?? path };
    yield* this.check(items, `${path}.items`, inItems, expressions?.child(items, undefined));
  }
}

function isNonEmpty(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length > 0;
}

/** The keywords that JSON Schema has and Kubernetes has not. */
const UNSUPPORTED: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['id', (value) => typeof value === 'string' && value !== ''],
  ['additionalItems', (value) => value !== undefined && value !== null],
  ['patternProperties', isNonEmpty],
  ['definitions', isNonEmpty],
  ['dependencies', isJsonObject],
  ['$ref', (value) => typeof value === 'string'],
];

/** Why a schema cannot be structural at all; undefined if it may be. Such keywords have causes of their own, except `$schema`. */
export function unsupportedKeyword(schema: JsonObject): string | undefined {
  for (const [keyword, isSet] of [...UNSUPPORTED, ['$schema', (value: unknown) => value !== ''] as const]) {
    const value = getField(schema, keyword);
    if (value !== undefined && isSet(value)) return `OpenAPIV3Schema '${keyword.replace('$s', 's')}' is not supported`;
  }
  if (Array.isArray(schema['items'])) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  for (const part of partsOf(schema)) {
    const found = unsupportedKeyword(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The schemas directly below one. */
export function* partsOf(schema: JsonObject): Iterable<JsonObject> {
  for (const keyword of ['items', 'additionalProperties', 'not']) {
    const part = schema[keyword];
    if (isJsonObject(part)) yield part;
  }
  if (isJsonObject(schema['properties'])) {
    for (const part of Object.values(schema['properties'])) if (isJsonObject(part)) yield part;
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const parts = schema[keyword];
    if (Array.isArray(parts)) yield* parts.filter(isJsonObject);
  }
}

function* keywordCauses(schema: Structural, path: string, place: SchemaPlace): Iterable<StatusCause> {
  const { json, type, properties } = schema;
  if (type !== '' && !TYPES.includes(type)) yield fieldNotSupported(`${path}.type`, type, TYPES);
  if (schema.default !== undefined && place.noDefaults !== undefined) {
    yield fieldForbidden(`${path}.default`, `must not be set ${place.noDefaults}`);
  }
  for (const [keyword, isSet] of UNSUPPORTED) {
    if (isSet(getField(json, keyword))) yield fieldForbidden(`${path}.${keyword}`, `${keyword} is not supported`);
  }
  if (type === 'null') {
    yield fieldForbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative');
  }
  if (Array.isArray(json['items']) && json['items'].length > 0) {
    yield fieldForbidden(`${path}.items`, 'items must be a schema object and not an array');
  }
  if (place.isMeta && schema.isEmbedded) {
    yield fieldForbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta');
  }
  if (json['uniqueItems'] === true) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    yield fieldForbidden(`${path}.uniqueItems`, detail);
  }
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined && additionalProperties !== true && properties.size > 0) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    yield fieldForbidden(`${path}.additionalProperties`, detail);
  }
  if (json['x-kubernetes-preserve-unknown-fields'] === false) {
    yield fieldInvalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined');
  }
}

function* listAndMapCauses(schema: Structural, path: string): Iterable<StatusCause> {
  const { type, mapType, listType, listMapKeys, items } = schema;
  if (mapType !== undefined) {
    yield* typeCauses(type, 'object', 'x-kubernetes-map-type', path);
    if (mapType !== 'atomic' && mapType !== 'granular') {
      yield fieldNotSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']);
    }
  }
  if (listType !== undefined && type !== 'array') yield* typeCauses(type, 'array', 'x-kubernetes-list-type', path);
  else if (listType === 'set' && items !== undefined) {
    const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
    if (items.type === 'array' && items.listType !== undefined && items.listType !== 'atomic') {
      yield fieldInvalid(`${path}.items.x-kubernetes-list-type`, items.listType, detail);
    }
    if (items.type === 'object' && items.mapType !== 'atomic') {
      yield fieldInvalid(`${path}.items.x-kubernetes-map-type`, items.listType ?? null, detail);
    }
  }
  if (listType !== undefined && listType !== 'atomic' && listType !== 'set' && listType !== 'map') {
    yield fieldNotSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']);
  }
  if (listMapKeys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    yield listType === undefined
      ? fieldRequired(`${path}.x-kubernetes-list-type`, detail)
      : fieldInvalid(`${path}.x-kubernetes-list-type`, listType, detail);
  }
  if (listType === 'map') yield* listMapCauses(schema, path);
  if ((listType === 'map' || listType === 'set') && items !== undefined) yield* keyCauses(schema, items, path);
}

function* typeCauses(type: string, wanted: string, keyword: string, path: string): Iterable<StatusCause> {
  const detail = `must be ${wanted} if ${keyword} is specified`;
  if (type === '') yield fieldRequired(`${path}.type`, detail);
  else if (type !== wanted) yield fieldInvalid(`${path}.type`, type, detail);
}

function* listMapCauses({ listMapKeys, items, json }: Structural, path: string): Iterable<StatusCause> {
  const keysField = `${path}.x-kubernetes-list-map-keys`;
  if (listMapKeys.length === 0) {
    yield fieldRequired(keysField, 'must not be empty if x-kubernetes-list-type is map');
  }
  if (items === undefined) {
    const detail = Array.isArray(json['items']) ? 'must only have a single schema' : 'must have a schema';
    yield Array.isArray(json['items'])
      ? fieldInvalid(`${path}.items`, json['items'], `${detail} if x-kubernetes-list-type is map`)
      : fieldRequired(`${path}.items`, `${detail} if x-kubernetes-list-type is map`);
    return;
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    yield fieldInvalid(`${path}.items.type`, items.type, detail);
    return;
  }
  const seen = new Set<string>();
  for (const key of listMapKeys) {
    const property = items.properties.get(key);
    if (property === undefined) {
      yield fieldInvalid(keysField, listMapKeys, 'entries must all be names of item properties');
    } else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      yield fieldInvalid(`${path}.items.properties[${key}].type`, items.type, detail);
    }
    if (seen.has(key)) yield fieldInvalid(keysField, listMapKeys, 'must not contain duplicate entries');
    seen.add(key);
  }
}

/** The keys of items must always be there, and so must items. */
function* keyCauses({ listType, listMapKeys }: Structural, items: Structural, path: string): Iterable<StatusCause> {
  if (items.nullable) {
    yield fieldForbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`);
  }
  if (listType !== 'map') return;
  const reason = 'this property is in x-kubernetes-list-map-keys, so it';
  for (const key of listMapKeys) {
    const property = items.properties.get(key);
    if (property === undefined) continue;
    const place = `${path}.items.properties[${key}]`;
    if (!items.required.includes(key) && property.default === undefined) {
      yield fieldRequired(`${place}.default`, `${reason} must have a default or be a required property`);
    }
    if (property.nullable) yield fieldForbidden(`${place}.nullable`, `${reason} cannot be nullable`);
  }
}

function* ruleCauses(rule: ValidationRule, schema: Structural, path: string): Iterable<StatusCause> {
  const text = rule.rule.trim();
  const message = rule.message.trim();
  const hasBreak = (given: string): boolean => /[\n\r]/.test(given);
  if (text === '') yield fieldRequired(`${path}.rule`, 'rule is not specified');
  else if (rule.message !== '' && message === '') {
    yield fieldInvalid(`${path}.message`, rule.message, 'must be non-empty if specified');
  } else if (hasBreak(message)) yield fieldInvalid(`${path}.message`, rule.message, 'must not contain line breaks');
  else if (hasBreak(text) && message === '') {
    yield fieldRequired(`${path}.message`, 'message must be specified if rule contains line breaks');
  }
  if (rule.messageExpression !== '' && rule.messageExpression.trim() === '') {
    yield fieldRequired(`${path}.messageExpression`, 'messageExpression must be non-empty if specified');
  }
  if (rule.reason !== undefined && !REASONS.includes(rule.reason)) {
    yield fieldNotSupported(`${path}.reason`, rule.reason, REASONS);
  }
  const { fieldPath } = rule;
  if (fieldPath === '') return;
  if (fieldPath.trim() === '') yield fieldInvalid(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified');
  if (hasBreak(fieldPath)) yield fieldInvalid(`${path}.fieldPath`, fieldPath, 'must not contain line breaks');
  if (!isFieldPath(fieldPath, schema)) yield fieldInvalid(`${path}.fieldPath`, fieldPath, 'must be a valid path');
}

function isFieldPath(path: string, schema: Structural): boolean {
  try {
    findField(path, schema, true);
    return true;
  } catch {
    return false;
  }
}
