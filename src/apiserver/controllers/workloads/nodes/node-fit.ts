import { quantityNanos } from '../../../../meta/quantity.js';
import { labelRequirementHolds } from '../../../../meta/selectors/label-requirement.js';
import type {
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  Taint,
  Toleration,
} from '../../../../resources/types/core-v1.js';
import { containerRequests } from '../../../resources/kinds/pods/pod-resources.js';

/** What the pods of a node have requested, by the name of the resource. */
export type Usage = ReadonlyMap<string, number>;

/** Why a pod cannot run on a node, in the words of kube-scheduler; undefined if it can. */
export function misfit(pod: Pod, node: Node, usage: Usage): string | undefined {
  const tolerations = pod.spec?.tolerations ?? [];
  if (node.spec?.unschedulable === true && !tolerates(tolerations, UNSCHEDULABLE)) {
    return 'node(s) were unschedulable';
  }
  const taint = (node.spec?.taints ?? []).find(
    (one) => one.effect !== 'PreferNoSchedule' && !tolerates(tolerations, one),
  );
  if (taint !== undefined) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
  if (!matchesNode(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  const allocatable = node.status?.allocatable ?? {};
  for (const [name, amount] of requestsOf(pod)) {
    if (amount === 0) continue;
    const total = allocatable[name] === undefined ? 0 : amountOf(allocatable[name]);
    if ((usage.get(name) ?? 0) + amount > total) return name === 'pods' ? 'Too many pods' : `Insufficient ${name}`;
  }
  return undefined;
}

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Whether one of the tolerations covers a taint. */
export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some((toleration) => isToleratedBy(taint, toleration));
}

export function isToleratedBy(taint: Taint, { key = '', operator = 'Equal', value = '', effect }: Toleration): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key === '') return operator === 'Exists';
  if (key !== taint.key) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}

/** Whether the node selector and the required node affinity of a pod match a node. */
export function matchesNode({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [name, value] of Object.entries(spec?.nodeSelector ?? {})) if (labels[name] !== value) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((one) => holds(one, metadata.labels?.[one.key])) &&
    matchFields.every((one) => holds(one, one.key === 'metadata.name' ? metadata.name : undefined))
  );
}

const OPERATORS = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!', Gt: 'gt', Lt: 'lt' } as const;

function holds({ key, operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  return labelRequirementHolds({ key, operator: OPERATORS[operator], values }, value);
}

const requests = new WeakMap<Pod, ReadonlyMap<string, number>>();

/** What a pod requests: resources, and itself as one of the `pods`. */
export function requestsOf(pod: Pod): ReadonlyMap<string, number> {
  let known = requests.get(pod);
  if (known === undefined) {
    const texts = { ...containerRequests(pod.spec!), ...pod.spec?.resources?.requests };
    const amounts = Object.entries(texts).map(([name, text]) => [name, amountOf(text)] as const);
    requests.set(pod, (known = new Map([...amounts, ['pods', 1_000_000_000]])));
  }
  return known;
}

/** In billionths. */
function amountOf(text: string): number {
  return Number(quantityNanos(text));
}
