import { isDeepStrictEqual } from 'node:util';
import { fieldForbidden, fieldInvalid, fieldRequired } from '../../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../../meta/errors/status.js';
import { getField, isJsonObject } from '../../../../meta/json-values.js';
import { isStepDue, type Steps } from '../../../../time/steps.js';
import { patternProblem } from './patterns.js';
import type { Structural } from './structural.js';

type Level = 'root' | 'item' | 'field';

/**
 * Causes for a schema that is not structural: each node needs a type, alternatives may not declare anything new, and the
 * metadata of objects stays as it is.
 */
export function* structuralCauses(schema: Structural, path: string): Steps<StatusCause[]> {
  const rules = new StructuralRules();
  yield* rules.checkNode(schema, 'root', path);
  yield* rules.checkComplete(schema, schema, path, path);
  return rules.causes.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

function textOf({ field, message }: StatusCause): string {
  return `${field}: ${message}`;
}

/** The `anyOf` that stands for `x-kubernetes-int-or-string`: the only one that may have types. */
const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

function isIntOrString(alternatives: readonly Structural[]): boolean {
  return isDeepStrictEqual(
    alternatives.map(({ json }) => json),
    INT_OR_STRING,
  );
}

const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** The keywords that alternatives may not have, each with whether it is set, and what it must be. */
const FORBIDDEN: readonly (readonly [string, (schema: Structural) => boolean, string])[] = [
  ['type', ({ type }) => type !== '', 'empty'],
  ['additionalProperties', ({ additionalProperties }) => Boolean(additionalProperties), 'undefined'],
  ['default', (schema) => schema.default !== undefined, 'undefined'],
  ['title', ({ title }) => title !== '', 'empty'],
  ['description', ({ description }) => description !== '', 'empty'],
  ['nullable', ({ nullable }) => nullable, 'false'],
  ['x-kubernetes-preserve-unknown-fields', ({ preservesUnknown }) => preservesUnknown, 'false'],
  ['x-kubernetes-embedded-resource', ({ isEmbedded }) => isEmbedded, 'false'],
  ['x-kubernetes-int-or-string', (schema) => schema.isIntOrString, 'false'],
  ['x-kubernetes-list-map-keys', ({ listMapKeys }) => listMapKeys.length > 0, 'empty'],
  ['x-kubernetes-list-type', ({ listType }) => listType !== undefined, 'undefined'],
  ['x-kubernetes-map-type', ({ mapType }) => mapType !== undefined, 'undefined'],
  ['x-kubernetes-validations', ({ rules }) => rules.length > 0, 'empty'],
];

class StructuralRules {
  readonly causes: StatusCause[] = [];

  *checkNode(schema: Structural, level: Level, path: string): Steps<void> {
    if (isStepDue()) yield;
    const { type, items, properties, additionalProperties, isEmbedded } = schema;
    if (type === 'array' && items === undefined) this.#required(`${path}.items`, 'must be specified');
    if (items !== undefined) yield* this.checkNode(items, 'item', `${path}.items`);
    for (const [name, property] of properties) yield* this.checkNode(property, 'field', `${path}.properties[${name}]`);
    if (additionalProperties !== undefined && level === 'root') {
      this.causes.push(fieldForbidden(`${path}.additionalProperties`, 'must not be used at the root'));
    }
    if (typeof additionalProperties === 'object') {
      yield* this.checkNode(additionalProperties, 'field', `${path}.additionalProperties`);
    }
    this.#checkExtensions(schema, path);
    yield* this.#checkAlternatives(schema, path, isIntOrString(schema.anyOf), hasIntOrStringFirst(schema));
    this.#checkType(schema, level, path);
    const hasMetadata = level === 'root' || isEmbedded;
    for (const name of ['kind', 'apiVersion']) {
      const property = properties.get(name);
      if (hasMetadata && property !== undefined && property.type !== 'string') {
        this.#invalid(`${path}.properties[${name}].type`, property.type, 'must be string');
      }
    }
    const metadata = properties.get('metadata');
    if (metadata === undefined) return;
    const place = `${path}.properties[metadata]`;
    if (hasMetadata && metadata.type !== 'object') this.#invalid(`${place}.type`, metadata.type, 'must be object');
    if (level === 'root' && restrictsMetadata(metadata)) {
      const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
      this.causes.push(fieldForbidden(place, detail));
    }
  }

  #checkExtensions({ isIntOrString: isEither, preservesUnknown, isEmbedded }: Structural, path: string): void {
    const detail = 'must be false if x-kubernetes-int-or-string is true';
    if (isEither && preservesUnknown) this.#invalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, detail);
    if (isEither && isEmbedded) this.#invalid(`${path}.x-kubernetes-embedded-resource`, true, detail);
  }

  #checkType(schema: Structural, level: Level, path: string): void {
    const { type, isEmbedded, preservesUnknown, properties, additionalProperties } = schema;
    if (isEmbedded && type !== 'object') {
      const detail = 'must be object if x-kubernetes-embedded-resource is true';
      if (type === '') this.#required(`${path}.type`, detail);
      else this.#invalid(`${path}.type`, type, detail);
    } else if (type === '' && !schema.isIntOrString && !preservesUnknown) {
      this.#required(`${path}.type`, MISSING_TYPE[level]);
    }
    if (isEmbedded && additionalProperties !== undefined) {
      const detail = 'must not be used if x-kubernetes-embedded-resource is set';
      this.causes.push(fieldForbidden(`${path}.additionalProperties`, detail));
    }
    if (level === 'root' && type !== '' && type !== 'object') {
      this.#invalid(`${path}.type`, type, 'must be object at the root');
    }
    if (isEmbedded && !preservesUnknown && properties.size === 0) {
      const without = 'x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
      this.#required(`${path}.properties`, `must not be empty if ${without}`);
    }
  }

  *#checkAlternatives(schema: Structural, path: string, skipsAnyOf: boolean, skipsFirst: boolean): Steps<void> {
    if (!skipsAnyOf) {
      for (const [at, one] of schema.anyOf.entries()) yield* this.#checkNested(one, `${path}.anyOf[${at}]`);
    }
    for (const [at, one] of schema.allOf.entries()) {
      yield* this.#checkNested(one, `${path}.allOf[${at}]`, skipsFirst && at === 0);
    }
    for (const [at, one] of schema.oneOf.entries()) yield* this.#checkNested(one, `${path}.oneOf[${at}]`);
    if (schema.not !== undefined) yield* this.#checkNested(schema.not, `${path}.not`);
    const problem = schema.pattern === '' ? undefined : patternProblem(schema.pattern);
    if (problem !== undefined) {
      this.#invalid(`${path}.pattern`, schema.pattern, `must be a valid regular expression, but isn't: ${problem}`);
    }
  }

  *#checkNested(schema: Structural, path: string, skipsAnyOf = false): Steps<void> {
    if (isStepDue()) yield;
    yield* this.#checkAlternatives(schema, path, skipsAnyOf, false);
    if (schema.items !== undefined) yield* this.#checkNested(schema.items, `${path}.items`);
    for (const [name, property] of schema.properties) yield* this.#checkNested(property, `${path}.properties[${name}]`);
    for (const [keyword, isSet, wanted] of FORBIDDEN) {
      if (isSet(schema)) this.causes.push(fieldForbidden(`${path}.${keyword}`, `must be ${wanted} to be structural`));
    }
    if (schema.properties.has('metadata')) {
      this.causes.push(fieldForbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
    }
  }

  /** What alternatives name must be declared outside of them too. */
  *checkComplete(nested: Structural, schema: Structural, path: string, nestedPath: string): Steps<void> {
    if (isStepDue()) yield;
    const lists = { allOf: nested.allOf, anyOf: nested.anyOf, oneOf: nested.oneOf };
    if (nested.not !== undefined) yield* this.#checkDeclared(nested.not, schema, path, `${nestedPath}.not`);
    for (const [keyword, alternatives] of Object.entries(lists)) {
      for (const [at, one] of alternatives.entries()) {
        yield* this.#checkDeclared(one, schema, path, `${nestedPath}.${keyword}[${at}]`);
      }
    }
  }

  *#checkDeclared(nested: Structural, schema: Structural | undefined, path: string, nestedPath: string): Steps<void> {
    if (schema === undefined) {
      this.#required(path, `because it is defined in ${nestedPath}`);
      return;
    }
    yield* this.checkComplete(nested, schema, path, nestedPath);
    if (nested.items !== undefined) {
      yield* this.#checkDeclared(nested.items, schema.items, `${path}.items`, `${nestedPath}.items`);
    }
    for (const [name, property] of nested.properties) {
      const place = `.properties[${name}]`;
      yield* this.#checkDeclared(property, schema.properties.get(name), path + place, nestedPath + place);
    }
  }

  #required(field: string, detail: string): void {
    this.causes.push(fieldRequired(field, detail));
  }

  #invalid(field: string, value: unknown, detail: string): void {
    this.causes.push(fieldInvalid(field, value, detail));
  }
}

function hasIntOrStringFirst({ allOf }: Structural): boolean {
  return allOf[0] !== undefined && isIntOrString(allOf[0].anyOf);
}

/** Whether the schema of an object's metadata says more than its type, and rules for names. */
function restrictsMetadata({ json, properties }: Structural): boolean {
  for (const name of properties.keys()) if (name !== 'name' && name !== 'generateName') return true;
  for (const keyword of Object.keys(json)) {
    if (keyword === 'type' || keyword === 'default' || keyword === 'properties') continue;
    if (!isEmptyKeyword(getField(json, keyword))) return true;
  }
  return false;
}

function isEmptyKeyword(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === null || value === false || value === '';
}
