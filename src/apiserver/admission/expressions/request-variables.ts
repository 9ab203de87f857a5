import { valueAt } from '../../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { authorizerType, resourceCheckType } from '../../cel/check/declarations.js';
import {
  boolType,
  CelType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
} from '../../cel/check/types.js';
import { jsonValue } from '../../cel/eval/json-values.js';
import { parseDateTime } from '../../cel/eval/time.js';
import { EntryMap, type Value } from '../../cel/eval/values.js';
import { type AccessOracle, authorizerValue, resourceCheckValue } from '../../cel/functions/authorizer.js';
import type { AdmissionRequest } from '../../resources/admission.js';
import type { VersionedRequest } from '../versioned-request.js';

function struct(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return new CelType('struct', name, [], new Map(Object.entries(fields)));
}

const strings = listType(stringType);
const texts = mapType(stringType, stringType);
const kindType = struct('kubernetes.GroupVersionKind', { group: stringType, version: stringType, kind: stringType });
const resourceType = struct('kubernetes.GroupVersionResource', {
  group: stringType,
  version: stringType,
  resource: stringType,
});
const requestType = struct('kubernetes.AdmissionRequest', {
  kind: kindType,
  resource: resourceType,
  subResource: stringType,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: struct('kubernetes.UserInfo', {
    username: stringType,
    uid: stringType,
    groups: strings,
    extra: mapType(stringType, strings),
  }),
  dryRun: boolType,
  options: dynType,
});
const namespaceType = struct('kubernetes.Namespace', {
  metadata: struct('kubernetes.NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: texts,
    annotations: texts,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: strings,
  }),
  spec: struct('kubernetes.NamespaceSpec', { finalizers: strings }),
  status: struct('kubernetes.NamespaceStatus', {
    conditions: listType(
      struct('kubernetes.NamespaceCondition', {
        status: stringType,
        type: stringType,
        lastTransitionTime: timestampType,
        message: stringType,
        reason: stringType,
      }),
    ),
    phase: stringType,
  }),
});

/** The types of the variables that expressions about requests read. */
export function requestVariables(options: { readonly params: boolean; readonly authorizer: boolean }): Map<string, CelType> {
  return new Map<string, CelType>([
    ['object', dynType],
    ['oldObject', dynType],
    ['namespaceObject', namespaceType],
    ['request', requestType],
    ...(options.params ? [['params', dynType] as const] : []),
    ...(options.authorizer
      ? ([
          ['authorizer', authorizerType],
          ['authorizer.requestResource', resourceCheckType],
        ] as const)
      : []),
  ]);
}

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
  const { operation, subresource, namespace, name, options, dryRun } = attributes;
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
    userInfo: userInfo(attributes),
    dryRun,
    options: options ?? null,
  };
}

/** The kind of the object of a request. */
export function kindOf({ kind, resource }: AdmissionRequest): { group: string; version: string; kind: string } {
  const own = kind ?? resource;
  return { group: own.group, version: own.version, kind: own.kind };
}

function userInfo({ user }: AdmissionRequest): JsonObject {
  const { name, uid = '', groups, extra = {} } = user;
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Timestamps are no texts here, and ownerReferences and managedFields cannot be read. */
function namespaceValue(namespace: JsonObject): Value {
  const { metadata, spec, status } = namespace;
  const value = new EntryMap();
  const shown = new EntryMap();
  for (const [field, given] of Object.entries(isJsonObject(metadata) ? metadata : {})) {
    if (field === 'managedFields' || field === 'ownerReferences') continue;
    shown.set(field, field.endsWith('Timestamp') ? parseDateTime(String(given)) : jsonValue(given));
  }
  value.set('metadata', shown);
  value.set('spec', jsonValue(spec ?? {}));
  value.set('status', jsonValue({ phase: valueAt(namespace, ['status', 'phase']), ...(isJsonObject(status) ? status : {}) }));
  return value;
}
