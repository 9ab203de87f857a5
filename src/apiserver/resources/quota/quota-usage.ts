import type { JsonObject } from '../../../meta/json-values.js';
import { addQuantities, quantityNanos } from '../../../meta/quantity.js';
import { printGroupResource } from '../../../meta/resource.js';
import type { PersistentVolumeClaim, Pod, ResourceQuotaSpec, Service } from '../../../resources/types/core-v1.js';
import { containerLimits, containerRequests, qosClass } from '../kinds/pods/pod-resources.js';
import type { ApiResource } from '../registry.js';

/** Amounts by the name that a quota limits them by, such as `requests.cpu` or `count/jobs.batch`. */
export type Usage = Readonly<Record<string, string>>;

/** Resources of the core group that quotas count by their plain names, too. */
const PLAIN_COUNTS: ReadonlySet<string> = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
]);

const STORAGE_CLASS = '.storageclass.storage.k8s.io/';

/** What an object uses of quotas. */
export function usageOf({ groupResource, group, resource, namespaced }: ApiResource, object: JsonObject): Usage {
  if (!namespaced) return {};
  const count: Usage = { [`count/${printGroupResource(groupResource)}`]: '1' };
  if (group !== '') return count;
  const plain = PLAIN_COUNTS.has(resource) ? { ...count, [resource]: '1' } : count;
  switch (resource) {
    case 'pods':
      return { ...count, ...podUsage(object as unknown as Pod) };
    case 'services':
      return { ...plain, ...serviceUsage(object as unknown as Service) };
    case 'persistentvolumeclaims':
      return { ...plain, ...claimUsage(object as unknown as PersistentVolumeClaim) };
    default:
      return plain;
  }
}

/** A pod that has ended uses nothing but its place in the storage. */
function podUsage({ spec, status }: Pod): Usage {
  const phase = status?.phase;
  if (spec === undefined || phase === 'Succeeded' || phase === 'Failed') return {};
  const usage: Record<string, string> = { pods: '1' };
  for (const [name, amount] of Object.entries({ ...containerRequests(spec), ...spec.resources?.requests })) {
    usage[`requests.${name}`] = amount;
    if (isCompute(name)) usage[name] = amount;
  }
  for (const [name, amount] of Object.entries({ ...containerLimits(spec), ...spec.resources?.limits })) {
    if (isCompute(name)) usage[`limits.${name}`] = amount;
  }
  return usage;
}

function isCompute(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-');
}

function serviceUsage({ spec }: Service): Usage {
  const isBalanced = spec?.type === 'LoadBalancer';
  const hasNodePorts = spec?.type === 'NodePort' || (isBalanced && spec?.allocateLoadBalancerNodePorts !== false);
  return {
    'services.loadbalancers': isBalanced ? '1' : '0',
    'services.nodeports': hasNodePorts ? String(spec?.ports?.length ?? 0) : '0',
  };
}

function claimUsage({ spec }: PersistentVolumeClaim): Usage {
  const storage = spec?.resources?.requests?.['storage'] ?? '0';
  const storageClass = spec?.storageClassName ?? '';
  const ofClass =
    storageClass === ''
      ? {}
      : {
          [`${storageClass}${STORAGE_CLASS}requests.storage`]: storage,
          [`${storageClass}${STORAGE_CLASS}persistentvolumeclaims`]: '1',
        };
  return { 'requests.storage': storage, ...ofClass };
}

/** Whether the scopes of a quota include an object. Only pods have scopes. */
export function isInScope(spec: ResourceQuotaSpec, { group, resource }: ApiResource, object: JsonObject): boolean {
  const terms = [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists', values: undefined })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
  if (terms.length === 0) return true;
  if (group !== '' || resource !== 'pods') return false;
  return terms.every(({ scopeName, operator, values }) => {
    const pod = object as unknown as Pod;
    const isTerminating = (pod.spec?.activeDeadlineSeconds ?? -1) >= 0;
    switch (scopeName) {
      case 'Terminating':
        return isTerminating;
      case 'NotTerminating':
        return !isTerminating;
      case 'BestEffort':
        return qosClass(pod) === 'BestEffort';
      case 'NotBestEffort':
        return qosClass(pod) !== 'BestEffort';
      case 'PriorityClass':
        return classFits(pod.spec?.priorityClassName ?? '', operator, values ?? []);
      default:
        return false;
    }
  });
}

function classFits(name: string, operator: string, values: readonly string[]): boolean {
  if (operator === 'Exists') return name !== '';
  if (operator === 'DoesNotExist') return name === '';
  return values.includes(name) === (operator === 'In');
}

/** The part of a usage that a quota limits. */
export function limitedPart(usage: Usage, hard: Usage): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([name]) => Object.hasOwn(hard, name)));
}

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Record<string, string> {
  const sum: Record<string, string> = { ...a };
  for (const [name, amount] of Object.entries(b)) sum[name] = addQuantities(sum[name] ?? '0', amount);
  return sum;
}

/** By how much a usage grows, without what does not grow. */
export function growth(now: Usage, before: Usage): Record<string, string> {
  const grown: Record<string, string> = {};
  for (const [name, amount] of Object.entries(now)) {
    const more = quantityNanos(amount) - quantityNanos(before[name] ?? '0');
    if (more > 0n) grown[name] = before[name] === undefined ? amount : addQuantities(amount, `-${before[name]}`);
  }
  return grown;
}

/** A usage as messages show it: `cpu=1,pods=2`. */
export function printUsage(usage: Usage, names: readonly string[]): string {
  return names.map((name) => `${name}=${usage[name] ?? '0'}`).join(',');
}

/** The containers that leave out what a quota limits, as `cpu for: a,b; memory for: a`; empty if none does. */
export function missingAmounts(pod: JsonObject, hard: Usage): string {
  const { spec } = pod as unknown as Pod;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const missing: string[] = [];
  for (const name of Object.keys(hard).sort()) {
    const [, kind = 'requests', resource] = /^(?:(requests|limits)\.)?([^/]+)$/.exec(name) ?? [];
    if (resource === undefined || !isCompute(resource)) continue;
    const field = kind as 'requests' | 'limits';
    if (spec?.resources?.[field]?.[resource] !== undefined) continue;
    const without = containers.filter(({ resources }) => resources?.[field]?.[resource] === undefined);
    if (without.length > 0)
      missing.push(`${name} for: ${[...new Set(without.map((one) => one.name))].sort().join(',')}`);
  }
  return missing.join('; ');
}
