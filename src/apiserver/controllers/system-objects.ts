import type { JsonObject } from '../../meta/json-values.js';
import { finish } from '../../time/steps.js';
import { KUBERNETES_ADDRESS, SERVICE_CIDR } from '../resources/kinds/network/service-addresses.js';
import { API_SERVER, type ServerController, type ServerControllerContext } from './server-controller.js';

interface SystemObject {
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly object: JsonObject & { metadata: { name: string; labels?: Record<string, string> } };
}

const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** What kube-apiserver creates besides the namespaces, as far as clients look for it. */
const SYSTEM_OBJECTS: readonly SystemObject[] = [
  ...SYSTEM_NAMESPACES.map((name) => ({ group: '', resource: 'namespaces', object: { metadata: { name } } })),
  priorityClass('system-node-critical', 2_000_001_000, 'For critical pods that must stay on their node.'),
  priorityClass('system-cluster-critical', 2_000_000_000, 'For critical pods that may move to another node.'),
  {
    group: 'networking.k8s.io',
    resource: 'servicecidrs',
    object: { metadata: { name: 'kubernetes' }, spec: { cidrs: [SERVICE_CIDR] } },
  },
  {
    group: '',
    resource: 'services',
    namespace: 'default',
    object: {
      metadata: { name: 'kubernetes', labels: { component: 'apiserver', provider: 'kubernetes' } },
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
    },
  },
];

function priorityClass(name: string, value: number, description: string): SystemObject {
  const object = { metadata: { name }, value, description, preemptionPolicy: 'PreemptLowerPriority' };
  return { group: 'scheduling.k8s.io', resource: 'priorityclasses', object };
}

/** Creates the namespaces and objects that every cluster has, if they do not exist. */
export function startSystemObjects({ registry, writer }: ServerControllerContext): ServerController {
  for (const { group, resource: plural, namespace = '', object } of SYSTEM_OBJECTS) {
    const resource = registry.find(group, 'v1', plural)!;
    const key = namespace === '' ? object.metadata.name : `${namespace}/${object.metadata.name}`;
    if (resource.collection.get(key) !== undefined) continue;
    const track = writer.fields.update(resource, '', API_SERVER);
    finish(writer.create(resource, namespace, structuredClone(object), { track }));
    if (plural === 'servicecidrs')
      finish(writer.update(resource, '', object.metadata.name, readiness(writer.timestamp())));
  }
  return { stop() {} };
}

function readiness(lastTransitionTime: string): Parameters<ServerControllerContext['writer']['update']>[3] {
  const message = 'Kubernetes default Service CIDR is ready';
  const ready = { type: 'Ready', status: 'True', lastTransitionTime, reason: '', message };
  return { change: (old) => ({ ...old, status: { conditions: [ready] } }), merge: (_old, next) => next };
}
