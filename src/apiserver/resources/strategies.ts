import type { StatusCause } from '../../meta/errors/status.js';
import { setValueAt, valueAt } from '../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { dns1035LabelErrors, dns1123LabelErrors, dns1123SubdomainErrors, pathSegmentErrors } from '../../meta/names.js';
import type { ObjectMeta } from '../../meta/objects.js';
import { completeEvent, eventConversion } from './conversions.js';
import {
  canonicalizeDefinition,
  definitionCauses,
  prepareDefinition,
  terminateDefinition,
} from './custom-resource-definition.js';
import { eventCauses, leaseCauses, newerEventCauses } from './object-rules.js';
import { bindingCauses, completeBinding, roleCauses } from './role-rules.js';

/** The fields that a selector may name, each with a function that reads its value as text. */
export type SelectableFields = Readonly<Record<string, (object: JsonObject) => string>>;

/** The values of the selectable fields of one object. */
export function selectedFields(fields: SelectableFields, object: JsonObject): Record<string, string> {
  const values: Record<string, string> = {};
  for (const field of Object.keys(fields)) values[field] = fields[field]!(object);
  return values;
}

/**
 * The behaviour of one resource that is in no OpenAPI document. Most resources have `defaultStrategy`; the table below has
 * the exceptions. The conformance suite checks them on a real server.
 */
export interface Strategy {
  /** The problems of a name; empty for a valid one. */
  readonly nameErrors: (name: string) => readonly string[];
  /** The selectable fields besides `metadata.name` and `metadata.namespace`. */
  readonly fields: SelectableFields;
  /** Other names of selectable fields, each with its name in `fields` of the stored version. */
  readonly fieldAliases: Readonly<Record<string, string>>;
  /** The message for a field that is not selectable. */
  readonly unknownField: (field: string) => string;
  /** What increments `metadata.generation`: nothing, changes outside metadata and status, or annotations too. */
  readonly generation: 'none' | 'content' | 'contentAndAnnotations';
  /** Whether a PUT creates an object that does not exist. */
  readonly createOnUpdate: boolean;
  /** Whether a PUT needs no resourceVersion. */
  readonly unconditionalUpdate: boolean;
  /** Whether the answer to a completed deletion is the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** The default propagation policy of deletions; `none`: the kind is never an owner. */
  readonly dependents: 'background' | 'orphan' | 'none';
  /** The metadata that a write to `/status` may change too. */
  readonly statusWrites: 'metadata' | 'metadataButLabels' | 'metadataButOwners' | 'statusOnly';
  /** The grace period of a deletion in seconds, given `gracePeriodSeconds` of the request. Undefined: none. */
  readonly gracePeriod: ((object: JsonObject, asked: number | undefined) => number) | undefined;
  /** Sets what the server decides when an object is created. */
  readonly prepareCreate: (object: JsonObject) => void;
  /** Sets defaults of every write; `old` is the state before an update. */
  readonly canonicalize: (object: JsonObject, old: JsonObject | undefined) => void;
  /** Causes for an object that is invalid beyond its metadata and schema. */
  readonly causes: (object: JsonObject, old: JsonObject | undefined) => Iterable<StatusCause | undefined>;
  /** For kinds with a termination phase: namespaces and definitions. */
  readonly termination: Termination | undefined;
}

/** The deletion of an object that contains others: a namespace or a definition. */
export interface Termination {
  begin(object: JsonObject, timestamp: string): void;
  isHeld(object: JsonObject): boolean;
}

const pathOf = (field: string): ((object: JsonObject) => string) => {
  const path = field.split('.');
  return (object) => text(valueAt(object, path));
};

function text(value: unknown): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

function fields(...names: readonly string[]): SelectableFields {
  return Object.fromEntries(names.map((name) => [name, pathOf(name)]));
}

const notSupported = (field: string): string => `field label not supported: ${field}`;

/** The strategy of most resources. */
const defaultStrategy: Strategy = {
  nameErrors: (name) => dns1123SubdomainErrors(name),
  fields: {},
  fieldAliases: {},
  unknownField: (field) =>
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  generation: 'none',
  createOnUpdate: false,
  unconditionalUpdate: true,
  returnsDeleted: false,
  dependents: 'background',
  statusWrites: 'metadata',
  gracePeriod: undefined,
  prepareCreate: () => {},
  canonicalize: () => {},
  causes: () => [],
  termination: undefined,
};

/** The strategy of all custom resources. */
export const customResourceStrategy: Strategy = {
  ...defaultStrategy,
  unknownField: notSupported,
  generation: 'content',
  unconditionalUpdate: false,
  statusWrites: 'statusOnly',
};

const phase =
  (name: string) =>
  (object: JsonObject): void => {
    object['status'] = { phase: name };
  };

/** The selectable fields of an object reference. */
const REFERENCE_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

const strategies: Readonly<Record<string, Partial<Strategy>>> = {
  endpoints: { createOnUpdate: true },
  events: {
    canonicalize: completeEvent,
    causes: eventCauses,
    fields: {
      ...fields('reason', 'type'),
      ...fields(...REFERENCE_FIELDS.map((field) => `involvedObject.${field}`), 'reportingComponent'),
      source: (object) => text(valueAt(object, ['source', 'component'])) || text(object['reportingComponent']),
    },
    unknownField: notSupported,
    createOnUpdate: true,
    dependents: 'none',
  },
  limitranges: { createOnUpdate: true },
  namespaces: {
    nameErrors: dns1123LabelErrors,
    fields: fields('status.phase'),
    unknownField: notSupported,
    returnsDeleted: true,
    prepareCreate(object) {
      const given = (valueAt(object, ['spec', 'finalizers']) as string[] | undefined) ?? [];
      setValueAt(object, ['spec', 'finalizers'], [...given.filter((name) => name !== 'kubernetes'), 'kubernetes']);
      object['status'] = { phase: 'Active' };
    },
    canonicalize(object, old) {
      const metadata = object['metadata'] as ObjectMeta;
      metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name ?? '' };
      // Only `/finalize` changes spec.finalizers.
      if (old !== undefined) setValueAt(object, ['spec', 'finalizers'], valueAt(old, ['spec', 'finalizers']) ?? []);
    },
    termination: {
      begin: (object) => setValueAt(object, ['status', 'phase'], 'Terminating'),
      isHeld: (object) => ((valueAt(object, ['spec', 'finalizers']) as unknown[] | undefined) ?? []).length > 0,
    },
  },
  nodes: {
    fields: { 'spec.unschedulable': (object) => text(valueAt(object, ['spec', 'unschedulable'])) || 'false' },
    unknownField: notSupported,
  },
  persistentvolumeclaims: { returnsDeleted: true, prepareCreate: phase('Pending') },
  persistentvolumes: { returnsDeleted: true, prepareCreate: phase('Pending') },
  pods: {
    fields: {
      ...fields('spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'status.phase'),
      'spec.hostNetwork': (object) => text(valueAt(object, ['spec', 'hostNetwork'])) || 'false',
      ...fields('status.nominatedNodeName'),
      'status.podIP': (object) => text(valueAt(object, ['status', 'podIP'])),
      'status.podIPs': () => '',
    },
    fieldAliases: { 'spec.host': 'spec.nodeName' },
    unknownField: notSupported,
    generation: 'content',
    returnsDeleted: true,
    statusWrites: 'metadataButOwners',
    gracePeriod: podGracePeriod,
    prepareCreate(object) {
      object['status'] = { phase: 'Pending', qosClass: qosClass(object) };
    },
  },
  podtemplates: { generation: 'content', returnsDeleted: true },
  replicationcontrollers: {
    fields: { 'status.replicas': replicas },
    unknownField: notSupported,
    generation: 'content',
    dependents: 'orphan',
  },
  resourcequotas: { returnsDeleted: true },
  secrets: { fields: fields('type'), unknownField: notSupported, canonicalize: encodeSecret },
  serviceaccounts: { returnsDeleted: true },
  services: {
    nameErrors: dns1035LabelErrors,
    fields: fields('spec.clusterIP', 'spec.type'),
    unknownField: notSupported,
    createOnUpdate: true,
    returnsDeleted: true,
    prepareCreate(object) {
      object['status'] = { loadBalancer: {} };
    },
  },

  'mutatingadmissionpolicies.admissionregistration.k8s.io': { generation: 'content', unconditionalUpdate: false },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': { generation: 'content', unconditionalUpdate: false },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': { generation: 'content', unconditionalUpdate: false },
  'validatingadmissionpolicies.admissionregistration.k8s.io': { generation: 'content', unconditionalUpdate: false },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    generation: 'content',
    unconditionalUpdate: false,
  },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': { generation: 'content', unconditionalUpdate: false },
  'customresourcedefinitions.apiextensions.k8s.io': {
    generation: 'content',
    unconditionalUpdate: false,
    prepareCreate: prepareDefinition,
    canonicalize: canonicalizeDefinition,
    causes: definitionCauses,
    termination: { begin: terminateDefinition, isHeld: () => false },
  },
  'apiservices.apiregistration.k8s.io': { unconditionalUpdate: false },
  'daemonsets.apps': { generation: 'content' },
  'deployments.apps': { generation: 'contentAndAnnotations', statusWrites: 'metadataButLabels' },
  'replicasets.apps': { generation: 'content', fields: { 'status.replicas': replicas } },
  'statefulsets.apps': { generation: 'content' },
  'cronjobs.batch': { generation: 'content', nameErrors: cronJobNameErrors, dependents: 'orphan' },
  'jobs.batch': {
    generation: 'content',
    dependents: 'orphan',
    fields: { 'status.successful': (object) => text(valueAt(object, ['status', 'succeeded'])) || '0' },
    unknownField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  },
  'certificatesigningrequests.certificates.k8s.io': { fields: fields('spec.signerName'), unknownField: notSupported },
  'leases.coordination.k8s.io': { createOnUpdate: true, unconditionalUpdate: false, causes: leaseCauses },
  'endpointslices.discovery.k8s.io': { generation: 'content' },
  'events.events.k8s.io': {
    causes: (event, old) => newerEventCauses(eventConversion.toStorage(event), old && eventConversion.toStorage(old)),
    fieldAliases: {
      reason: 'reason',
      type: 'type',
      reportingController: 'reportingComponent',
      ...Object.fromEntries(REFERENCE_FIELDS.map((field) => [`regarding.${field}`, `involvedObject.${field}`])),
    },
    unknownField: notSupported,
    createOnUpdate: true,
    dependents: 'none',
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': { generation: 'content' },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': { generation: 'content' },
  'ingressclasses.networking.k8s.io': { generation: 'content' },
  'ingresses.networking.k8s.io': {
    generation: 'content',
    prepareCreate(object) {
      object['status'] = { loadBalancer: {} };
    },
  },
  'networkpolicies.networking.k8s.io': { generation: 'content' },
  'runtimeclasses.node.k8s.io': { createOnUpdate: true, unconditionalUpdate: false },
  'poddisruptionbudgets.policy': { generation: 'content', unconditionalUpdate: false },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    nameErrors: pathSegmentErrors,
    createOnUpdate: true,
    canonicalize: completeBinding,
    causes: bindingCauses(['ClusterRole']),
  },
  'clusterroles.rbac.authorization.k8s.io': {
    nameErrors: pathSegmentErrors,
    createOnUpdate: true,
    causes: roleCauses(false),
  },
  'rolebindings.rbac.authorization.k8s.io': {
    nameErrors: pathSegmentErrors,
    createOnUpdate: true,
    canonicalize: completeBinding,
    causes: bindingCauses(['Role', 'ClusterRole']),
  },
  'roles.rbac.authorization.k8s.io': {
    nameErrors: pathSegmentErrors,
    createOnUpdate: true,
    causes: roleCauses(true),
  },
  'deviceclasses.resource.k8s.io': { generation: 'content', returnsDeleted: true },
  'resourceclaims.resource.k8s.io': { returnsDeleted: true },
  'resourceclaimtemplates.resource.k8s.io': { returnsDeleted: true },
  'resourceslices.resource.k8s.io': {
    generation: 'content',
    returnsDeleted: true,
    fields: fields('spec.nodeName', 'spec.driver'),
    unknownField: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  },
  'priorityclasses.scheduling.k8s.io': { generation: 'content' },
  'csidrivers.storage.k8s.io': { returnsDeleted: true, unconditionalUpdate: false },
  'csinodes.storage.k8s.io': { returnsDeleted: true, unconditionalUpdate: false },
  'csistoragecapacities.storage.k8s.io': { unconditionalUpdate: false },
  'storageclasses.storage.k8s.io': { returnsDeleted: true },
  'volumeattachments.storage.k8s.io': { returnsDeleted: true, unconditionalUpdate: false },
  'volumeattributesclasses.storage.k8s.io': { returnsDeleted: true },
};

/** The resources with a strategy of their own, as `deployments.apps`. @internal */
export const strategyKeys: readonly string[] = Object.keys(strategies);

/** The strategy of a built-in resource. */
export function strategyOf(group: string, resource: string): Strategy {
  return { ...defaultStrategy, ...strategies[group === '' ? resource : `${resource}.${group}`] };
}

function replicas(object: JsonObject): string {
  return text(valueAt(object, ['status', 'replicas'])) || '0';
}

/** A CronJob's name is limited to 52 characters: the names of its Jobs have eleven more. */
function cronJobNameErrors(name: string): readonly string[] {
  return name.length > 52 ? ['must be no more than 52 characters'] : dns1123SubdomainErrors(name);
}

/** Moves `stringData` of a Secret into `data`, as base64. */
function encodeSecret(secret: JsonObject): void {
  const text = secret['stringData'];
  delete secret['stringData'];
  secret['type'] ??= 'Opaque';
  if (!isJsonObject(text)) return;
  for (const name of Object.keys(text)) {
    setValueAt(secret, ['data', name], Buffer.from(String(text[name])).toString('base64'));
  }
}

/** The grace period of a pod: 0 if it is not on a node or has finished. */
function podGracePeriod(pod: JsonObject, asked: number | undefined): number {
  const wanted = asked ?? Number(valueAt(pod, ['spec', 'terminationGracePeriodSeconds']) ?? 30);
  const phase = valueAt(pod, ['status', 'phase']);
  const isIdle = text(valueAt(pod, ['spec', 'nodeName'])) === '' || phase === 'Succeeded' || phase === 'Failed';
  return isIdle ? 0 : wanted < 0 ? 1 : wanted;
}

function qosClass(pod: JsonObject): string {
  const spec = isJsonObject(pod['spec']) ? pod['spec'] : {};
  const lists = [spec['containers'], spec['initContainers']].filter(Array.isArray) as unknown[][];
  const containers = lists.flat().filter(isJsonObject);
  const amounts = containers.map((container) => {
    const limits = valueAt(container, ['resources', 'limits']);
    const requests = valueAt(container, ['resources', 'requests']);
    return {
      limits: isJsonObject(limits) ? limits : {},
      requests: isJsonObject(requests) ? requests : undefined,
    };
  });
  const isAnySet = amounts.some(
    ({ limits, requests }) => Object.keys(limits).length + Object.keys(requests ?? {}).length > 0,
  );
  if (!isAnySet) return 'BestEffort';
  const isGuaranteed = amounts.every(({ limits, requests }) =>
    ['cpu', 'memory'].every(
      (name) => limits[name] !== undefined && (requests?.[name] ?? limits[name]) === limits[name],
    ),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}
