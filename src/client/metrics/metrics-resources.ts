import type { KubernetesObject } from '../../meta/objects.js';
import { defineResource, type Resource } from '../../meta/resource.js';

/** Amounts as quantities: `cpu` such as `250m`, `memory` such as `64Mi`. */
interface UsageQuantities {
  readonly cpu: string;
  readonly memory: string;
  readonly [resource: string]: string;
}

interface Measured extends KubernetesObject {
  /** The end of the time that was measured. */
  timestamp: string;
  /** Its length, such as `30s`. */
  window: string;
}

/** What the containers of a pod use (`metrics.k8s.io/v1beta1`). */
export interface PodMetrics extends Measured {
  containers: { readonly name: string; readonly usage: UsageQuantities }[];
}

/** What a node uses (`metrics.k8s.io/v1beta1`). */
export interface NodeMetrics extends Measured {
  usage: UsageQuantities;
}

const version = { group: 'metrics.k8s.io', version: 'v1beta1' } as const;

/** The resources of `metrics.k8s.io`, for `client.forResource(metricsResources.pods, 'default')`. */
export const metricsResources: { readonly pods: Resource<PodMetrics>; readonly nodes: Resource<NodeMetrics> } = {
  pods: defineResource<PodMetrics>({ ...version, resource: 'pods', kind: 'PodMetrics', namespaced: true }),
  nodes: defineResource<NodeMetrics>({ ...version, resource: 'nodes', kind: 'NodeMetrics', namespaced: false }),
};
