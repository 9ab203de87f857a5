import { authorizerType, resourceCheckType } from './check/declarations.js';
import {
  boolType,
  CelType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
} from './check/types.js';

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
