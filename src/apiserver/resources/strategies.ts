import { setValueAt, valueAt } from '../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { dns1035LabelErrors, dns1123LabelErrors, dns1123SubdomainErrors, pathSegmentErrors } from '../../meta/names.js';
import type { ObjectMeta } from '../../meta/objects.js';
import type { StatusCause } from '../../meta/status.js';
import { completeEvent, eventConversion } from './conversions.js';
import {
  canonicalizeDefinition,
  definitionCauses,
  prepareDefinition,
  terminateDefinition,
} from './custom-resource-definition.js';
import { eventCauses, leaseCauses, newerEventCauses } from './object-rules.js';
import { bindingCauses, completeBinding, roleCauses } from './role-rules.js';

/** How a field selector sees an object: the name of the field, and its value as text. */
export type SelectableFields = Readonly<Record<string, (object: JsonObject) => string>>;

/** What field selectors see of one object. */
export function selectedFields(fields: SelectableFields, object: JsonObject): Record<string, string> {
  const values: Record<string, string> = {};
  for (const field of Object.keys(fields)) values[field] = fields[field]!(object);
  return values;
}

/**
 * What sets one resource apart from the others and is written in no OpenAPI document. Most resources are like
 * `defaultStrategy`; the table below says where they are not. The conformance suite checks it on a real server.
 */
export interface Strategy {
  /** What is wrong with a name; nothing wrong is an empty array. */
  readonly nameErrors: (name: string) => readonly string[];
  /** What field selectors may ask for besides `metadata.name` and `metadata.namespace`. */
  readonly fields: SelectableFields;
  /** Other names under which clients ask for a field: what they say, and the name in `fields` of the stored version. */
  readonly fieldAliases: Readonly<Record<string, string>>;
  /** What is answered when a field cannot be selected by. */
  readonly unknownField: (field: string) => string;
  /** What raises `metadata.generation`: nothing (there is none), any change outside metadata and status, or annotations too. */
  readonly generation: 'none' | 'content' | 'contentAndAnnotations';
  /** Whether a PUT makes an object that is not there. */
  readonly createOnUpdate: boolean;
  /** Whether a PUT may do without a resourceVersion. */
  readonly unconditionalUpdate: boolean;
  /** Whether a completed deletion is answered with the object rather than with a Status. */
  readonly returnsDeleted: boolean;
  /** What happens to dependents when a deletion does not say; `none`: the kind is never an owner. */
  readonly dependents: 'background' | 'orphan' | 'none';
  /** What of the metadata a write to `/status` may change as well. */
  readonly statusWrites: 'metadata' | 'metadataButLabels' | 'metadataButOwners' | 'statusOnly';
  /** Whether the object may go at once: the seconds to wait are asked for with what the request says. Undefined: always at once. */
  readonly gracePeriod: ((object: JsonObject, asked: number | undefined) => number) | undefined;
  /** Fills in what the server itself decides when an object is made. */
  readonly prepareCreate: (object: JsonObject) => void;
  /** Makes sure of what every stored object of the kind has, whoever writes it; `old` is the state before an update. */
  readonly canonicalize: (object: JsonObject, old: JsonObject | undefined) => void;
  /** What is wrong with an object beyond its metadata and its schema. */
  readonly causes: (object: JsonObject, old: JsonObject | undefined) => Iterable<StatusCause | undefined>;
  /** For kinds whose deletion is an affair of its own: what marks its beginning, and for how long it takes. */
  readonly termination: Termination | undefined;
}

/** How objects that hold others come to their end. */
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

/** What most resources do. */
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

/** Custom resources, whatever their definition says. */
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

/** What a reference to an object consists of, as far as selectors care. */
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
      // Only `/finalize` may change them, and it goes its own way.
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

/** The resources that are not like the others, as `deployments.apps`. @internal */
export const strategyKeys: readonly string[] = Object.keys(strategies);

/** The strategy of a built-in resource. */
export function strategyOf(group: string, resource: string): Strategy {
  return { ...defaultStrategy, ...strategies[group === '' ? resource : `${resource}.${group}`] };
}

function replicas(object: JsonObject): string {
  return text(valueAt(object, ['status', 'replicas'])) || '0';
}

/** A cron job's name gets eleven characters more in the names of its jobs. */
function cronJobNameErrors(name: string): readonly string[] {
  return name.length > 52 ? ['must be no more than 52 characters'] : dns1123SubdomainErrors(name);
}

/** What is written as text is kept as bytes, and never read as text again. */
function encodeSecret(secret: JsonObject): void {
  const text = secret['stringData'];
  delete secret['stringData'];
  secret['type'] ??= 'Opaque';
  if (!isJsonObject(text)) return;
  for (const name of Object.keys(text)) {
    setValueAt(secret, ['data', name], Buffer.from(String(text[name])).toString('base64'));
  }
}

/** A pod that runs nowhere, or runs no more, has nobody to wait for. */
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
