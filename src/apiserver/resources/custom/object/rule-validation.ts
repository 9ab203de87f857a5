import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldInvalidWithoutValue,
  fieldRequired,
} from '../../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../../meta/errors/status.js';
import { getField, isJsonObject } from '../../../../meta/json-values.js';
import type { Steps } from '../../../../time/steps.js';
import { evaluateRule, type RuleValues } from '../../../cel/cel.js';
import type { CauseSteps } from '../../causes.js';
import type { Warn } from '../../strategy.js';
import type { CompiledRule, CompiledRules } from '../definition/compiled-rules.js';
import type { ValidationRule } from '../definition/structural.js';
import { type Correlation, OldItems } from './correlation.js';

/** What the rules of one object may cost together. */
const BUDGET = 10_000_000;
const MAX_MESSAGE_BYTES = 5 * 1024;
const NO_MORE = 'no further validation rules will be run';
const OUT_OF_BUDGET = `running out of cost budget, ${NO_MORE}`;
const COST_EXCEEDED = 'operation cancelled: actual cost limit exceeded';

/** An object whose rules are evaluated. */
export interface RuleSubject {
  readonly value: unknown;
  /** Undefined for a new object. */
  readonly old: unknown;
  readonly correlation?: Correlation | undefined;
  /** The path that causes begin with; undefined for whole objects. */
  readonly root?: string | undefined;
  /** Takes the faults of values that have not changed. */
  readonly warn: Warn;
}

/** Evaluates rules, and yields the causes for those that fail. */
export function* ruleCauses(rules: CompiledRules, subject: RuleSubject): CauseSteps {
  const { value, old, root, correlation, warn } = subject;
  yield* new RuleValidation(warn).check(rules, value, old, root, { current: correlation, parent: undefined });
}

/** The correlation of a value or, if it has none, that of the nearest value around it that has one. */
interface Related {
  readonly current: Correlation | undefined;
  readonly parent: Correlation | undefined;
}

class RuleValidation {
  readonly #warn: Warn;
  #budget = BUDGET;

  constructor(warn: Warn) {
    this.#warn = warn;
  }

  get #isSpent(): boolean {
    return this.#budget < 0;
  }

  *check(node: CompiledRules, value: unknown, old: unknown, path: string | undefined, related: Related): CauseSteps {
    if (value === undefined || value === null) return;
    yield* this.#evaluate(node, value, old ?? undefined, path, related);
    if (Array.isArray(value) && node.items !== undefined) {
      const oldItems = new OldItems(node.schema, Array.isArray(old) ? old : []);
      for (let at = 0; at < value.length && !this.#isSpent; at++) {
        const place = `${path ?? ''}[${at}]`;
        yield* this.check(node.items, value[at], oldItems.get(value[at]), place, indexOf(related, at));
      }
    }
    if (!isJsonObject(value)) return;
    const before = isJsonObject(old) ? old : {};
    for (const name of Object.keys(value)) {
      if (this.#isSpent) return;
      const property = node.properties.get(name);
      const part = property ?? (node.schema.properties.has(name) ? undefined : node.values);
      if (part === undefined) continue;
      const place = property === undefined ? `${path ?? ''}[${name}]` : join(path, name);
      yield* this.check(part, getField(value, name), getField(before, name), place, keyOf(related, name));
    }
  }

  *#evaluate(
    node: CompiledRules,
    value: unknown,
    old: unknown,
    path: string | undefined,
    related: Related,
  ): CauseSteps {
    const { type } = node.schema;
    const field = path ?? '<nil>';
    if (node.rules.length > 0 && this.#budget <= 0)
      yield this.#stop(field, type, `validation failed due to ${OUT_OF_BUDGET}`);
    for (const compiled of node.rules) {
      if (this.#isSpent) return;
      const { rule, program } = compiled;
      if (program.usesOldSelf && old === undefined && rule.optionalOldSelf !== true) continue;
      yield undefined;
      const values = { self: value, oldSelf: old };
      const { value: isFine, error, cost } = yield* steps(evaluateRule(program, values));
      if (cost > this.#budget) {
        yield this.#stop(field, type, `validation failed due to ${OUT_OF_BUDGET}`);
        return;
      }
      this.#budget -= cost;
      if (error?.startsWith(COST_EXCEEDED)) {
        yield this.#stop(
          field,
          type,
          `'${error}': ${NO_MORE} due to call cost exceeds limit for rule: ${nameOf(rule)}`,
        );
        return;
      }
      if (error !== undefined) yield fieldInvalid(field, type, evaluationError(error, rule));
      else if (isFine !== true) yield* this.#fail(compiled, type, value, values, path, related);
    }
  }

  /** Yields the cause of a rule that failed, unless the value has not changed. */
  *#fail(
    compiled: CompiledRule,
    type: string,
    value: unknown,
    values: RuleValues,
    path: string | undefined,
    related: Related,
  ): CauseSteps {
    const { rule, program, fieldPath } = compiled;
    const field = fieldPath === '' ? (path ?? '<nil>') : join(path, fieldPath);
    const message = yield* steps(this.#message(compiled, values));
    const cause =
      typeof message === 'object'
        ? this.#stop(field, type, message.problem)
        : causeOf(rule, field, type, value, message ?? defaultMessage(rule));
    const known = related.current ?? related.parent;
    if (!program.usesOldSelf && known !== undefined && (yield* steps(known.isEqual()))) {
      this.#warn(`${field}: ${cause.message}`);
    } else yield cause;
  }

  /** The text of a messageExpression; undefined without one, or if it has none. */
  *#message({ rule, message }: CompiledRule, values: RuleValues): Steps<string | { problem: string } | undefined> {
    if (message === undefined) return undefined;
    const { value, error, cost } = yield* evaluateRule(message, values);
    if (cost > this.#budget) return { problem: `messageExpression evaluation failed due to ${OUT_OF_BUDGET}` };
    if (error?.startsWith(COST_EXCEEDED)) {
      const source = JSON.stringify(rule.messageExpression);
      return { problem: `${NO_MORE} due to call cost exceeds limit for messageExpression: ${source}` };
    }
    this.#budget -= cost;
    const text = typeof value === 'string' ? value.trim() : '';
    const isUsable = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;
    return isUsable ? text : undefined;
  }

  /** Ends the evaluation of all rules. */
  #stop(field: string, type: string, detail: string): StatusCause {
    this.#budget = -1;
    return fieldInvalid(field, type, detail);
  }
}

/** Runs steps between causes. */
function* steps<T>(work: Steps<T>): Generator<undefined, T, void> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    yield undefined;
  }
}

function keyOf(related: Related, name: string): Related {
  const { current, parent } = related;
  if (current === undefined) return related;
  if (parent === undefined && (name === 'apiVersion' || name === 'kind'))
    return { current: undefined, parent: undefined };
  return { current: current.key(name), parent: current };
}

function indexOf(related: Related, at: number): Related {
  const { current } = related;
  return current === undefined ? related : { current: current.index(at), parent: current };
}

function evaluationError(error: string, rule: ValidationRule): string {
  if (!error.startsWith('no such overload')) return `${error} evaluating rule: ${nameOf(rule)}`;
  const said = 'call arguments did not match a supported operator, function or macro signature';
  return `'${error}': ${said} for rule: ${nameOf(rule)}`;
}

function nameOf({ rule, message }: ValidationRule): string {
  return (message === '' ? rule : message).trim();
}

function defaultMessage(rule: ValidationRule): string {
  return rule.message === '' ? `failed rule: ${nameOf(rule)}` : nameOf(rule);
}

/** Objects and lists are not shown. */
function causeOf(rule: ValidationRule, field: string, type: string, value: unknown, detail: string): StatusCause {
  const isShown = type !== 'object' && type !== 'array';
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return fieldForbidden(field, detail);
    case 'FieldValueRequired':
      return fieldRequired(field, detail);
    case 'FieldValueDuplicate':
      return isShown ? fieldDuplicate(field, value) : { reason: rule.reason, message: 'Duplicate value', field };
    default:
      return isShown ? fieldInvalid(field, value, detail) : fieldInvalidWithoutValue(field, detail);
  }
}

function join(path: string | undefined, name: string): string {
  return path === undefined ? name : `${path}.${name}`;
}
