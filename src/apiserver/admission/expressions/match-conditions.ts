import type { MatchCondition } from '../../../resources/types/admissionregistration-v1.js';
import type { Steps } from '../../../time/steps.js';
import { boolType, type CelType } from '../../cel/check/types.js';
import { CelError, type Value } from '../../cel/eval/values.js';
import { type CompiledExpression, compileExpression, evaluateExpression } from '../../cel/expression.js';

/** What the match conditions of one webhook or policy may cost together. */
const BUDGET = 2_500_000;

export const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** Whether match conditions hold, or why that is not known. */
export type MatchResult = { readonly matches: boolean; readonly error?: undefined } | { readonly error: string };

/** Compiled match conditions. */
export class MatchConditions {
  readonly #conditions: readonly (CompiledExpression & { readonly text: string })[];
  readonly #failsOpen: boolean;

  constructor(
    conditions: readonly MatchCondition[],
    variables: ReadonlyMap<string, CelType>,
    failurePolicy: string | undefined,
  ) {
    this.#conditions = conditions.map(({ expression }) => ({
      ...compileExpression(expression, variables, [boolType]),
      text: expression,
    }));
    this.#failsOpen = failurePolicy === 'Ignore';
  }

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** One condition that is false decides; otherwise errors decide by the failure policy. */
  *evaluate(values: ReadonlyMap<string, Value>): Steps<MatchResult> {
    let budget = BUDGET;
    const errors: string[] = [];
    for (const { expression, error, text } of this.#conditions) {
      if (expression === undefined) {
        errors.push(`compilation error: ${error}`);
        continue;
      }
      const { value, cost } = yield* evaluateExpression(expression, values);
      if (cost > budget) return this.#failed([OUT_OF_BUDGET]);
      budget -= cost;
      if (value instanceof CelError) errors.push(evaluationError(text, value));
      else if (value === false) return { matches: false };
    }
    return errors.length === 0 ? { matches: true } : this.#failed(errors);
  }

  #failed(errors: readonly string[]): MatchResult {
    if (this.#failsOpen) return { matches: false };
    return { error: errors.length === 1 ? errors[0]! : `[${[...new Set(errors)].join(', ')}]` };
  }
}

/** What kube-apiserver says of an expression that failed. */
export function evaluationError(text: string, { message }: CelError): string {
  return `expression '${text}' resulted in error: ${message}`;
}
