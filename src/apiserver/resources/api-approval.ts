import { fieldInvalid, fieldRequired } from '../../meta/errors/field-cause.js';
import type { StatusCause } from '../../meta/errors/status.js';
import { valueAt } from '../../meta/json-paths.js';
import type { JsonObject } from '../../meta/json-values.js';

/**
 * Definitions in the groups of the Kubernetes community need the annotation `api-approved.kubernetes.io`: https://github.com/kubernetes/enhancements/pull/1111.
 */
const ANNOTATION = 'api-approved.kubernetes.io';
const FIELD = `metadata.annotations[${ANNOTATION}]`;
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

interface Approval {
  readonly reason: 'ApprovedAnnotation' | 'UnapprovedAnnotation' | 'MissingAnnotation' | 'InvalidAnnotation';
  readonly message: string;
}

function approvalOf(definition: JsonObject): Approval {
  const annotation = valueAt(definition, ['metadata', 'annotations', ANNOTATION]) ?? '';
  const rule = `protected groups must have approval annotation ${JSON.stringify(ANNOTATION)}`;
  if (typeof annotation !== 'string' || annotation === '') {
    return { reason: 'MissingAnnotation', message: `${rule}, ${SEE}` };
  }
  if (annotation.startsWith('unapproved')) {
    return { reason: 'UnapprovedAnnotation', message: `not approved: ${JSON.stringify(annotation)}` };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i.test(annotation) && URL.canParse(annotation)) {
    return { reason: 'ApprovedAnnotation', message: `approved in ${annotation}` };
  }
  const message = `${rule} with either a URL or a reason starting with "unapproved", ${SEE}`;
  return { reason: 'InvalidAnnotation', message };
}

function isProtected(definition: JsonObject): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(String(valueAt(definition, ['spec', 'group']) ?? ''));
}

/** Causes for a definition without approval. One that is stored without approval may stay so. */
export function approvalCauses(definition: JsonObject, old: JsonObject | undefined): StatusCause[] {
  if (!isProtected(definition)) return [];
  const { reason, message } = approvalOf(definition);
  if (old !== undefined && approvalOf(old).reason === reason) return [];
  if (reason === 'MissingAnnotation') return [fieldRequired(FIELD, message)];
  if (reason !== 'InvalidAnnotation') return [];
  return [fieldInvalid(FIELD, valueAt(definition, ['metadata', 'annotations', ANNOTATION]), message)];
}

/** The condition KubernetesAPIApprovalPolicyConformant; undefined in groups that need no approval. */
export function approvalCondition(
  definition: JsonObject,
): { readonly type: string; readonly status: string; readonly reason: string; readonly message: string } | undefined {
  if (!isProtected(definition)) return undefined;
  const { reason, message } = approvalOf(definition);
  const status = reason === 'ApprovedAnnotation' ? 'True' : 'False';
  return { type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message };
}
