import type { Steps } from '../../time/steps.js';
import { differenceBelow, type FieldPattern, type FieldSet, matching, setOfPaths } from './fields.js';

/** Leaves out of a set the fields that a write does not change, because the strategy of its kind resets them. */
export type ResetFields = (set: FieldSet) => Steps<FieldSet>;

const except = (...paths: readonly (readonly string[])[]): ResetFields => {
  const reset = setOfPaths(...paths);
  return (set) => differenceBelow(set, reset);
};

const only = (pattern: FieldPattern): ResetFields => {
  return (set) => matching(set, pattern);
};

const nothing: ResetFields = except();
const status = except(['status']);
const spec = except(['spec']);
const metadataAndSpec = except(['metadata'], ['spec']);

const RESOURCES_OF_CONTAINERS = { '*': { 'f:resources': 'all', 'f:resizePolicy': 'all' } } as const;

/** By `resource.group/subresource`, where it is not the `status` in the main resource and the `spec` in the status. */
const EXCEPTIONS: Readonly<Record<string, ResetFields>> = {
  'certificatesigningrequests.certificates.k8s.io/': except(['spec'], ['status']),
  'certificatesigningrequests.certificates.k8s.io/approval': except(['spec'], ['status', 'certificate']),
  'certificatesigningrequests.certificates.k8s.io/status': except(['spec'], ['status', 'conditions']),
  'deployments.apps/status': except(['spec'], ['metadata', 'labels']),
  'namespaces./finalize': status,
  'pods./ephemeralcontainers': only({ 'f:spec': { 'f:ephemeralContainers': 'all' } }),
  'pods./resize': only({
    'f:spec': { 'f:containers': RESOURCES_OF_CONTAINERS, 'f:initContainers': RESOURCES_OF_CONTAINERS },
  }),
  'pods./status': except(['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']),
  'apiservices.apiregistration.k8s.io/status': metadataAndSpec,
  'customresourcedefinitions.apiextensions.k8s.io/status': metadataAndSpec,
  'flowschemas.flowcontrol.apiserver.k8s.io/status': metadataAndSpec,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/status': metadataAndSpec,
  'resourceclaims.resource.k8s.io/status': metadataAndSpec,
  'servicecidrs.networking.k8s.io/status': metadataAndSpec,
  'validatingadmissionpolicies.admissionregistration.k8s.io/status': metadataAndSpec,
  'volumeattachments.storage.k8s.io/status': metadataAndSpec,
};

/** The fields that writes of a resource or subresource reset. */
export function resetFieldsOf(
  resource: { readonly resource: string; readonly group: string; readonly isCustom: boolean },
  subresource: string,
  hasStatus: boolean,
): ResetFields {
  const exception = EXCEPTIONS[`${resource.resource}.${resource.group}/${subresource}`];
  if (exception !== undefined) return exception;
  if (subresource === 'status') return resource.isCustom ? metadataAndSpec : spec;
  return subresource === '' && hasStatus ? status : nothing;
}
