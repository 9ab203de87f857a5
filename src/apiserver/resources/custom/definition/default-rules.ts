import { isDeepStrictEqual } from 'node:util';
import { fieldInvalid } from '../../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../../meta/errors/status.js';
import type { JsonObject } from '../../../../meta/json-values.js';
import { mutableCopy } from '../../../../meta/objects.js';
import { isStepDue, type Steps } from '../../../../time/steps.js';
import { CauseList } from '../cause-list.js';
import { EmbeddedMismatch, embeddedCauses, readEmbedded } from '../object/embedded-resources.js';
import { prune } from '../object/pruning.js';
import { ruleCauses } from '../object/rule-validation.js';
import { schemaCauses } from '../object/schema-validation.js';
import { compileRules } from './compiled-rules.js';
import { asResource, isMetaField, type Structural } from './structural.js';

/** Puts a value at its place in a whole object. */
type Surround = (value: unknown) => JsonObject;

const wholeObject: Surround = (value) => ({
  kind: 'Validation',
  apiVersion: 'validation/v1',
  ...(value as JsonObject),
});

/** Causes for defaults that the schema itself would refuse or change. */
export function* defaultCauses(schema: Structural, path: string): Steps<StatusCause[]> {
  const rules = new DefaultRules();
  const root = asResource(schema);
  yield* rules.check(root, path, root, wholeObject, false);
  return rules.list.causes;
}

class DefaultRules {
  readonly list = new CauseList();

  /**
   * @param root the schema of the object around the node
   * @param isMeta whether the node belongs to the metadata of that object
   */
  *check(schema: Structural, path: string, root: Structural, surround: Surround, isMeta: boolean): Steps<void> {
    if (isStepDue()) yield;
    const isObject = schema.isEmbedded;
    const around = isObject ? wholeObject : surround;
    const inObject = isObject ? schema : root;
    if (schema.default !== undefined) {
      const value: unknown = copyOf(schema.default);
      this.list.addAll(
        isMeta && !isObject
          ? yield* this.#metaCauses(value, schema, `${path}.default`, inObject, around)
          : yield* this.#causes(value, schema, `${path}.default`),
      );
    }
    const { items, properties } = schema;
    if (items !== undefined) {
      yield* this.check(items, `${path}.items`, inObject, (value) => around([value]), isMeta && !isObject);
    }
    for (const [name, property] of properties) {
      const isMetaProperty = isObject ? isMetaField(name) : isMeta;
      const place = `${path}.properties[${name}]`;
      yield* this.check(property, place, inObject, (value) => around({ [name]: value }), isMetaProperty);
    }
  }

  *#causes(value: unknown, schema: Structural, path: string): Steps<StatusCause[]> {
    const causes: StatusCause[] = [];
    const pruned = copyOf(value);
    yield* prune(pruned, schema, { isRoot: schema.isEmbedded });
    if (!isDeepStrictEqual(pruned, value)) causes.push(fieldInvalid(path, value, 'must not have unknown fields'));
    const problems = yield* embeddedProblems(value, schema, path);
    if (problems.length > 0) return [...causes, ...problems];
    return [...causes, ...(yield* valueCauses(value, schema, path))];
  }

  /** A default inside of metadata is checked as part of the whole metadata. */
  *#metaCauses(
    value: unknown,
    schema: Structural,
    path: string,
    root: Structural,
    surround: Surround,
  ): Steps<StatusCause[]> {
    const problems = yield* embeddedProblems(surround(copyOf(value)), root, '');
    if (problems.length > 0) {
      const texts = problems.map(({ field, message }) => `${field}: ${message}`);
      const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
      return [fieldInvalid(path, value, `must result in valid metadata: ${all}`)];
    }
    return yield* valueCauses(value, schema, path);
  }
}

/** What the keywords and rules of a schema say of its default, as a new value and as one that stays. */
function* valueCauses(value: unknown, schema: Structural, path: string): Steps<StatusCause[]> {
  const causes = yield* schemaCauses(value, schema, path);
  const rules = causes.length > 0 ? undefined : compileRules(schema, schema.isEmbedded);
  if (rules === undefined) return causes;
  for (const old of [value, undefined]) {
    if (causes.length > 0) break;
    for (const cause of ruleCauses(rules, { value, old, root: path, warn: () => {} })) {
      if (cause !== undefined) causes.push(cause);
      yield;
    }
  }
  return causes;
}

/** What is wrong with the metadata of a value and of what it contains. */
function* embeddedProblems(value: unknown, schema: Structural, path: string): Steps<StatusCause[]> {
  const at = (cause: StatusCause): StatusCause => {
    const { field = '' } = cause;
    return path === '' ? cause : { ...cause, field: field.startsWith('[') ? path + field : `${path}.${field}` };
  };
  try {
    yield* readEmbedded(value, schema, 'refuse');
  } catch (error) {
    if (error instanceof EmbeddedMismatch) return [at(error.found)];
    throw error;
  }
  const causes: StatusCause[] = [];
  for (const cause of embeddedCauses(value, schema)) {
    if (cause !== undefined) causes.push(at(cause));
    yield;
  }
  return causes;
}

function copyOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? mutableCopy(value) : value;
}
