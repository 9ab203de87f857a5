import { fieldForbidden, fieldInvalid } from '../../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../../meta/errors/status.js';
import { compileRule, type DeclType, declTypeOf, maxCardinality } from '../../../cel/cel.js';
import { propertyType } from './compiled-rules.js';
import type { ExpressionRules, SchemaPlace } from './schema-rules.js';
import type { Structural, ValidationRule } from './structural.js';

/** The largest estimated cost of an expression, and of all expressions of a schema. */
const MAX_COST = 10_000_000;
const MAX_TOTAL_COST = 100_000_000;
const MOST_EXPENSIVE = 4;

/** The estimated costs of the expressions of a schema. */
export class TotalCost {
  #total = 0;
  #largest: { readonly field: string; readonly cost: number }[] = [];

  add(field: string, cost: number): void {
    this.#total += cost;
    if (cost < MAX_TOTAL_COST / 100) return;
    this.#largest.push({ field, cost });
    this.#largest.sort((a, b) => b.cost - a.cost).splice(MOST_EXPENSIVE);
  }

  /** Causes for a schema whose expressions cost too much together: the most expensive ones, and the schema at a path. */
  *causes(path: string): Iterable<StatusCause> {
    if (this.#total <= MAX_TOTAL_COST) return;
    const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    for (const { field } of this.#largest) yield fieldForbidden(field, detail);
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    yield fieldForbidden(path, costDetail(what, this.#total, MAX_TOTAL_COST));
  }
}

/** Compiles the expressions of a schema that is right otherwise, and estimates their costs. */
export class SchemaExpressions implements ExpressionRules {
  readonly #declared: DeclType | undefined;
  /** How often values of this schema can occur; undefined if a list or map around it has no limit. */
  readonly #cardinality: number | undefined;
  readonly #schema: Structural;
  readonly #total: TotalCost;

  private constructor(
    schema: Structural,
    total: TotalCost,
    declared: DeclType | undefined,
    cardinality: number | undefined,
  ) {
    this.#schema = schema;
    this.#total = total;
    this.#declared = declared;
    this.#cardinality = cardinality;
  }

  /** The expressions of a whole schema. */
  static ofRoot(schema: Structural, total: TotalCost): SchemaExpressions {
    return new SchemaExpressions(schema, total, declTypeOf(schema.json, true), 1);
  }

  child(schema: Structural, name: string | undefined): SchemaExpressions {
    const parent = this.#declared;
    const inParent = name === undefined ? parent?.element : parent && propertyType(parent, schema, name);
    const limit = maxElements(this.#schema);
    const isLimited = this.#cardinality !== undefined && limit !== undefined;
    return new SchemaExpressions(
      schema,
      this.#total,
      inParent ?? declTypeOf(schema.json, schema.isEmbedded),
      isLimited ? this.#cardinality * limit : undefined,
    );
  }

  *causes(schema: Structural, path: string, place: SchemaPlace): Iterable<StatusCause> {
    const declared = this.#declared;
    if (declared === undefined) {
      const problem = 'failed to construct type information for x-kubernetes-validations rules';
      const why = 'unable to convert structural schema to CEL declarations';
      const message = `Internal error: internal error: ${problem}: ${why}`;
      yield { reason: 'InternalError', message, field: `${path}.x-kubernetes-validations` };
      return;
    }
    for (const [at, rule] of schema.rules.entries()) {
      yield* this.#ruleCauses(rule, declared, `${path}.x-kubernetes-validations[${at}]`, place);
    }
  }

  *#ruleCauses(rule: ValidationRule, declared: DeclType, path: string, place: SchemaPlace): Iterable<StatusCause> {
    const optionalOldSelf = rule.optionalOldSelf === true;
    const { program, error } = compileRule(rule.rule, declared, { optionalOldSelf });
    if (program !== undefined) {
      const times = this.#cardinality ?? maxCardinality(declared);
      yield* this.#costCauses(`${path}.rule`, 'estimated rule cost', program.maxCost * times);
    } else yield ruleInvalid(`${path}.rule`, rule, error);
    if (rule.messageExpression !== '') {
      const message = compileRule(rule.messageExpression, declared, { optionalOldSelf, output: 'string' });
      const field = `${path}.messageExpression`;
      if (message.program === undefined) yield ruleInvalid(field, rule, message.error);
      else yield* this.#costCauses(field, 'estimated messageExpression cost', message.program.maxCost);
    }
    if (program?.usesOldSelf === true) {
      if (place.uncorrelated === undefined) return;
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`;
      yield fieldInvalid(`${path}.rule`, rule.rule, detail);
    } else if (rule.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule';
      yield fieldInvalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, detail);
    }
  }

  *#costCauses(field: string, what: string, cost: number): Iterable<StatusCause> {
    if (cost > MAX_COST) yield fieldForbidden(field, costDetail(what, cost, MAX_COST));
    this.#total.add(field, cost);
  }
}

/** By how much a schema multiplies the values below it; undefined without a limit. */
function maxElements({ type, additionalProperties, maxItems, maxProperties }: Structural): number | undefined {
  if (type === 'array') return maxItems === undefined ? undefined : Math.max(0, maxItems);
  if (type !== 'object' || additionalProperties === undefined) return 1;
  return maxProperties === undefined ? undefined : Math.max(0, maxProperties);
}

function costDetail(what: string, cost: number, limit: number): string {
  const times = cost / limit;
  const factor = times > 100 ? 'more than 100x' : times < 1.5 ? `${times.toFixed(6)}x` : `${times.toFixed(1)}x`;
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${what} exceeds budget by factor of ${factor} (${advice})`;
}

/** The rule is shown as Go prints its struct. */
function ruleInvalid(field: string, rule: ValidationRule, detail: string): StatusCause {
  const shown = JSON.stringify({
    Rule: rule.rule,
    Message: rule.message,
    MessageExpression: rule.messageExpression,
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath,
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  });
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${goEscaped(shown)}: ${detail}`, field };
}

/** Go escapes what HTML could take for markup. */
function goEscaped(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
