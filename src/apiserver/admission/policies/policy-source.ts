import type { JsonObject } from '../../../meta/json-values.js';
import { labelSelectorFromObject } from '../../../meta/selectors/label-selector.js';
import type {
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../../resources/types/admissionregistration-v1.js';
import type { Steps } from '../../../time/steps.js';
import { boolType, nullType, stringType } from '../../cel/check/types.js';
import type { CompiledExpression, Expression } from '../../cel/expression.js';
import { PolicyExpressions } from '../../cel/policy-expressions.js';
import { requestVariables } from '../../cel/request-environment.js';
import { objectIn, prepareRevisions } from '../../resources/conversions.js';
import type { ApiResource, Registry } from '../../resources/registry.js';
import { keyOf, type Revision } from '../../storage/storage.js';
import { MatchConditions } from '../expressions/match-conditions.js';
import { type Match, matchOf } from '../match-rules.js';
import { StoredObjects } from '../stored-objects.js';

/** One validation of a policy. */
export interface CompiledValidation {
  readonly text: string;
  readonly expression: CompiledExpression;
  readonly message: string;
  readonly messageExpression: Expression | undefined;
  readonly reason: string;
}

/** A stored policy. */
export interface Policy {
  readonly name: string;
  readonly failsOpen: boolean;
  readonly match: Match;
  readonly conditions: MatchConditions;
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly variables: ReadonlyMap<string, Expression>;
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly { readonly text: string; readonly expression: CompiledExpression }[];
}

/** A stored binding of a policy. */
export interface PolicyBinding {
  readonly name: string;
  readonly policyName: string;
  /** Undefined: for all requests that the policy is for. */
  readonly match: Match | undefined;
  readonly paramRef: ParamRef | undefined;
  readonly actions: readonly string[];
}

/** All stored policies and bindings. */
export class PolicySource {
  readonly #policies: StoredObjects<Policy>;
  readonly #bindings: StoredObjects<PolicyBinding>;
  readonly #registry: Registry;

  constructor(registry: Registry) {
    const collection = (resource: string) => registry.find('admissionregistration.k8s.io', 'v1', resource)!.collection;
    this.#registry = registry;
    this.#policies = new StoredObjects(collection('validatingadmissionpolicies'), (object) =>
      readPolicy(object as unknown as ValidatingAdmissionPolicy),
    );
    this.#bindings = new StoredObjects(collection('validatingadmissionpolicybindings'), (object) =>
      readBinding(object as unknown as ValidatingAdmissionPolicyBinding),
    );
  }

  /** A policy without a binding does nothing. */
  get isEmpty(): boolean {
    return this.#policies.size === 0 || this.#bindings.size === 0;
  }

  /** The policies in the order of their names, each with its bindings. */
  *bound(): Iterable<{ readonly policy: Policy; readonly bindings: readonly PolicyBinding[] }> {
    for (const policy of this.#policies.all) {
      const bindings = this.#bindings.all.filter(({ policyName }) => policyName === policy.name);
      if (bindings.length > 0) yield { policy, bindings };
    }
  }

  /** The resource of a paramKind; undefined if it is not served. */
  paramResource({ apiVersion, kind }: NonNullable<Policy['paramKind']>): ApiResource | undefined {
    return this.#registry.findServed(kind, apiVersion);
  }

  /**
   * The params of a binding, in the version of the paramKind: null for none, several if a selector finds them.
   *
   * @throws Error with what is wrong with the binding
   */
  *paramsOf(
    { paramKind }: Policy,
    { paramRef }: PolicyBinding,
    namespace: string,
  ): Steps<readonly (JsonObject | null)[]> {
    if (paramKind === undefined || paramRef === undefined) return [null];
    const resource = this.paramResource(paramKind);
    if (resource === undefined)
      throw new Error(`paramKind kind \`${paramKind.apiVersion}, Kind=${paramKind.kind}\` not known`);
    const { name = '', namespace: given = '', selector, parameterNotFoundAction } = paramRef;
    if (!resource.namespaced && given !== '') {
      throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
    }
    const place = resource.namespaced ? given || namespace : '';
    if (resource.namespaced && place === '') {
      throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
    }
    const found: Revision[] = [];
    if (name !== '') {
      const named = resource.collection.get(keyOf(place, name));
      if (named !== undefined) found.push(named);
    } else {
      const selected = labelSelectorFromObject(selector ?? {});
      resource.collection.scan(Number.POSITIVE_INFINITY, place === '' ? '' : keyOf(place, ''), '', (revision) => {
        if (selected.matches(revision.labels)) found.push(revision);
        return true;
      });
    }
    if (found.length === 0 && parameterNotFoundAction === 'Deny') {
      throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
    }
    const preparation = prepareRevisions(resource, found);
    if (preparation !== undefined) yield* preparation;
    return found.map((revision) => objectIn(resource, revision));
  }
}

function readPolicy({ metadata, spec = {} }: ValidatingAdmissionPolicy): Policy {
  const { paramKind, matchConstraints = {}, failurePolicy, variables = [] } = spec;
  const hasParams = paramKind !== undefined;
  const expressions = new PolicyExpressions({ hasParams, hasVariables: variables.length > 0 });
  for (const { name, expression } of variables) expressions.declare(name, expression);
  const conditionVariables = requestVariables({ params: hasParams, authorizer: true });
  const { resourceRules, excludeResourceRules, ...match } = matchConstraints;
  return {
    name: metadata.name!,
    failsOpen: failurePolicy === 'Ignore',
    match: matchOf({ ...match, rules: resourceRules, excludeRules: excludeResourceRules }),
    conditions: new MatchConditions(spec.matchConditions ?? [], conditionVariables, failurePolicy),
    paramKind: paramKind && { apiVersion: paramKind.apiVersion ?? '', kind: paramKind.kind ?? '' },
    variables: expressions.variables,
    validations: (spec.validations ?? []).map(({ expression, message = '', messageExpression = '', reason }) => ({
      text: expression,
      expression: expressions.compile(expression, [boolType]),
      message,
      messageExpression:
        messageExpression === '' ? undefined : expressions.compile(messageExpression, [stringType], false).expression,
      reason: reason ?? 'Invalid',
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ valueExpression }) => ({
      text: valueExpression,
      expression: expressions.compile(valueExpression, [stringType, nullType]),
    })),
  };
}

function readBinding({ metadata, spec }: ValidatingAdmissionPolicyBinding): PolicyBinding {
  const { policyName = '', paramRef, matchResources, validationActions = [] } = spec ?? {};
  const { resourceRules, excludeResourceRules, ...match } = matchResources ?? {};
  return {
    name: metadata.name!,
    policyName,
    match: matchResources && matchOf({ ...match, rules: resourceRules, excludeRules: excludeResourceRules }),
    paramRef,
    actions: validationActions,
  };
}
