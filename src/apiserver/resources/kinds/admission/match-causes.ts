import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooMany,
} from '../../../../meta/errors/field-cause.js';
import { labelKeyErrors, pathSegmentErrors } from '../../../../meta/names.js';
import type {
  MatchCondition,
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from '../../../../resources/types/admissionregistration-v1.js';
import { boolType } from '../../../cel/check/types.js';
import type { PolicyExpressions } from '../../../cel/policy-expressions.js';
import { type CauseSteps, each, invalids, oneOf } from '../../causes.js';
import { selectorCauses } from '../label-rules.js';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];
const MAX_CONDITIONS = 64;

/** Sets what was left out of `matchConstraints` or `matchResources`. */
export function fillMatch(match: MatchResources | undefined): void {
  if (match === undefined) return;
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= '*';
}

/** Causes for `matchConstraints` or `matchResources`. */
export function* matchCauses(match: MatchResources | undefined, path: string): CauseSteps {
  if (match === undefined) return;
  yield* oneOf(match.matchPolicy, ['Equivalent', 'Exact'], `${path}.matchPolicy`);
  yield* selectorCauses(match.namespaceSelector, `${path}.namespaceSelector`);
  yield* selectorCauses(match.objectSelector, `${path}.objectSelector`);
  yield* each(match.resourceRules, `${path}.resourceRules`, namedRuleCauses);
  yield* each(match.excludeResourceRules, `${path}.excludeResourceRules`, namedRuleCauses);
}

function* namedRuleCauses(rule: NamedRuleWithOperations, path: string): CauseSteps {
  const names = new Set<string>();
  yield* each(rule.resourceNames, `${path}.resourceNames`, function* (name, place): CauseSteps {
    yield* invalids(place, name, pathSegmentErrors(name));
    if (names.has(name)) yield fieldDuplicate(place, name);
    names.add(name);
  });
  yield* ruleCauses(rule, path);
}

/** Causes for a rule of a webhook or policy. */
export function* ruleCauses(rule: RuleWithOperations | NamedRuleWithOperations, path: string): CauseSteps {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  yield* wildcardCauses(operations, `${path}.operations`, 'operations');
  yield* each(operations, `${path}.operations`, function* (operation, place): CauseSteps {
    if (!OPERATIONS.includes(operation)) yield fieldNotSupported(place, operation, OPERATIONS);
  });
  yield* wildcardCauses(apiGroups, `${path}.apiGroups`, 'API groups');
  yield* wildcardCauses(apiVersions, `${path}.apiVersions`, 'API versions');
  yield* each(apiVersions, `${path}.apiVersions`, function* (version, place): CauseSteps {
    if (version === '') yield fieldRequired(place, '');
  });
  yield* resourceCauses(resources, `${path}.resources`);
  if (scope !== undefined && !SCOPES.includes(scope)) yield fieldNotSupported(`${path}.scope`, scope, SCOPES);
}

function* wildcardCauses(values: readonly string[], path: string, plural: string): CauseSteps {
  if (values.length === 0) yield fieldRequired(path, '');
  if (values.length > 1 && values.includes('*')) {
    yield fieldInvalid(path, values, `if '*' is present, must not specify other ${plural}`);
  }
}

function* resourceCauses(resources: readonly string[], path: string): CauseSteps {
  if (resources.length === 0) yield fieldRequired(path, '');
  const allParts = new Set<string>();
  const allOwners = new Set<string>();
  let hasPlain = false;
  yield* each(resources, path, function* (resource, place): CauseSteps {
    if (resource === '') {
      yield fieldRequired(place, '');
      return;
    }
    const slash = resource.indexOf('/');
    if (slash < 0) {
      hasPlain = resource !== '*';
      return;
    }
    const [owner, part] = [resource.slice(0, slash), resource.slice(slash + 1)];
    if (allParts.has(owner)) {
      yield fieldInvalid(place, resource, `if '${owner}/*' is present, must not specify ${resource}`);
    }
    if (allOwners.has(part)) {
      yield fieldInvalid(place, resource, `if '*/${part}' is present, must not specify ${resource}`);
    }
    if (part === '*') allParts.add(owner);
    if (owner === '*') allOwners.add(part);
  });
  if (resources.length > 1 && resources.includes('*/*')) {
    yield fieldInvalid(path, resources, "if '*/*' is present, must not specify other resources");
  }
  if (resources.includes('*') && hasPlain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    yield fieldInvalid(path, resources, detail);
  }
}

/** Causes for the match conditions of a webhook or policy. */
export function* conditionsCauses(
  conditions: readonly MatchCondition[],
  path: string,
  expressions: PolicyExpressions,
): CauseSteps {
  if (conditions.length > MAX_CONDITIONS) yield fieldTooMany(path, conditions.length, MAX_CONDITIONS);
  const names = new Set<string>();
  yield* each(conditions, path, function* ({ name, expression }, place): CauseSteps {
    const text = expression.trim();
    if (text === '') yield fieldRequired(`${place}.expression`, '');
    else {
      const { error } = expressions.compile(text, [boolType]);
      if (error !== undefined) yield fieldInvalid(`${place}.expression`, text, error);
    }
    if (name === '') yield fieldRequired(`${place}.name`, '');
    else yield* invalids(`${place}.name`, name, labelKeyErrors(name));
    if (names.has(name)) yield fieldDuplicate(`${place}.name`, name);
    names.add(name);
  });
}
