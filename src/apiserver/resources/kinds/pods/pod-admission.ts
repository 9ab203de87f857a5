import { isDeepStrictEqual } from 'node:util';
import { quantityNanos } from '../../../../meta/quantity.js';
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  Pod,
  PodSpec,
  Toleration,
} from '../../../../resources/types/core-v1.js';
import type { RuntimeClass } from '../../../../resources/types/node-v1.js';
import type { PriorityClass } from '../../../../resources/types/scheduling-v1.js';
import type { Cluster } from '../../cluster.js';
import { defaultPriorityClass, SYSTEM_PRIORITIES } from '../cluster/priority-class.js';
import { type Amounts, containerLimits, containerRequests } from './pod-resources.js';

/* The admission plugins of pods: LimitRanger, Priority, DefaultTolerationSeconds and RuntimeClass. */

/** Sets what a pod gets from other objects: resources, priority, tolerations, overhead. */
export function admitPod(pod: Pod, old: Pod | undefined, cluster: Cluster): void {
  const spec: PodSpec = (pod.spec ??= { containers: [] });
  if (old === undefined) {
    for (const range of limitRanges(pod, cluster)) setLimits(pod, spec, range);
    setPriority(spec, cluster);
  } else {
    spec.priority ??= old.spec?.priority;
    spec.preemptionPolicy ??= old.spec?.preemptionPolicy;
    if (spec.priority === undefined) delete spec.priority;
    if (spec.preemptionPolicy === undefined) delete spec.preemptionPolicy;
  }
  tolerateFailures(spec);
  if (old === undefined) setRuntime(spec, cluster);
}

function limitRanges({ metadata }: Pod, cluster: Cluster): readonly LimitRange[] {
  return cluster.list('', 'limitranges', metadata.namespace ?? '') as unknown as LimitRange[];
}

const LIMIT_RANGER = 'kubernetes.io/limit-ranger';

function setLimits(pod: Pod, spec: PodSpec, { spec: range }: LimitRange): void {
  let limits: Amounts = {};
  let requests: Amounts = {};
  for (const limit of range?.limits ?? []) {
    if (limit.type !== 'Container') continue;
    requests = { ...requests, ...limit.defaultRequest };
    limits = { ...limits, ...limit.default };
  }
  const notes: string[] = [];
  for (const [what, containers] of [
    ['container', spec.containers],
    ['init container', spec.initContainers],
  ] as const) {
    for (const container of containers ?? []) {
      addAmounts(container, 'requests', requests, what, notes);
      addAmounts(container, 'limits', limits, what, notes);
    }
  }
  if (notes.length === 0) return;
  const text = `LimitRanger plugin set: ${notes.join('; ')}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [LIMIT_RANGER]: text };
}

function addAmounts(
  container: Container,
  field: 'requests' | 'limits',
  amounts: Amounts,
  what: string,
  notes: string[],
): void {
  const resources = (container.resources ??= {});
  const missing = Object.keys(amounts).filter((name) => resources[field]?.[name] === undefined);
  if (missing.length === 0) return;
  resources[field] = { ...resources[field], ...Object.fromEntries(missing.map((name) => [name, amounts[name]!])) };
  notes.push(`${missing.sort().join(', ')} ${field.slice(0, -1)} for ${what} ${container.name}`);
}

function setPriority(spec: PodSpec, cluster: Cluster): void {
  const name = spec.priorityClassName ?? '';
  const found = name === '' ? defaultPriorityClass(cluster) : priorityClass(name, cluster);
  if (name !== '' && found === undefined) cluster.refuse(`no PriorityClass with name ${name} was found`);
  const priority = found?.value ?? 0;
  const policy = found === undefined ? 'PreemptLowerPriority' : found.preemptionPolicy;
  if (found?.metadata.name !== undefined) spec.priorityClassName = found.metadata.name;
  if (spec.priority !== undefined && spec.priority !== priority) {
    const rule = 'must not be provided in pod spec; priority admission controller computed';
    cluster.refuse(
      `the integer value of priority (${spec.priority}) ${rule} ${priority} from the given PriorityClass name`,
    );
  }
  spec.priority = priority;
  if (policy === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    const rule = 'must not be provided in pod spec; priority admission controller computed';
    cluster.refuse(
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${rule} ${policy} from the given PriorityClass name`,
    );
  }
  spec.preemptionPolicy = policy;
}

interface Priority extends Pick<PriorityClass, 'value' | 'preemptionPolicy'> {
  readonly metadata: { readonly name?: string | undefined };
}

function priorityClass(name: string, cluster: Cluster): Priority | undefined {
  const stored = cluster.get('scheduling.k8s.io', 'priorityclasses', name) as PriorityClass | undefined;
  if (stored !== undefined || !Object.hasOwn(SYSTEM_PRIORITIES, name)) return stored;
  return { metadata: { name }, value: SYSTEM_PRIORITIES[name]!, preemptionPolicy: 'PreemptLowerPriority' };
}

const FAILURES = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const TOLERATION_SECONDS = 300;

/** A pod stays five minutes on a node that fails, unless it says otherwise. */
function tolerateFailures(spec: PodSpec): void {
  for (const key of FAILURES) {
    const isTolerated = (spec.tolerations ?? []).some(
      (toleration) =>
        (!toleration.key || toleration.key === key) && (!toleration.effect || toleration.effect === 'NoExecute'),
    );
    if (isTolerated) continue;
    const toleration: Toleration = {
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: TOLERATION_SECONDS,
    };
    spec.tolerations = [...(spec.tolerations ?? []), toleration];
  }
}

function runtimeClass({ runtimeClassName: name }: PodSpec, cluster: Cluster): RuntimeClass | undefined {
  if (name === undefined) return undefined;
  const found = cluster.get('node.k8s.io', 'runtimeclasses', name);
  return (
    (found as RuntimeClass | undefined) ??
    cluster.refuse(`pod rejected: RuntimeClass ${JSON.stringify(name)} not found`)
  );
}

const OTHER_OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function setRuntime(spec: PodSpec, cluster: Cluster): void {
  const { overhead, scheduling } = runtimeClass(spec, cluster) ?? {};
  if (overhead?.podFixed !== undefined) {
    const isOther = spec.overhead !== undefined && !isDeepStrictEqual(spec.overhead, overhead.podFixed);
    if (isOther) cluster.refuse(OTHER_OVERHEAD);
    spec.overhead = { ...overhead.podFixed };
  }
  if (scheduling === undefined) return;
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key];
    if (own !== undefined && own !== value) {
      const names = [
        `runtimeClass.scheduling.nodeSelector[${key}] = ${value}`,
        `pod.spec.nodeSelector[${key}] = ${own}`,
      ];
      cluster.refuse(`conflict: ${names.join('; ')}`);
    }
    spec.nodeSelector = { ...spec.nodeSelector, [key]: value };
  }
  const added = (scheduling.tolerations ?? []).filter(
    (toleration) => !(spec.tolerations ?? []).some((own) => isDeepStrictEqual(own, toleration)),
  );
  if (added.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...structuredClone(added)];
}

/** Refuses a pod whose resources are out of the bounds of its namespace, or whose overhead is not that of its runtime. */
export function approvePod(pod: Pod, old: Pod | undefined, cluster: Cluster): void {
  if (old !== undefined) return;
  const { spec = { containers: [] } } = pod;
  for (const { spec: range } of limitRanges(pod, cluster)) {
    const problems = (range?.limits ?? []).flatMap((limit) => limitProblems(limit, spec));
    if (problems.length === 1) cluster.refuse(problems[0]!);
    if (problems.length > 1) cluster.refuse(`[${problems.join(', ')}]`);
  }
  if (spec.overhead !== undefined && runtimeClass(spec, cluster)?.overhead === undefined) {
    cluster.refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  }
}

function limitProblems(limit: LimitRangeItem, spec: PodSpec): string[] {
  if (limit.type === 'Pod') {
    const requests = { ...containerRequests(spec), ...spec.resources?.requests };
    return problemsOf(limit, requests, { ...containerLimits(spec), ...spec.resources?.limits });
  }
  if (limit.type !== 'Container') return [];
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return containers.flatMap(({ resources }) => problemsOf(limit, resources?.requests ?? {}, resources?.limits ?? {}));
}

function problemsOf(
  { type, min, max, maxLimitRequestRatio }: LimitRangeItem,
  requests: Amounts,
  limits: Amounts,
): string[] {
  const problems: (string | undefined)[] = [];
  for (const [name, amount] of Object.entries(min ?? {})) {
    const rule = `minimum ${name} usage per ${type} is ${amount}`;
    problems.push(boundProblem(rule, amount, requests[name], limits[name], 'request', -1n));
  }
  for (const [name, amount] of Object.entries(max ?? {})) {
    const rule = `maximum ${name} usage per ${type} is ${amount}`;
    problems.push(boundProblem(rule, amount, requests[name], limits[name], 'limit', 1n));
  }
  for (const [name, amount] of Object.entries(maxLimitRequestRatio ?? {})) {
    problems.push(
      ratioProblem(`${name} max limit to request ratio per ${type} is ${amount}`, amount, requests[name], limits[name]),
    );
  }
  return problems.filter((problem) => problem !== undefined);
}

/** The problem of an amount beyond a bound. The one that the bound is about must be there. */
function boundProblem(
  rule: string,
  bound: string,
  request: string | undefined,
  limit: string | undefined,
  first: 'request' | 'limit',
  sign: bigint,
): string | undefined {
  const amounts: [string, string | undefined][] = [
    ['request', request],
    ['limit', limit],
  ];
  if (first === 'limit') amounts.reverse();
  if (amounts[0]![1] === undefined) return `${rule}.  No ${first} is specified`;
  for (const [what, amount] of amounts) {
    if (amount !== undefined && (quantityNanos(amount) - quantityNanos(bound)) * sign > 0n) {
      return `${rule}, but ${what} is ${amount}`;
    }
  }
  return undefined;
}

function ratioProblem(
  rule: string,
  bound: string,
  request: string | undefined,
  limit: string | undefined,
): string | undefined {
  const [asked, most] = [request, limit].map((amount) => (amount === undefined ? 0n : quantityNanos(amount))) as [
    bigint,
    bigint,
  ];
  if (asked === 0n) return `${rule}, but no request is specified or request is 0`;
  if (most === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(most) / Number(asked);
  return ratio > Number(quantityNanos(bound)) / 1e9 ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
