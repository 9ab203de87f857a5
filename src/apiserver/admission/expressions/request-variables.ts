import type { JsonObject } from '../../../meta/json-values.js';
import { jsonValue } from '../../cel/eval/json-values.js';
import type { Value } from '../../cel/eval/values.js';
import { type AccessOracle, authorizerValue, resourceCheckValue } from '../../cel/functions/authorizer.js';
import { type AdmissionRequest, userInfo } from '../../resources/admission.js';
import type { VersionedRequest } from '../versioned-request.js';

/** What the values of variables are taken from, besides the request. */
export interface RequestContext {
  readonly oracle: AccessOracle;
  /** Undefined: the expressions have no params; null: there is none. */
  readonly params?: JsonObject | null | undefined;
  /** Undefined for a cluster-scoped object. */
  readonly namespaceObject?: JsonObject | undefined;
}

/** The values of the variables for one request. */
export function requestValues(request: VersionedRequest, context: RequestContext): Map<string, Value> {
  const { resource, subresource, namespace, name } = request.attributes;
  const { group } = resource;
  const { oracle, params, namespaceObject } = context;
  const asked = { group, resource: resource.resource, subresource, namespace, name };
  return new Map<string, Value>([
    ['object', jsonValue(request.object)],
    ['oldObject', jsonValue(request.old)],
    ['request', jsonValue(requestDocument(request))],
    ['namespaceObject', namespaceObject === undefined ? null : namespaceValue(namespaceObject)],
    ['authorizer', authorizerValue(oracle)],
    ['authorizer.requestResource', resourceCheckValue(oracle, asked)],
    ...(params === undefined ? [] : [['params', jsonValue(params)] as const]),
  ]);
}

/** The request of an AdmissionReview, without its uid and objects. */
export function requestDocument({ attributes, kind, resource }: VersionedRequest): JsonObject {
  const { operation, subresource, namespace, name, options, dryRun, user } = attributes;
  const given = attributes.resource;
  const part = subresource === '' ? {} : { subResource: subresource };
  return {
    kind,
    resource: { group: resource.group, version: resource.version, resource: resource.resource },
    ...part,
    requestKind: kindOf(attributes),
    requestResource: { group: given.group, version: given.version, resource: given.resource },
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: userInfo(user),
    dryRun,
    options: options ?? null,
  };
}

/** The kind of the object of a request. */
export function kindOf({ kind, resource }: AdmissionRequest): { group: string; version: string; kind: string } {
  const own = kind ?? resource;
  return { group: own.group, version: own.version, kind: own.kind };
}

/** What expressions can read of a namespace. Its times are texts, as on kube-apiserver. */
function namespaceValue({ metadata, spec = {}, status = {} }: JsonObject): Value {
  const { managedFields: _managedFields, ownerReferences: _ownerReferences, ...shown } = metadata as JsonObject;
  return jsonValue({ metadata: shown, spec, status });
}
