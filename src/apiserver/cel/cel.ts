import type { Steps } from '../../time/steps.js';
import { check } from './check/checker.js';
import { type DeclType, namedType } from './check/decl-type.js';
import { type CelType, optionalType } from './check/types.js';
import { validateLiterals } from './check/validate-literals.js';
import { estimateCost } from './cost/estimate.js';
import { type Code, compileCode } from './eval/code.js';
import { execute } from './eval/machine.js';
import { CelError, Optional, type Value } from './eval/values.js';
import { Issues } from './issues.js';
import { toValue } from './schema-values.js';
import { parse } from './syntax/parser.js';

export { type DeclType, declTypeOf, maxCardinality } from './check/decl-type.js';

/** A compiled rule or messageExpression. */
export interface Program {
  /** Whether it reads `oldSelf`. */
  readonly usesOldSelf: boolean;
  /** The largest cost that an evaluation can have, from the sizes that the schema allows. */
  readonly maxCost: number;
  /** @internal */
  readonly code: Code;
  /** @internal */
  readonly self: DeclType;
  /** @internal */
  readonly optionalOldSelf: boolean;
}

/** Options of a rule. */
export interface RuleOptions {
  /**
   * `oldSelf` is an optional.
   *
   * @default false
   */
  readonly optionalOldSelf?: boolean;
  /**
   * What the expression must evaluate to: `bool` for a rule, `string` for a messageExpression.
   *
   * @default 'bool'
   */
  readonly output?: 'bool' | 'string';
}

/** A program, or why there is none. */
export type CompiledRule =
  | { readonly program: Program; readonly error?: undefined }
  | { readonly program?: undefined; readonly error: string };

/**
 * Compiles a rule or messageExpression about values of `self`. The error is the text that follows the value in a cause, such as
 * `compilation failed: ERROR: <input>:1:5: undefined field 'b'…`, or `cel expression must evaluate to a bool`.
 */
export function compileRule(text: string, self: DeclType, options: RuleOptions = {}): CompiledRule {
  const { optionalOldSelf = false, output = 'bool' } = options;
  const [what, must] = output === 'bool' ? ['', 'cel expression'] : ['messageExpression ', 'messageExpression'];
  const type = namedType(self, 'selfType');
  const variables = new Map<string, CelType>([
    ['self', type],
    ['oldSelf', optionalOldSelf ? optionalType(type) : type],
  ]);
  const issues = new Issues(text);
  const root = parse(text, issues);
  const references = root === undefined ? new Set<string>() : check(root, variables, issues);
  if (root !== undefined && !issues.found) validateLiterals(root, issues);
  if (root === undefined || issues.found) return { error: `${what}compilation failed: ${issues}` };
  if (root.type?.kind !== output) return { error: `${must} must evaluate to a ${output}` };
  const code = compileCode(root);
  if (code instanceof CelError)
    return { error: `${output === 'bool' ? 'program' : 'messageExpression'} instantiation failed: ${code.message}` };
  const maxCost = estimateCost(root, self);
  return { program: { usesOldSelf: references.has('oldSelf'), maxCost, code, self, optionalOldSelf } };
}

/** The values of a rule's variables, as JSON. */
export interface RuleValues {
  readonly self: unknown;
  /** Undefined if there is no old value. */
  readonly oldSelf?: unknown;
}

/** The end of an evaluation. `cost` is what it used of the budget, also if it failed. */
export type RuleResult =
  | { readonly value: boolean | string; readonly error?: undefined; readonly cost: number }
  | { readonly value?: undefined; readonly error: string; readonly cost: number };

const maxRuleCost = 1_000_000;

/** Evaluates a program. It fails with `operation cancelled: actual cost limit exceeded` if it costs more than 1,000,000. */
export function* evaluateRule(program: Program, values: RuleValues): Steps<RuleResult> {
  const { schema } = program.self;
  const variables = new Map<string, Value>([['self', toValue(values.self, schema)]]);
  if (values.oldSelf !== undefined) {
    const old = toValue(values.oldSelf, schema);
    variables.set('oldSelf', program.optionalOldSelf ? Optional.of(old) : old);
  } else if (program.optionalOldSelf) variables.set('oldSelf', Optional.none);
  const { value, cost } = yield* execute(program.code, variables, maxRuleCost);
  if (value instanceof CelError) return { error: value.message, cost };
  if (typeof value === 'boolean' || typeof value === 'string') return { value, cost };
  return { error: 'no such overload', cost };
}
