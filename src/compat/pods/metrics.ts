import { quantityNumber } from '../../meta/quantity.js';
import type { KubeConfigLike } from '../../rest/config/kubeconfig-like.js';
import { ApiClient } from '../api/api-client.js';
import type { CoreV1Api } from '../api/apis.js';
import type { V1Node, V1Pod } from '../models.js';

interface Usage {
  cpu: string;
  memory: string;
}
interface Measured {
  metadata: { name: string; selfLink: string; creationTimestamp: string };
  timestamp: string;
  window: string;
}

/** What the containers of a pod use. */
export interface PodMetric extends Measured {
  metadata: Measured['metadata'] & { namespace: string };
  containers: { name: string; usage: Usage }[];
}
/** What a node uses. */
export interface NodeMetric extends Measured {
  usage: Usage;
}
/** The metrics of pods. */
export interface PodMetricsList {
  kind: 'PodMetricsList';
  apiVersion: 'metrics.k8s.io/v1beta1';
  metadata: { selfLink: string };
  items: PodMetric[];
}
/** The metrics of nodes. */
export interface NodeMetricsList {
  kind: 'NodeMetricsList';
  apiVersion: 'metrics.k8s.io/v1beta1';
  metadata: { selfLink: string };
  items: NodeMetric[];
}

const RESOURCES = { group: 'metrics.k8s.io', version: 'v1beta1' };

/** Reads the metrics API, which metrics-server serves. */
export class Metrics {
  readonly #client: ApiClient;

  constructor(config: KubeConfigLike) {
    this.#client = new ApiClient(config);
  }

  async getNodeMetrics(): Promise<NodeMetricsList> {
    const target = { resource: { ...RESOURCES, resource: 'nodes' } };
    return (await this.#client.send({ method: 'GET', target })) as NodeMetricsList;
  }

  /** Of all namespaces, unless one is given. */
  async getPodMetrics(namespace?: string): Promise<PodMetricsList> {
    const target = { resource: { ...RESOURCES, resource: 'pods' }, namespace };
    return (await this.#client.send({ method: 'GET', target })) as PodMetricsList;
  }
}

/** What a node has, and what its running pods ask for, in cores or bytes. */
export interface ResourceUsage {
  readonly Capacity: number;
  readonly RequestTotal: number;
  readonly LimitTotal: number;
}
/** What is used, and what was asked for, in cores or bytes. */
export interface CurrentResourceUsage {
  readonly CurrentUsage: number;
  readonly RequestTotal: number;
  readonly LimitTotal: number;
}
/** A node in the result of {@link topNodes}. */
export interface NodeStatus {
  readonly Node: V1Node;
  readonly CPU: ResourceUsage;
  readonly Memory: ResourceUsage;
}
/** A container in the result of {@link topPods}. */
export interface ContainerStatus {
  readonly Container: string;
  readonly CPUUsage: CurrentResourceUsage;
  readonly MemoryUsage: CurrentResourceUsage;
}
/** A pod in the result of {@link topPods}. */
export interface PodStatus {
  readonly Pod: V1Pod;
  readonly CPU: CurrentResourceUsage;
  readonly Memory: CurrentResourceUsage;
  readonly Containers: ContainerStatus[];
}

type Amount = 'cpu' | 'memory';
type Containers = NonNullable<V1Pod['spec']>['containers'];

function asked(containers: Containers, of: 'requests' | 'limits', amount: Amount): number {
  return containers.reduce((sum, { resources }) => sum + quantityNumber(resources?.[of]?.[amount] ?? '0'), 0);
}

/** What all nodes have, and what the running pods on them ask for. */
export async function topNodes(api: CoreV1Api): Promise<NodeStatus[]> {
  const [nodes, pods] = await Promise.all([api.listNode(), api.listPodForAllNamespaces()]);
  return nodes.items.map((Node) => {
    const containers = pods.items
      .filter(({ spec, status }) => spec?.nodeName === Node.metadata?.name && status?.phase === 'Running')
      .flatMap(({ spec }) => spec?.containers ?? []);
    const usage = (amount: Amount): ResourceUsage => ({
      Capacity: quantityNumber(Node.status?.allocatable?.[amount] ?? '0'),
      RequestTotal: asked(containers, 'requests', amount),
      LimitTotal: asked(containers, 'limits', amount),
    });
    return { Node, CPU: usage('cpu'), Memory: usage('memory') };
  });
}

/** What pods and their containers use, and what they ask for. */
export async function topPods(api: CoreV1Api, metrics: Metrics, namespace?: string): Promise<PodStatus[]> {
  const listing = namespace ? api.listNamespacedPod({ namespace }) : api.listPodForAllNamespaces();
  const [measured, pods] = await Promise.all([metrics.getPodMetrics(namespace), listing]);
  const keyOf = (metadata: { name?: string | undefined; namespace?: string | undefined } = {}): string =>
    `${metadata.namespace}/${metadata.name}`;
  const byPod = new Map(measured.items.map(({ metadata, containers }) => [keyOf(metadata), containers]));
  return pods.items.map((Pod) => {
    const used = byPod.get(keyOf(Pod.metadata)) ?? [];
    const containers = Pod.spec?.containers ?? [];
    const usage = (some: Containers, amount: Amount): CurrentResourceUsage => ({
      CurrentUsage: used
        .filter(({ name }) => some.some((container) => container.name === name))
        .reduce((sum, container) => sum + quantityNumber(container.usage[amount]), 0),
      RequestTotal: asked(some, 'requests', amount),
      LimitTotal: asked(some, 'limits', amount),
    });
    const Containers = containers
      .filter(({ name }) => used.some((container) => container.name === name))
      .map((container) => ({
        Container: container.name,
        CPUUsage: usage([container], 'cpu'),
        MemoryUsage: usage([container], 'memory'),
      }));
    return { Pod, CPU: usage(containers, 'cpu'), Memory: usage(containers, 'memory'), Containers };
  });
}
