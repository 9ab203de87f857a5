import type { Steps } from '../../time/steps.js';
import type { DeclType } from './decl-type.js';
import type { CelSchema } from './schema.js';

export { type DeclType, declTypeOf, maxCardinality } from './decl-type.js';
export { escapeName } from './escape.js';
export type { CelSchema } from './schema.js';

/** A compiled expression. */
export interface Program {
  /** The names of the variables that the expression reads. */
  readonly references: ReadonlySet<string>;
  /** The largest cost that an evaluation can have, from the sizes that the declarations allow. */
  readonly maxCost: number;
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

/**
 * Compiles a rule or messageExpression about values of `self`. The error is the text after `Invalid value: …: `, such as
 * `compilation failed: ERROR: <input>:1:5: undefined field 'b'…`, or `cel expression must evaluate to a bool`.
 */
export type CompileRule = (
  text: string,
  self: DeclType,
  options?: RuleOptions,
) => { readonly program: Program; readonly error?: undefined } | { readonly error: string };

/** The values of a rule's variables as JSON, and their schema. */
export interface RuleValues {
  readonly schema: CelSchema;
  readonly self: unknown;
  /** Undefined if there is no old value. */
  readonly oldSelf?: unknown;
}

/** The end of an evaluation. `cost` is what it used of the budget, also if it failed. */
export type RuleResult =
  | { readonly value: boolean | string; readonly error?: undefined; readonly cost: number }
  | { readonly error: string; readonly cost: number };

/** Evaluates a program. It fails with `operation cancelled: actual cost limit exceeded` if it costs more than 1,000,000. */
export type EvaluateRule = (program: Program, values: RuleValues) => Steps<RuleResult>;
