import { CelType } from './check/types.js';
import { type CompiledExpression, compileExpression, type Expression } from './expression.js';
import { requestVariables } from './request-environment.js';

/** The expressions of one policy. They can read the policy's variables, each of which is an expression itself. */
export class PolicyExpressions {
  readonly #types = new Map<string, CelType>();
  readonly #declared = new Map<string, Expression>();
  readonly #hasParams: boolean;
  readonly #hasVariables: boolean;

  constructor(options: { readonly hasParams: boolean; readonly hasVariables: boolean }) {
    this.#hasParams = options.hasParams;
    this.#hasVariables = options.hasVariables;
  }

  /** The variables that could be compiled. */
  get variables(): ReadonlyMap<string, Expression> {
    return this.#declared;
  }

  /** Declares a variable, which those after it can read. Returns what is wrong with it. */
  declare(name: string, text: string): string | undefined {
    const { expression, error } = this.compile(text, []);
    if (expression === undefined) return error;
    this.#types.set(name, expression.type);
    this.#declared.set(name, expression);
    return undefined;
  }

  /** @param outputs the types that the expression may evaluate to; none: any type */
  compile(text: string, outputs: readonly CelType[], hasAuthorizer = true): CompiledExpression {
    const types = requestVariables({ params: this.#hasParams, authorizer: hasAuthorizer });
    if (this.#hasVariables) types.set('variables', new CelType('struct', 'kubernetes.variables', [], this.#types));
    return compileExpression(text, types, outputs);
  }
}
