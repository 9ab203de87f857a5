import { StatusError } from '../../../meta/errors/errors.js';
import { forbidden } from '../../../meta/errors/status.js';
import type { JsonObject } from '../../../meta/json-values.js';
import type { Steps } from '../../../time/steps.js';
import { CelError, type Value } from '../../cel/eval/values.js';
import { type CompiledExpression, evaluateExpression } from '../../cel/expression.js';
import type { AccessOracle } from '../../cel/functions/authorizer.js';
import type { AdmissionRequest } from '../../resources/admission.js';
import type { Registry } from '../../resources/registry.js';
import { evaluationError, OUT_OF_BUDGET } from '../expressions/match-conditions.js';
import { requestValues } from '../expressions/request-variables.js';
import { type MatchRule, matchedResource } from '../match-rules.js';
import { requestName } from '../request-name.js';
import { inVersionOf, type VersionedRequest } from '../versioned-request.js';
import { LazyVariables } from './lazy-variables.js';
import { type CompiledValidation, type Policy, type PolicyBinding, PolicySource } from './policy-source.js';

/** What the validations of one policy may cost together, for one binding and one of its params. */
const BUDGET = 10_000_000;
const MAX_MESSAGE_BYTES = 5 * 1024;

/** A validation that failed. */
interface Failure {
  readonly message: string;
  readonly reason: string;
}

/** What policies are evaluated with. */
export interface PolicyChainOptions {
  readonly registry: Registry;
  readonly oracleOf: (request: AdmissionRequest) => AccessOracle;
}

/** Evaluates the ValidatingAdmissionPolicies of requests. */
export class PolicyChain {
  readonly #options: PolicyChainOptions;
  readonly #source: PolicySource;

  constructor(options: PolicyChainOptions) {
    this.#options = options;
    this.#source = new PolicySource(options.registry);
  }

  get isEmpty(): boolean {
    return this.#source.isEmpty;
  }

  /** Throws the first refusal, after all policies were evaluated: those that only warn are heard too. */
  *validate(request: AdmissionRequest): Steps<void> {
    let refusal: StatusError | undefined;
    for (const { policy, bindings } of this.#source.bound()) {
      const resource = matchedResource(policy.match, request, this.#options.registry);
      if (resource === undefined) continue;
      const unknown = this.#paramKindProblem(policy);
      if (unknown !== undefined) {
        if (!policy.failsOpen) refusal ??= denial(request, policy, undefined, configured(unknown, 'policy'));
        continue;
      }
      const versioned = yield* inVersionOf(request, resource);
      for (const binding of bindings) {
        if (binding.match !== undefined && !this.#bindingMatches(binding, request)) continue;
        for (const failure of yield* this.#evaluateBinding(policy, binding, versioned)) {
          const { actions } = binding;
          if (failure.isConfiguration || actions.includes('Deny'))
            refusal ??= denial(request, policy, binding, failure);
          else if (actions.includes('Warn')) {
            const by = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
            request.warn(`Validation failed for ${by}: ${failure.message}`);
          }
        }
      }
    }
    if (refusal !== undefined) throw refusal;
  }

  #paramKindProblem({ paramKind }: Policy): string | undefined {
    if (paramKind === undefined || this.#source.paramResource(paramKind) !== undefined) return undefined;
    return `failed to find resource referenced by paramKind: '${goKind(paramKind.apiVersion, paramKind.kind)}'`;
  }

  #bindingMatches({ match }: PolicyBinding, request: AdmissionRequest): boolean {
    const rules = match!.rules.length === 0 ? ANY_RULE : match!.rules;
    return matchedResource({ ...match!, rules }, request, this.#options.registry) !== undefined;
  }

  *#evaluateBinding(
    policy: Policy,
    binding: PolicyBinding,
    request: VersionedRequest,
  ): Steps<readonly (Failure & { readonly isConfiguration: boolean })[]> {
    const { attributes } = request;
    let params: readonly (JsonObject | null)[];
    try {
      params = yield* this.#source.paramsOf(policy, binding, isNamespace(attributes) ? '' : attributes.namespace);
    } catch (error) {
      if (policy.failsOpen) return [];
      return [{ ...configured((error as Error).message, 'binding'), isConfiguration: true }];
    }
    const oracle = this.#options.oracleOf(attributes);
    const namespaceObject = this.#namespaceObject(attributes);
    const failures: (Failure & { readonly isConfiguration: boolean })[] = [];
    for (const param of params) {
      const values = requestValues(request, {
        oracle,
        namespaceObject,
        params: policy.paramKind === undefined ? undefined : param,
      });
      for (const failure of yield* evaluatePolicy(policy, values))
        failures.push({ ...failure, isConfiguration: false });
    }
    return failures;
  }

  #namespaceObject(request: AdmissionRequest): JsonObject | undefined {
    if (request.namespace === '' || isNamespace(request)) return undefined;
    return this.#options.registry.find('', 'v1', 'namespaces')?.collection.get(request.namespace)?.decode();
  }
}

const ANY_RULE: readonly MatchRule[] = [
  { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] },
];

function isNamespace({ resource }: AdmissionRequest): boolean {
  return resource.group === '' && resource.kind === 'Namespace';
}

function goKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

function configured(why: string, what: 'policy' | 'binding'): Failure {
  return { message: `failed to configure ${what}: ${why}`, reason: 'Invalid' };
}

/** The validations of a policy that fail for one param. */
function* evaluatePolicy(policy: Policy, values: Map<string, Value>): Steps<Failure[]> {
  const broken = (message: string): Failure[] => (policy.failsOpen ? [] : [{ message, reason: 'Invalid' }]);
  if (!policy.conditions.isEmpty) {
    const match = yield* policy.conditions.evaluate(values);
    if (match.error !== undefined) return broken(match.error);
    if (!match.matches) return [];
  }
  const evaluation = new Evaluation(values, new LazyVariables(policy.variables, values));
  const results: { readonly validation: CompiledValidation; readonly value: Value }[] = [];
  for (const validation of policy.validations) {
    const value = yield* evaluation.run(validation.expression, validation.text);
    if (evaluation.isSpent) return broken(OUT_OF_BUDGET);
    results.push({ validation, value });
  }
  const failures: Failure[] = [];
  for (const { validation, value } of results) {
    if (value === true) continue;
    if (value instanceof CelError) failures.push(...broken(value.message));
    else failures.push({ message: yield* messageOf(validation, evaluation), reason: validation.reason });
  }
  const annotations = new Evaluation(values, new LazyVariables(policy.variables, values));
  for (const { expression, text } of policy.annotations) {
    const value = yield* annotations.run(expression, text);
    if (annotations.isSpent) return broken(OUT_OF_BUDGET);
    if (value instanceof CelError) failures.push(...broken(value.message));
  }
  return failures;
}

/** Evaluates expressions until their budget is spent. */
class Evaluation {
  readonly #values: ReadonlyMap<string, Value>;
  readonly #variables: LazyVariables;
  #budget = BUDGET;

  constructor(values: ReadonlyMap<string, Value>, variables: LazyVariables) {
    this.#values = values;
    this.#variables = variables;
  }

  get isSpent(): boolean {
    return this.#budget < 0;
  }

  /** The value of an expression; an error has the message that clients get. */
  *run({ expression, error }: CompiledExpression, text: string): Steps<Value> {
    if (expression === undefined) return new CelError(`compilation error: ${error}`);
    const { value, cost } = yield* evaluateExpression(expression, this.#values);
    this.#budget -= cost + this.#variables.takeCost();
    return value instanceof CelError ? new CelError(evaluationError(text, value)) : value;
  }
}

/** The message of a failed validation: of its messageExpression, its own, or the expression. */
function* messageOf(validation: CompiledValidation, evaluation: Evaluation): Steps<string> {
  const { message, messageExpression, text } = validation;
  if (messageExpression !== undefined) {
    const value = yield* evaluation.run({ expression: messageExpression }, '');
    const evaluated = typeof value === 'string' && !evaluation.isSpent ? value.trim() : '';
    const isUsable = Buffer.byteLength(evaluated) <= MAX_MESSAGE_BYTES && !evaluated.includes('\n');
    if (evaluated !== '' && isUsable) return evaluated;
  }
  return message.trim() || `failed expression: ${text.trim()}`;
}

const CODES: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };

function denial(
  request: AdmissionRequest,
  { name }: Policy,
  binding: PolicyBinding | undefined,
  { message, reason }: Failure,
): StatusError {
  const by = binding === undefined ? '' : ` with binding '${binding.name}'`;
  const why = `ValidatingAdmissionPolicy '${name}'${by} denied request: ${message}`;
  const status = forbidden(request.resource.groupResource, requestName(request), why);
  return new StatusError({
    ...status,
    reason,
    code: CODES[reason] ?? 422,
    details: { ...status.details, causes: [{ message: why }] },
  });
}
