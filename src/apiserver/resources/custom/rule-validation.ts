import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldInvalidWithoutValue,
  fieldRequired,
} from '../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../meta/errors/status.js';
import { getField, isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import type { Steps } from '../../../time/steps.js';
import {
  type CompiledRule,
  compileRule,
  type DeclType,
  declTypeOf,
  escapeName,
  evaluateRule,
  type RuleResult,
} from '../../cel/cel.js';
import type { CauseSteps } from '../causes.js';
import { type Correlation, OldItems } from './correlation.js';
import { findField } from './field-path.js';
import type { Structural, ValidationRule } from './structural.js';

interface Rule {
  readonly source: ValidationRule;
  readonly compiled: CompiledRule;
  readonly message: CompiledRule | undefined;
  /** What `fieldPath` adds to the path of a cause. */
  readonly fieldPath: string;
}

/** The rules of a schema and of the schemas below it. */
interface RuleNode {
  readonly schema: Structural;
  readonly rules: readonly Rule[];
  readonly allOf: readonly RuleNode[];
  readonly items: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly additionalProperties: RuleNode | undefined;
}

/** What a value replaces, and what the nearest value around it that has a former one replaces. */
interface Former {
  readonly current: Correlation | undefined;
  readonly parent: Correlation | undefined;
}

const objectBudget = 10_000_000;
const maxMessageBytes = 5 * 1024;
const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

const compiledSchemas = new WeakMap<Structural, RuleNode | undefined>();

/** The causes of the rules that an object breaks. The rules of a schema are compiled when they are first needed. */
export function* ruleCauses(
  schema: Structural,
  object: JsonObject,
  old: JsonObject | undefined,
  correlation: Correlation | undefined,
): CauseSteps {
  if (!compiledSchemas.has(schema))
    compiledSchemas.set(schema, ruleNode(schema, schema, declTypeOf(schema.json, true)));
  const root = compiledSchemas.get(schema);
  if (root !== undefined)
    yield* new RuleValidation().check(root, '', object, old, { current: correlation, parent: undefined });
}

/** @param source the schema that has the rules: the node itself, or one of its allOf */
function ruleNode(source: Structural, node: Structural, declared: DeclType | undefined): RuleNode | undefined {
  if (declared === undefined) return undefined;
  const rules = source.rules.filter(({ rule }) => rule.trim() !== '').map((rule) => compiledRule(rule, node, declared));
  const allOf = source.allOf.map((part) => ruleNode(part, node, declared)).filter((part) => part !== undefined);
  const items =
    source.items === undefined || node.items === undefined
      ? undefined
      : ruleNode(source.items, node.items, declared.element);
  const { additionalProperties } = node;
  const additional =
    typeof source.additionalProperties === 'object' && typeof additionalProperties === 'object'
      ? ruleNode(source.additionalProperties, additionalProperties, declared.element)
      : undefined;
  const properties = propertyNodes(source, node, declared);
  const isEmpty =
    rules.length + allOf.length + properties.size === 0 && items === undefined && additional === undefined;
  return isEmpty ? undefined : { schema: node, rules, allOf, items, properties, additionalProperties: additional };
}

function propertyNodes(source: Structural, node: Structural, declared: DeclType): Map<string, RuleNode> {
  const nodes = new Map<string, RuleNode>();
  for (const [name, part] of source.properties) {
    const property = node.properties.get(name);
    if (property === undefined) continue;
    const escaped = escapeName(name);
    const type = escaped === undefined ? declTypeOf(property.json, property.isEmbedded) : declared.fields?.get(escaped);
    const child = ruleNode(part, property, type);
    if (child !== undefined) nodes.set(name, child);
  }
  return nodes;
}

function compiledRule(source: ValidationRule, node: Structural, declared: DeclType): Rule {
  const optionalOldSelf = source.optionalOldSelf === true;
  const message =
    source.messageExpression === ''
      ? undefined
      : compileRule(source.messageExpression, declared, { optionalOldSelf, output: 'string' });
  const compiled = compileRule(source.rule, declared, { optionalOldSelf });
  return { source, compiled, message, fieldPath: fieldPathOf(source, node) };
}

function fieldPathOf({ fieldPath }: ValidationRule, schema: Structural): string {
  if (fieldPath === '') return '';
  try {
    return findField(fieldPath, schema, true).path;
  } catch {
    return '';
  }
}

/** Evaluates rules until the budget of an object is used up. */
class RuleValidation {
  #budget = objectBudget;

  *check(node: RuleNode, path: string, value: unknown, old: unknown, former: Former): CauseSteps {
    if (value === null || value === undefined) return;
    yield undefined;
    if (node.rules.length > 0) yield* this.#rules(node, path, value, old ?? undefined, former);
    for (const part of node.allOf) {
      if (this.#budget < 0) return;
      yield* this.check(part, path, value, old, { current: undefined, parent: former.parent });
    }
    if (Array.isArray(value)) yield* this.#items(node, path, value, old, former);
    else if (isJsonObject(value)) yield* this.#fields(node, path, value, old, former);
  }

  *#items(node: RuleNode, path: string, value: readonly unknown[], old: unknown, former: Former): CauseSteps {
    if (node.items === undefined) return;
    const oldItems = new OldItems(node.schema, Array.isArray(old) ? old : []);
    for (const [at, item] of value.entries()) {
      if (this.#budget < 0) return;
      const inItem =
        former.current === undefined ? former : { current: former.current.index(at), parent: former.current };
      yield* this.check(node.items, `${path}[${at}]`, item, oldItems.get(item), inItem);
    }
  }

  *#fields(node: RuleNode, path: string, value: JsonObject, old: unknown, former: Former): CauseSteps {
    for (const name of Object.keys(value)) {
      const additional = node.additionalProperties;
      const child = additional ?? node.properties.get(name);
      if (child === undefined) continue;
      if (this.#budget < 0) return;
      const place = additional !== undefined ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
      const oldValue = isJsonObject(old) ? getField(old, name) : undefined;
      yield* this.check(child, place, getField(value, name), oldValue, inField(former, name));
    }
  }

  *#rules(node: RuleNode, path: string, value: unknown, old: unknown, former: Former): CauseSteps {
    const shownPath = path === '' ? '<nil>' : path;
    const { type } = node.schema;
    for (const rule of node.rules) {
      if (this.#budget <= 0) {
        yield this.#end(shownPath, type, outOfBudget);
        return;
      }
      const { program, error } = rule.compiled;
      if (program === undefined) {
        yield fieldInvalid(shownPath, type, `rule compile error: ${error}`);
        continue;
      }
      if (program.usesOldSelf && old === undefined && rule.source.optionalOldSelf !== true) continue;
      const result = yield* withoutCauses(evaluateRule(program, { self: value, oldSelf: old }));
      if (result.cost > this.#budget) {
        yield this.#end(shownPath, type, outOfBudget);
        return;
      }
      this.#budget -= result.cost;
      if (result.error !== undefined) {
        yield this.#failure(result.error, rule.source, shownPath, type);
        if (this.#budget < 0) return;
      } else if (result.value === false) {
        // What is as it was before is not refused, unless the rule is about the change.
        const isRatcheted = !program.usesOldSelf && (yield* withoutCauses(isUnchanged(former)));
        const cause = yield* withoutCauses(this.#broken(rule, node.schema, path, value, old));
        if (!isRatcheted) yield cause;
        if (this.#budget < 0) return;
      }
    }
  }

  #end(path: string, type: string, detail: string): StatusCause {
    this.#budget = -1;
    return fieldInvalid(path, type, detail);
  }

  #failure(error: string, rule: ValidationRule, path: string, type: string): StatusCause {
    const text = shownRule(rule);
    if (error.startsWith('operation cancelled: actual cost limit exceeded'))
      return this.#end(
        path,
        type,
        `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`,
      );
    if (error.startsWith('no such overload')) {
      const detail = 'call arguments did not match a supported operator, function or macro signature for rule';
      return fieldInvalid(path, type, `'${error}': ${detail}: ${text}`);
    }
    return fieldInvalid(path, type, `${error} evaluating rule: ${text}`);
  }

  *#broken(rule: Rule, schema: Structural, path: string, value: unknown, old: unknown): Steps<StatusCause> {
    const place = [path, rule.fieldPath].filter((part) => part !== '').join('.') || '<nil>';
    let detail: string | undefined;
    if (rule.message?.program !== undefined) {
      const result = yield* evaluateRule(rule.message.program, { self: value, oldSelf: old });
      const problem = this.#messageProblem(result, rule.source.messageExpression);
      if (problem !== undefined) return this.#end(place, schema.type, problem);
      detail = usableMessage(result);
    }
    detail ??= rule.source.message === '' ? `failed rule: ${shownRule(rule.source)}` : rule.source.message.trim();
    return brokenCause(rule.source.reason, place, schema.type, value, detail);
  }

  /** Counts the cost of a messageExpression; says why no further rules are evaluated if it is too expensive. */
  #messageProblem(result: RuleResult, expression: string): string | undefined {
    if (result.cost > this.#budget)
      return 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';
    this.#budget -= result.cost;
    return result.error?.startsWith('operation cancelled: actual cost limit exceeded') === true
      ? `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(expression)}`
      : undefined;
  }
}

/** A message of a messageExpression is one line, not empty and not too long; else `message` or the rule is shown. */
function usableMessage({ value }: RuleResult): string | undefined {
  const message = typeof value === 'string' ? value.trim() : '';
  const isUsable = message !== '' && !message.includes('\n') && Buffer.byteLength(message) <= maxMessageBytes;
  return isUsable ? message : undefined;
}

function brokenCause(
  reason: string | undefined,
  path: string,
  type: string,
  value: unknown,
  detail: string,
): StatusCause {
  const hidesValue = type === 'object' || type === 'array';
  switch (reason) {
    case 'FieldValueForbidden':
      return fieldForbidden(path, detail);
    case 'FieldValueRequired':
      return fieldRequired(path, detail);
    case 'FieldValueDuplicate':
      return hidesValue ? { reason, message: 'Duplicate value', field: path } : fieldDuplicate(path, value);
    default:
      return hidesValue ? fieldInvalidWithoutValue(path, detail) : fieldInvalid(path, value, detail);
  }
}

function shownRule({ message, rule }: ValidationRule): string {
  return (message === '' ? rule : message).trim();
}

/** apiVersion and kind of the whole object are converted, so that a change of them is not seen. */
function inField(former: Former, name: string): Former {
  if (former.current === undefined) return former;
  if (former.parent === undefined && (name === 'apiVersion' || name === 'kind'))
    return { current: undefined, parent: undefined };
  return { current: former.current.key(name), parent: former.current };
}

function* isUnchanged({ current, parent }: Former): Steps<boolean> {
  const correlation = current ?? parent;
  return correlation !== undefined && (yield* correlation.isEqual());
}

/** Runs steps within a search for causes. */
function* withoutCauses<T>(steps: Steps<T>): Generator<undefined, T, void> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield undefined;
  }
}
