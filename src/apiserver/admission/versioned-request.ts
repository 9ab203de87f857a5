import type { JsonObject } from '../../meta/json-values.js';
import type { GroupVersionKind } from '../../meta/resource.js';
import type { Steps } from '../../time/steps.js';
import type { AdmissionRequest } from '../resources/admission.js';
import { convertObject } from '../resources/conversions.js';
import type { ApiResource } from '../resources/registry.js';
import { kindOf } from './expressions/request-variables.js';

/** A request with its objects in the version of the resource that a webhook or policy matched. */
export interface VersionedRequest {
  readonly attributes: AdmissionRequest;
  readonly resource: ApiResource;
  readonly kind: GroupVersionKind;
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
}

/** Converts the objects of a request to the version of a matched resource. */
export function* inVersionOf(attributes: AdmissionRequest, resource: ApiResource): Steps<VersionedRequest> {
  const { object, old } = attributes;
  // The kind of a subresource is the same in all versions of its resource.
  if (resource === attributes.resource || attributes.kind !== undefined) {
    return { attributes, resource, kind: kindOf(attributes), object, old };
  }
  const { group, version, kind } = resource;
  return {
    attributes,
    resource,
    kind: { group, version, kind },
    object: object && (yield* convertObject(object, attributes.resource, resource)),
    old: old && (yield* convertObject(old, attributes.resource, resource)),
  };
}
