import { reservedWords } from '../../../../meta/cel-names.js';
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../../../meta/errors/field-cause.js';
import {
  dns1035LabelErrors,
  dns1123SubdomainErrors,
  labelKeyErrors,
  pathSegmentErrors,
} from '../../../../meta/names.js';
import type {
  AuditAnnotation,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
  Validation,
  Variable,
} from '../../../../resources/types/admissionregistration-v1.js';
import { boolType, type CelType, nullType, stringType } from '../../../cel/check/types.js';
import { PolicyExpressions } from '../../../cel/policy-expressions.js';
import { type CauseSteps, each, invalids, oneOf, oneOfIfSet } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { selectorCauses } from '../label-rules.js';
import { conditionsCauses, fillMatch, matchCauses } from './match-causes.js';

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const MAX_ANNOTATIONS = 20;
const MAX_ANNOTATION_EXPRESSION = 5 * 1024;
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

/** The strategy of ValidatingAdmissionPolicies. */
export const validatingPolicies: Partial<Strategy> = strategyFor<ValidatingAdmissionPolicy>({
  generation: 'content',
  unconditionalUpdate: false,
  defaults({ spec }) {
    if (spec === undefined) return;
    spec.failurePolicy ??= 'Fail';
    fillMatch(spec.matchConstraints);
  },
  *causes({ metadata, spec }, _old, subresource): CauseSteps {
    if (subresource === '') yield* policyCauses(spec ?? {}, metadata.name ?? '');
  },
});

/** The strategy of ValidatingAdmissionPolicyBindings. */
export const validatingPolicyBindings: Partial<Strategy> = strategyFor<ValidatingAdmissionPolicyBinding>({
  generation: 'content',
  unconditionalUpdate: false,
  defaults: ({ spec }) => fillMatch(spec?.matchResources),
  *causes({ spec = {} }): CauseSteps {
    const { policyName = '', paramRef, matchResources, validationActions = [] } = spec;
    if (policyName === '') yield fieldRequired('spec.policyName', '');
    else yield* invalids('spec.policyName', policyName, dns1123SubdomainErrors(policyName));
    if (paramRef !== undefined) yield* paramRefCauses(paramRef, 'spec.paramRef');
    yield* matchCauses(matchResources, 'spec.matchResources');
    yield* actionCauses(validationActions, 'spec.validationActions');
  },
});

function* policyCauses(spec: ValidatingAdmissionPolicySpec, name: string): CauseSteps {
  const { paramKind, matchConstraints, variables = [], validations = [], auditAnnotations = [] } = spec;
  yield* oneOf(spec.failurePolicy, ['Fail', 'Ignore'], 'spec.failurePolicy');
  if (paramKind !== undefined) yield* paramKindCauses(paramKind, 'spec.paramKind');
  const path = 'spec.matchConstraints';
  if (matchConstraints === undefined) yield fieldRequired(path, '');
  else {
    yield* matchCauses(matchConstraints, path);
    if ((matchConstraints.resourceRules ?? []).length === 0) yield fieldRequired(`${path}.resourceRules`, '');
  }
  const hasParams = paramKind !== undefined;
  const plain = new PolicyExpressions({ hasParams, hasVariables: false });
  yield* conditionsCauses(spec.matchConditions ?? [], 'spec.matchConditions', plain);
  const expressions = new PolicyExpressions({ hasParams, hasVariables: variables.length > 0 });
  yield* each(variables, 'spec.variables', (variable, place) => variableCauses(variable, place, expressions));
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    yield fieldRequired('spec.validations', detail);
    yield fieldRequired('spec.auditAnnotations', detail);
    return;
  }
  yield* each(validations, 'spec.validations', (validation, place) => validationCauses(validation, place, expressions));
  yield* annotationsCauses(auditAnnotations, 'spec.auditAnnotations', name, expressions);
}

function* paramKindCauses({ apiVersion = '', kind = '' }: ParamKind, path: string): CauseSteps {
  const parts = apiVersion.split('/');
  const [group, version] = parts.length === 1 ? ['', parts[0]!] : [parts[0]!, parts[1]!];
  const field = `${path}.apiVersion`;
  if (apiVersion === '') yield fieldRequired(field, '');
  else if (parts.length > 2) yield fieldInvalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  else {
    const groupErrors = group === '' ? [] : dns1123SubdomainErrors(group);
    if (groupErrors.length > 0) yield fieldInvalid(field, group, groupErrors.join(','));
    const versionErrors = dns1035LabelErrors(version);
    if (version === '') yield fieldInvalid(field, apiVersion, 'version must be specified');
    else if (versionErrors.length > 0) yield fieldInvalid(field, version, versionErrors.join(','));
  }
  const kindErrors = dns1035LabelErrors(kind.toLowerCase());
  if (kind === '') yield fieldRequired(`${path}.kind`, '');
  else if (kindErrors.length > 0) {
    const detail = `may have mixed case, but should otherwise match: ${kindErrors.join(',')}`;
    yield fieldInvalid(`${path}.kind`, kind, detail);
  }
}

function* paramRefCauses({ name = '', selector, parameterNotFoundAction }: ParamRef, path: string): CauseSteps {
  const exclusive = 'name and selector are mutually exclusive';
  if (name !== '') {
    yield* invalids(`${path}.name`, name, pathSegmentErrors(name));
    if (selector !== undefined) yield fieldForbidden(`${path}.name`, exclusive);
  }
  if (selector !== undefined) {
    yield* selectorCauses(selector, `${path}.selector`);
    if (name !== '') yield fieldForbidden(`${path}.selector`, exclusive);
  }
  if (name === '' && selector === undefined) yield fieldRequired(path, 'one of name or selector must be specified');
  yield* oneOf(parameterNotFoundAction, ['Deny', 'Allow'], `${path}.parameterNotFoundAction`);
}

function* actionCauses(actions: readonly string[], path: string): CauseSteps {
  const seen = new Set<string>();
  yield* each(actions, path, function* (action, place): CauseSteps {
    if (!ACTIONS.includes(action)) yield fieldNotSupported(place, action, ACTIONS);
    if (seen.has(action)) yield fieldDuplicate(place, action);
    seen.add(action);
  });
  if (seen.has('Deny') && seen.has('Warn')) {
    const why = 'repeating the same validation failure information in the API response and headers serves no purpose';
    yield fieldInvalid(path, actions, `must not contain both Deny and Warn (${why})`);
  }
  if (seen.size === 0) yield fieldRequired(path, 'at least one validation action is required');
}

function* variableCauses({ name = '', expression = '' }: Variable, path: string, all: PolicyExpressions): CauseSteps {
  if (name.trim() === '') yield fieldRequired(`${path}.name`, 'name is not specified');
  else if (!IDENTIFIER.test(name) || reservedWords.has(name)) {
    yield fieldInvalid(`${path}.name`, name, 'must be a valid CEL identifier');
  }
  if (expression.trim() === '') yield fieldRequired(`${path}.expression`, 'expression is not specified');
  else {
    const error = all.declare(name, expression);
    if (error !== undefined) yield fieldInvalid(`${path}.expression`, expression, error);
  }
}

function* validationCauses(validation: Validation, path: string, all: PolicyExpressions): CauseSteps {
  const { expression = '', message = '', messageExpression = '', reason } = validation;
  if (expression.trim() === '') yield fieldRequired(`${path}.expression`, 'expression is not specified');
  else yield* expressionCauses(expression, `${path}.expression`, all, [boolType]);
  const required = 'must be non-empty if specified';
  if (messageExpression !== '') {
    const field = `${path}.messageExpression`;
    if (messageExpression.trim() === '') yield fieldInvalid(field, messageExpression, required);
    else yield* expressionCauses(messageExpression, field, all, [stringType], false);
  }
  if (message !== '' && message.trim() === '') yield fieldInvalid(`${path}.message`, message, required);
  else if (/[\n\r]/.test(message.trim()))
    yield fieldInvalid(`${path}.message`, message, 'must not contain line breaks');
  yield* oneOfIfSet(reason, REASONS, `${path}.reason`);
}

function* expressionCauses(
  text: string,
  path: string,
  all: PolicyExpressions,
  outputs: readonly CelType[],
  hasAuthorizer = true,
): CauseSteps {
  const { error } = all.compile(text, outputs, hasAuthorizer);
  if (error !== undefined) yield fieldInvalid(path, text, error);
}

function* annotationsCauses(
  annotations: readonly AuditAnnotation[],
  path: string,
  policy: string,
  all: PolicyExpressions,
): CauseSteps {
  if (annotations.length > MAX_ANNOTATIONS) {
    yield fieldInvalid(path, annotations, `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`);
  }
  const keys = new Set<string>();
  yield* each(annotations, path, function* ({ key = '', valueExpression = '' }, place): CauseSteps {
    yield* invalids(`${place}.key`, `${policy}/${key}`, labelKeyErrors(`${policy}/${key}`));
    const field = `${place}.valueExpression`;
    const text = valueExpression.trim();
    if (text === '') yield fieldRequired(field, 'valueExpression is not specified');
    else if (Buffer.byteLength(text) > MAX_ANNOTATION_EXPRESSION) {
      yield fieldRequired(field, `must not exceed ${MAX_ANNOTATION_EXPRESSION} bytes in length`);
    } else yield* expressionCauses(text, field, all, [stringType, nullType]);
    if (keys.has(key)) yield fieldDuplicate(`${place}.key`, key);
    keys.add(key);
  });
}
