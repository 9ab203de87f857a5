import type { DefaultApiService } from '../../resources/default-object.js';
import { defaultApiServices } from '../../resources/default-objects.js';
import { KUBERNETES_ADDRESS, SERVICE_CIDR } from '../resources/kinds/network/service-addresses.js';
import { storeDefaultPolicy } from './default-policy.js';
import { type Form, leaves, type PrintedDefault, printEach, storeMissing, TIME_MARK } from './printed-objects.js';
import { API_SERVER, type ServerController, type ServerControllerContext } from './server-controller.js';

let printed: readonly PrintedDefault[] | undefined;

/** Creates the namespaces and objects that every cluster has, if they do not exist. */
export function startSystemObjects(context: ServerControllerContext): ServerController {
  printed ??= [
    ...printEach(
      ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map(named),
      namespaceForm,
      namespaceContent,
    ),
    ...printEach(PRIORITY_CLASSES, priorityClassForm, priorityClassContent),
    ...printEach([named('kubernetes')], serviceCidrForm, serviceCidrContent),
    ...printEach([named('kubernetes')], serviceForm, serviceContent),
    ...printEach(defaultApiServices, apiServiceForm, apiServiceContent),
  ];
  storeMissing(context, printed);
  storeDefaultPolicy(context);
  return { stop() {} };
}

interface Named {
  readonly name: string;
}

function named(name: string): Named {
  return { name };
}

function namespaceForm({ name }: Named): [string, () => Form] {
  const labels = { 'kubernetes.io/metadata.name': name };
  return [name, () => ({ group: '', kind: 'Namespace', resource: 'namespaces', labels, owned: { [API_SERVER]: {} } })];
}

function namespaceContent(): string {
  return ',"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}';
}

const PRIORITY_CLASSES = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'For critical pods that must stay on their node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description: 'For critical pods that may move to another node.',
  },
];

function priorityClassForm(): [string, () => Form] {
  const owned = { [API_SERVER]: leaves(['description', 'preemptionPolicy', 'value']) };
  return [
    '',
    () => ({ group: 'scheduling.k8s.io', kind: 'PriorityClass', resource: 'priorityclasses', generation: 1, owned }),
  ];
}

function priorityClassContent({ value, description }: (typeof PRIORITY_CLASSES)[number]): string {
  return content({ value, description, preemptionPolicy: 'PreemptLowerPriority' });
}

function serviceCidrForm(): [string, () => Form] {
  const owned = { [API_SERVER]: { 'f:spec': leaves(['cidrs']) } };
  return ['', () => ({ group: 'networking.k8s.io', kind: 'ServiceCIDR', resource: 'servicecidrs', owned })];
}

function serviceCidrContent(): string {
  const message = 'Kubernetes default Service CIDR is ready';
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: TIME_MARK, reason: '', message };
  return content({ spec: { cidrs: [SERVICE_CIDR] }, status: { conditions: [ready] } });
}

function serviceForm(): [string, () => Form] {
  const port = { '.': {}, ...leaves(['name', 'port', 'protocol', 'targetPort']) };
  const spec = {
    ...leaves(['clusterIP', 'internalTrafficPolicy', 'ipFamilyPolicy']),
    'f:ports': { '.': {}, 'k:{"port":443,"protocol":"TCP"}': port },
    ...leaves(['sessionAffinity', 'type']),
  };
  const make = (): Form => ({
    group: '',
    kind: 'Service',
    resource: 'services',
    namespace: 'default',
    labels: { component: 'apiserver', provider: 'kubernetes' },
    owned: { [API_SERVER]: { 'f:spec': spec } },
  });
  return ['', make];
}

function serviceContent(): string {
  return content({
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
      clusterIP: KUBERNETES_ADDRESS,
      clusterIPs: [KUBERNETES_ADDRESS],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
    status: { loadBalancer: {} },
  });
}

function apiServiceForm({ name }: DefaultApiService): [string, () => Form] {
  const isCore = name === 'v1.';
  const fields = ['group', 'groupPriorityMinimum', 'version', 'versionPriority'];
  const make = (): Form => ({
    group: 'apiregistration.k8s.io',
    kind: 'APIService',
    resource: 'apiservices',
    labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' },
    owned: { [API_SERVER]: { 'f:spec': leaves(isCore ? fields.slice(1) : fields) } },
  });
  return [String(isCore), make];
}

function apiServiceContent({ name, groupPriorityMinimum, versionPriority }: DefaultApiService): string {
  const [version = '', ...group] = name.split('.');
  const groupName = group.join('.');
  const spec = { ...(groupName === '' ? {} : { group: groupName }), version, groupPriorityMinimum, versionPriority };
  const message = 'Local APIServices are always available';
  const available = { type: 'Available', status: 'True', lastTransitionTime: TIME_MARK, reason: 'Local', message };
  return content({ spec, status: { conditions: [available] } });
}

/** Fields as they follow the metadata of a printed object. */
function content(fields: object): string {
  return `,${JSON.stringify(fields).slice(1, -1)}`;
}
