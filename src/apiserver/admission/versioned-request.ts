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
    const kind = kindOf(attributes);
    return { attributes, resource, kind, object: withType(object, kind), old: withType(old, kind) };
  }
  const { group, version, kind } = resource;
  const given = kindOf(attributes);
  const converted = function* (state: JsonObject | undefined): Steps<JsonObject | undefined> {
    const typed = withType(state, given);
    return typed && (yield* convertObject(typed, attributes.resource, resource));
  };
  return {
    attributes,
    resource,
    kind: { group, version, kind },
    object: yield* converted(object),
    old: yield* converted(old),
  };
}

/** An object with its kind and apiVersion first: a request may leave them out. */
function withType(object: JsonObject | undefined, { group, version, kind }: GroupVersionKind): JsonObject | undefined {
  if (object === undefined) return undefined;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return { kind, apiVersion: group === '' ? version : `${group}/${version}`, ...rest };
}
