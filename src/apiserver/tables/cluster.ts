import type { Lease } from '../../resources/types/coordination-v1.js';
import type {
  ComponentStatus,
  Event,
  Namespace,
  Node,
  ResourceQuota,
  ServiceAccount,
} from '../../resources/types/core-v1.js';
import type { FlowSchema, PriorityLevelConfiguration } from '../../resources/types/flowcontrol-v1.js';
import type { RuntimeClass } from '../../resources/types/node-v1.js';
import type {
  DeviceClass,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../resources/types/resource-v1.js';
import type { PriorityClass } from '../../resources/types/scheduling-v1.js';
import { age, ageOf, conditionStatus } from './cell-text.js';
import { AGE, boolean, integer, kindTable, NAME, text, wide } from './columns.js';
import type { KindTable } from './kind-table.js';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

const eventTable = kindTable<Event>(
  [
    text('Last Seen'),
    text('Type'),
    text('Reason'),
    text('Object', 'The object that this event is about.'),
    wide('Subobject'),
    wide('Source'),
    text('Message'),
    wide('First Seen'),
    wide('Count', 'The number of times this event has occurred.'),
    text('Name', '', { format: 'name', priority: 1 }),
  ],
  (event, now) => {
    const { involvedObject: about, series, source } = event;
    const first = age(event.firstTimestamp || event.eventTime, now);
    const last = event.lastTimestamp ? age(event.lastTimestamp, now) : first;
    const kind = (about?.kind ?? '').toLowerCase();
    const component = source?.component || event.reportingComponent || '';
    const instance = source?.host || event.reportingInstance || '';
    return [
      series === undefined ? last : age(series.lastObservedTime, now),
      event.type ?? '',
      event.reason ?? '',
      about?.name ? `${kind}/${about.name}` : kind,
      about?.fieldPath ?? '',
      instance === '' ? component : `${component}, ${instance}`,
      (event.message ?? '').trim(),
      first,
      series === undefined ? event.count || 1 : (series.count ?? 0),
      event.metadata.name ?? '',
    ];
  },
);

/** The tables of what a cluster consists of, by `group/Kind`. */
export const clusterTables: Readonly<Record<string, KindTable>> = {
  '/Event': eventTable,
  'events.k8s.io/Event': eventTable,
  '/Namespace': kindTable<Namespace>([NAME, text('Status', 'The status of the namespace'), AGE], (object, now) => [
    object.metadata.name,
    object.status?.phase ?? '',
    ageOf(object, now),
  ]),
  '/Node': kindTable<Node>(
    [
      NAME,
      text('Status', 'The status of the node'),
      text('Roles', 'The roles of the node'),
      AGE,
      text('Version', 'Kubelet Version reported by the node.'),
      ...['Internal-IP', 'External-IP', 'OS-Image', 'Kernel-Version', 'Container-Runtime'].map((name) => wide(name)),
    ],
    (node, now) => {
      const info = node.status?.nodeInfo;
      const kernel = info?.kernelVersion || '<unknown>';
      return [
        node.metadata.name,
        nodeStatus(node),
        nodeRoles(node),
        ageOf(node, now),
        info?.kubeletVersion ?? '',
        addressOf(node, 'InternalIP'),
        addressOf(node, 'ExternalIP'),
        info?.osImage || '<unknown>',
        info?.architecture ? `${kernel} (${info.architecture})` : kernel,
        info?.containerRuntimeVersion || '<unknown>',
      ];
    },
  ),
  '/ServiceAccount': kindTable<ServiceAccount>([NAME, AGE], (object, now) => [
    object.metadata.name,
    ageOf(object, now),
  ]),
  '/ResourceQuota': kindTable<ResourceQuota>([NAME, text('Request'), text('Limit'), AGE], (object, now) => {
    const { hard = {}, used = {} } = object.status ?? {};
    const shares = (isLimit: boolean) =>
      Object.keys(hard)
        .filter((name) => name.startsWith('limits.') === isLimit)
        .sort()
        .map((name) => `${name}: ${used[name] ?? '0'}/${hard[name]}`)
        .join(', ');
    return [object.metadata.name, shares(false), shares(true), ageOf(object, now)];
  }),
  '/ComponentStatus': kindTable<ComponentStatus>(
    [
      NAME,
      text('Status', 'Status of the component conditions'),
      text('Message', 'Message of the component conditions'),
      text('Error', 'Error of the component conditions'),
    ],
    ({ metadata, conditions }) => {
      const healthy = conditions?.find(({ type }) => type === 'Healthy');
      const status = healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy';
      return [metadata.name, status, healthy?.message ?? '', healthy?.error ?? ''];
    },
  ),
  'coordination.k8s.io/Lease': kindTable<Lease>([NAME, text('Holder'), AGE], (object, now) => [
    object.metadata.name,
    object.spec?.holderIdentity ?? '',
    ageOf(object, now),
  ]),
  'node.k8s.io/RuntimeClass': kindTable<RuntimeClass>([NAME, text('Handler'), AGE], (object, now) => [
    object.metadata.name,
    object.handler ?? '',
    ageOf(object, now),
  ]),
  'scheduling.k8s.io/PriorityClass': kindTable<PriorityClass>(
    [NAME, integer('Value'), boolean('Global-Default'), AGE, text('PreemptionPolicy')],
    (object, now) => [
      object.metadata.name,
      object.value ?? 0,
      object.globalDefault ?? false,
      ageOf(object, now),
      object.preemptionPolicy ?? '',
    ],
  ),
  'resource.k8s.io/DeviceClass': kindTable<DeviceClass>([NAME, AGE], (object, now) => [
    object.metadata.name,
    ageOf(object, now),
  ]),
  'resource.k8s.io/ResourceClaim': kindTable<ResourceClaim>([NAME, text('State'), AGE], (object, now) => [
    object.metadata.name,
    claimState(object),
    ageOf(object, now),
  ]),
  'resource.k8s.io/ResourceClaimTemplate': kindTable<ResourceClaimTemplate>([NAME, AGE], (object, now) => [
    object.metadata.name,
    ageOf(object, now),
  ]),
  'resource.k8s.io/ResourceSlice': kindTable<ResourceSlice>(
    [NAME, text('Node'), text('Driver'), text('Pool'), AGE],
    (object, now) => {
      const { metadata, spec } = object;
      return [metadata.name, spec?.nodeName ?? '', spec?.driver ?? '', spec?.pool?.name ?? '', ageOf(object, now)];
    },
  ),
  'flowcontrol.apiserver.k8s.io/FlowSchema': kindTable<FlowSchema>(
    [
      NAME,
      ...['PriorityLevel', 'MatchingPrecedence', 'DistinguisherMethod'].map((name) => text(name)),
      AGE,
      text('MissingPL'),
    ],
    (object, now) => {
      const { metadata, spec, status } = object;
      return [
        metadata.name,
        spec?.priorityLevelConfiguration?.name ?? '',
        spec?.matchingPrecedence ?? 0,
        spec?.distinguisherMethod?.type ?? '<none>',
        ageOf(object, now),
        status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
      ];
    },
  ),
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': kindTable<PriorityLevelConfiguration>(
    [
      NAME,
      ...['Type', 'NominalConcurrencyShares', 'Queues', 'HandSize', 'QueueLengthLimit'].map((name) => text(name)),
      AGE,
    ],
    (object, now) => {
      const { metadata, spec } = object;
      const limited = spec?.limited;
      const queuing = limited?.limitResponse?.queuing;
      const shares = limited === undefined ? '<none>' : (limited.nominalConcurrencyShares ?? 0);
      const queues = [queuing?.queues, queuing?.handSize, queuing?.queueLengthLimit];
      return [
        metadata.name,
        spec?.type ?? '',
        shares,
        ...queues.map((value) => (queuing === undefined ? '<none>' : (value ?? 0))),
        ageOf(object, now),
      ];
    },
  ),
};

function nodeStatus({ spec, status }: Node): string {
  const ready = conditionStatus(status?.conditions, 'Ready');
  const state = ready === undefined ? 'Unknown' : ready === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

function nodeRoles({ metadata }: Node): string {
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([label, value]) => {
    if (label.startsWith(ROLE_PREFIX)) return [label.slice(ROLE_PREFIX.length)];
    return label === ROLE_LABEL ? [value] : [];
  });
  return [...new Set(roles.filter((role) => role !== ''))].sort().join(',') || '<none>';
}

function addressOf({ status }: Node, type: string): string {
  return status?.addresses?.find((address) => address.type === type)?.address ?? '<none>';
}

function claimState({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const states = isDeleted ? ['deleted'] : [];
  if (status?.allocation !== undefined) {
    states.push('allocated');
    if ((status.reservedFor?.length ?? 0) > 0) states.push('reserved');
  } else if (!isDeleted) states.push('pending');
  return states.join(',');
}
