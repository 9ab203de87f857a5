import { fieldInvalid, fieldRequired } from '../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../meta/errors/status.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { labelKeyErrors, labelValueErrors } from '../../../meta/names.js';
import { type CauseSteps, invalids } from '../../resources/causes.js';
import { operatorCauses } from '../../resources/kinds/label-rules.js';

/** The group of the access reviews. */
export const REVIEW_GROUP = 'authorization.k8s.io';

/** The fields of a review, as their types allow them. */
interface ReviewSpec {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly resourceAttributes?: {
    readonly namespace?: string;
    readonly fieldSelector?: SelectorAttributes;
    readonly labelSelector?: SelectorAttributes;
  };
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
}

interface SelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly SelectorRequirement[];
}

interface SelectorRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[] | null;
}

/** Causes for an invalid access review. One that is created in a namespace must be about that namespace. */
export function* accessReviewCauses(review: JsonObject, isSelf: boolean, namespace: string): Generator<StatusCause> {
  for (const cause of causesOf(review, isSelf, namespace)) if (cause !== undefined) yield cause;
}

function* causesOf(review: JsonObject, isSelf: boolean, namespace: string): CauseSteps {
  const spec: ReviewSpec = isJsonObject(review['spec']) ? review['spec'] : {};
  const { resourceAttributes, nonResourceAttributes } = spec;
  const path = nonResourceAttributes && {
    Path: nonResourceAttributes.path ?? '',
    Verb: nonResourceAttributes.verb ?? '',
  };
  if (resourceAttributes && path) {
    yield fieldInvalid(
      'spec.nonResourceAttributes',
      path,
      'cannot be specified in combination with resourceAttributes',
    );
  }
  if (!resourceAttributes && !path) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    yield fieldInvalid('spec.resourceAttributes', null, why);
  }
  if (!isSelf && !spec.user && !spec.groups?.length) {
    yield fieldInvalid('spec.user', '', 'at least one of user or group must be specified');
  }
  const { fieldSelector, labelSelector, namespace: asked = '' } = resourceAttributes ?? {};
  yield* selectorCauses(fieldSelector, 'spec.resourceAttributes.fieldSelector', fieldRequirementCauses);
  yield* selectorCauses(labelSelector, 'spec.resourceAttributes.labelSelector', labelRequirementCauses);
  const metadata = isJsonObject(review['metadata']) ? review['metadata'] : {};
  const { managedFields: _, namespace: __, ...more } = metadata;
  if (Object.keys(more).length > 0) {
    yield fieldInvalid('metadata', metadata, namespace === '' ? 'must be empty' : 'must be empty except for namespace');
  }
  if (namespace === '') return;
  if (resourceAttributes && asked !== namespace) {
    yield fieldInvalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace');
  }
  if (path) yield fieldInvalid('spec.nonResourceAttributes', path, 'disallowed on this kind of request');
}

function* selectorCauses(
  selector: SelectorAttributes | undefined,
  path: string,
  requirementCauses: (requirement: SelectorRequirement, path: string) => CauseSteps,
): CauseSteps {
  if (!selector) return;
  const { rawSelector = '', requirements = [] } = selector;
  if (rawSelector !== '' && requirements.length > 0) {
    yield fieldInvalid(`${path}.rawSelector`, rawSelector, 'may not specified at the same time as requirements');
  }
  if (rawSelector === '' && requirements.length === 0) {
    yield fieldRequired(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`);
  }
  for (const [at, requirement] of requirements.entries()) {
    yield* requirementCauses(requirement, `${path}.requirements[${at}]`);
  }
}

function* fieldRequirementCauses(requirement: SelectorRequirement, path: string): CauseSteps {
  if (!requirement.key) yield fieldRequired(`${path}.key`, 'must be specified');
  yield* knownOperatorCauses(requirement, path);
}

function* labelRequirementCauses(requirement: SelectorRequirement, path: string): CauseSteps {
  const { key = '', values } = requirement;
  yield* knownOperatorCauses(requirement, path);
  yield* invalids(`${path}.key`, key, labelKeyErrors(key));
  for (const [at, value] of (values ?? []).entries()) {
    yield* invalids(`${path}.values[${at}]`, value, labelValueErrors(value));
  }
}

/** Operators of newer clients are let through, as on kube-apiserver. */
function knownOperatorCauses({ operator = '', values }: SelectorRequirement, path: string): CauseSteps {
  const isKnown = ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator);
  return isKnown ? operatorCauses(operator, values ?? [], path) : none();
}

function* none(): CauseSteps {}
