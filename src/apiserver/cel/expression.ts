import type { Steps } from '../../time/steps.js';
import { check } from './check/checker.js';
import { type CelType, dynType } from './check/types.js';
import { validateLiterals } from './check/validate-literals.js';
import { type Code, compileCode } from './eval/code.js';
import { execute, type MachineResult } from './eval/machine.js';
import { CelError, type Value } from './eval/values.js';
import { Issues } from './issues.js';
import { parse } from './syntax/parser.js';

/** A compiled expression about any variables. */
export interface Expression {
  readonly text: string;
  /** What it evaluates to. */
  readonly type: CelType;
  /** @internal */
  readonly code: Code;
}

/** An expression, or why there is none. */
export type CompiledExpression =
  | { readonly expression: Expression; readonly error?: undefined }
  | { readonly expression?: undefined; readonly error: string };

/**
 * Compiles an expression. The error is what kube-apiserver says of it, such as
 * `compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')…`.
 *
 * @param outputs the types that it may evaluate to; none: any type
 */
export function compileExpression(
  text: string,
  variables: ReadonlyMap<string, CelType>,
  outputs: readonly CelType[],
): CompiledExpression {
  const issues = new Issues(text);
  const root = parse(text, issues);
  if (root !== undefined) check(root, variables, issues);
  if (root !== undefined && !issues.found) validateLiterals(root, issues);
  if (root === undefined || issues.found) return { error: `compilation failed: ${issues}` };
  const type = root.type ?? dynType;
  if (outputs.length > 0 && !outputs.some((output) => output.equals(type))) {
    const names = outputs.map(({ name }) => name);
    const wanted = names.length === 1 ? names[0] : `one of [${names.join(' ')}]`;
    return { error: `must evaluate to ${wanted} but got ${type}` };
  }
  const code = compileCode(root);
  if (code instanceof CelError) return { error: `program instantiation failed: ${code.message}` };
  return { expression: { text, type, code } };
}

/** What one expression may cost. */
export const MAX_EXPRESSION_COST = 1_000_000;

/** Evaluates an expression. The value is a {@link CelError} if it fails, also if it costs more than 1,000,000. */
export function evaluateExpression(
  { code }: Expression,
  variables: ReadonlyMap<string, Value>,
): Steps<MachineResult> {
  return execute(code, variables, MAX_EXPRESSION_COST);
}
