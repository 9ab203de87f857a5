import { fieldForbidden, fieldInvalid, fieldInvalidWithoutValue } from '../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../meta/errors/status.js';
import { compileRule, type DeclType, declTypeOf, escapeName, maxCardinality, type Program } from '../../cel/cel.js';
import type { ExpressionRules, SchemaPlace } from './schema-rules.js';
import type { Structural, ValidationRule } from './structural.js';

/** The largest estimated cost of one expression, and of all of a schema. */
const maxExpressionCost = 10_000_000;
const maxSchemaCost = 100_000_000;
const maxListed = 4;

/** The estimated costs of all expressions of a schema. */
class TotalCost {
  #total = 0;
  readonly #expensive: { readonly path: string; readonly cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total += cost;
    if (cost < maxSchemaCost / 100) return;
    this.#expensive.push({ path, cost });
    this.#expensive.sort((a, b) => b.cost - a.cost);
    this.#expensive.length = Math.min(this.#expensive.length, maxListed);
  }

  *causes(path: string): Iterable<StatusCause> {
    if (this.#total <= maxSchemaCost) return;
    const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    for (const { path: rule } of this.#expensive) yield fieldForbidden(rule, detail);
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    yield fieldForbidden(path, tooExpensive(name, this.#total, maxSchemaCost));
  }
}

/** Compiles the rules of a definition's schema, and adds up what they can cost. */
export class DefinitionExpressions implements ExpressionRules {
  readonly #schema: Structural;
  readonly #declared: DeclType | undefined;
  /** How often values of this node can occur in an object; undefined if that has no limit. */
  readonly #cardinality: number | undefined;
  readonly #total: TotalCost;

  private constructor(
    schema: Structural,
    declared: DeclType | undefined,
    cardinality: number | undefined,
    total: TotalCost,
  ) {
    this.#schema = schema;
    this.#declared = declared;
    this.#cardinality = cardinality;
    this.#total = total;
  }

  static ofRoot(schema: Structural): DefinitionExpressions {
    return new DefinitionExpressions(schema, declTypeOf(schema.json, true), 1, new TotalCost());
  }

  child(schema: Structural, name: string | undefined): ExpressionRules {
    const most = maxElements(this.#schema);
    const cardinality = this.#cardinality === undefined || most === undefined ? undefined : this.#cardinality * most;
    const declared = name === undefined ? this.#declared?.element : this.#declared?.fields?.get(escapeName(name) ?? '');
    const own = declared ?? declTypeOf(schema.json, schema.isEmbedded);
    return new DefinitionExpressions(schema, own, cardinality, this.#total);
  }

  *causes(schema: Structural, path: string, place: SchemaPlace): Iterable<StatusCause> {
    const rulesPath = `${path}.x-kubernetes-validations`;
    const declared = this.#declared;
    if (declared === undefined) {
      const detail =
        'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
      yield { reason: 'InternalError', message: `Internal error: ${detail}`, field: rulesPath };
      return;
    }
    for (const [at, rule] of schema.rules.entries())
      yield* this.#ruleCauses(rule, declared, `${rulesPath}[${at}]`, place);
  }

  /** The causes of the costs of the whole schema, after all of its rules were seen. */
  totalCauses(path: string): Iterable<StatusCause> {
    return this.#total.causes(path);
  }

  *#ruleCauses(rule: ValidationRule, declared: DeclType, path: string, place: SchemaPlace): Iterable<StatusCause> {
    const optionalOldSelf = rule.optionalOldSelf === true;
    const compiled = rule.rule.trim() === '' ? undefined : compileRule(rule.rule, declared, { optionalOldSelf });
    const cost = (compiled?.program?.maxCost ?? 0) * (this.#cardinality ?? maxCardinality(declared));
    if (cost > maxExpressionCost)
      yield fieldForbidden(`${path}.rule`, tooExpensive('estimated rule cost', cost, maxExpressionCost));
    this.#total.add(`${path}.rule`, cost);
    if (compiled?.error !== undefined) yield invalidRule(`${path}.rule`, rule, compiled.error);
    if (compiled?.program !== undefined && rule.messageExpression !== '')
      yield* this.#messageCauses(rule, declared, `${path}.messageExpression`);
    yield* oldSelfCauses(rule, compiled?.program, path, place);
  }

  *#messageCauses(rule: ValidationRule, declared: DeclType, path: string): Iterable<StatusCause> {
    const optionalOldSelf = rule.optionalOldSelf === true;
    const { program, error } = compileRule(rule.messageExpression, declared, { optionalOldSelf, output: 'string' });
    if (error !== undefined) yield invalidRule(path, rule, error);
    else {
      if (program.maxCost > maxExpressionCost)
        yield fieldForbidden(
          path,
          tooExpensive('estimated messageExpression cost', program.maxCost, maxExpressionCost),
        );
      this.#total.add(path, program.maxCost);
    }
  }
}

function* oldSelfCauses(
  rule: ValidationRule,
  program: Program | undefined,
  path: string,
  place: SchemaPlace,
): Iterable<StatusCause> {
  if (program?.usesOldSelf === true) {
    if (place.uncorrelated === undefined) return;
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`;
    yield fieldInvalid(`${path}.rule`, rule.rule, detail);
  } else if (rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    yield fieldInvalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, detail);
  }
}

/** The cause shows the rule as Go's type has it. */
function invalidRule(path: string, rule: ValidationRule, detail: string): StatusCause {
  const shown = JSON.stringify({
    Rule: rule.rule,
    Message: rule.message,
    MessageExpression: rule.messageExpression,
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath,
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return fieldInvalidWithoutValue(path, `${shown}: ${detail}`);
}

/** How many elements one value of a schema has at most; undefined without a limit. */
function maxElements({ type, additionalProperties, maxProperties, maxItems }: Structural): number | undefined {
  if (type === 'array') return maxItems === undefined ? undefined : Math.max(0, maxItems);
  if (type !== 'object' || additionalProperties === undefined) return 1;
  return maxProperties === undefined ? undefined : Math.max(0, maxProperties);
}

function tooExpensive(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${name} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
