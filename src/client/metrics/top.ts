import { isNotFound } from '../../meta/errors/error-predicates.js';
import type { Abortable, KubernetesList } from '../../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { quantityNumber } from '../../meta/quantity.js';
import type { Client } from '../client.js';
import { type SelectorOptions, selectorNames } from '../options.js';
import { withHint } from '../status-hint.js';
import { metricsResources } from './metrics-resources.js';

/** Which pods or nodes. */
export interface TopOptions extends SelectorOptions, Abortable {
  /** @default all namespaces */
  readonly namespace?: string | undefined;
}

const nodeNames: OptionNames<Omit<TopOptions, 'namespace'>> = { ...abortableNames, ...selectorNames };
const podNames: OptionNames<TopOptions> = { ...nodeNames, namespace: true };

interface Usage {
  /** Cores. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
}

/** What a pod uses: the sum of its containers. */
export interface PodUsage extends Usage {
  readonly namespace: string;
  readonly name: string;
  readonly containers: readonly (Usage & { readonly name: string })[];
}

/** What a node uses. */
export interface NodeUsage extends Usage {
  readonly name: string;
  /** The part of its allocatable CPU, 1 for all of it; undefined if the node says nothing about it. */
  readonly cpuPart: number | undefined;
  /** The part of its allocatable memory. */
  readonly memoryPart: number | undefined;
}

/** See `Client.topPods`. */
export async function topPods(client: Client, options: TopOptions): Promise<PodUsage[]> {
  const { namespace, ...selection } = checkOptions('topPods', options, podNames);
  const { items } = await measured(client.forResource(metricsResources.pods, namespace).list(selection));
  return items.map(({ metadata, containers }) => {
    const each = containers.map(({ name, usage }) => ({ name, ...usageOf(usage) }));
    const sum = (of: 'cpu' | 'memory'): number => each.reduce((total, one) => total + one[of], 0);
    return {
      namespace: metadata.namespace as string,
      name: metadata.name as string,
      cpu: sum('cpu'),
      memory: sum('memory'),
      containers: each,
    };
  });
}

/** See `Client.topNodes`. */
export async function topNodes(client: Client, options: Omit<TopOptions, 'namespace'>): Promise<NodeUsage[]> {
  checkOptions('topNodes', options, nodeNames);
  const [{ items }, nodes] = await Promise.all([
    measured(client.forResource(metricsResources.nodes).list(options)),
    client.core.v1.nodes().list({ signal: options.signal }),
  ]);
  const allocatable = new Map(nodes.items.map(({ metadata, status }) => [metadata.name, status?.allocatable]));
  return items.map(({ metadata, usage }) => {
    const { cpu, memory } = usageOf(usage);
    const available = allocatable.get(metadata.name);
    return {
      name: metadata.name as string,
      cpu,
      memory,
      cpuPart: partOf(cpu, available?.cpu),
      memoryPart: partOf(memory, available?.memory),
    };
  });
}

function usageOf({ cpu, memory }: { readonly cpu?: string; readonly memory?: string }): Usage {
  return { cpu: quantityNumber(cpu ?? '0'), memory: quantityNumber(memory ?? '0') };
}

function partOf(used: number, available: string | undefined): number | undefined {
  const all = available === undefined ? 0 : quantityNumber(available);
  return all > 0 ? used / all : undefined;
}

async function measured<T>(listing: Promise<KubernetesList<T>>): Promise<KubernetesList<T>> {
  try {
    return await listing;
  } catch (error) {
    throw isNotFound(error) ? withHint(error, 'is metrics-server installed in the cluster?') : error;
  }
}
