import { addQuantities, quantityNanos } from '../../../../meta/quantity.js';
import type { Container, Pod, PodSpec } from '../../../../resources/types/core-v1.js';

/** Amounts by the name of their resource. */
export type Amounts = Readonly<Record<string, string>>;

/** Whether requests and limits of a whole pod may name the resource. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** Whether an init container keeps running beside the others. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

function sum(a: Amounts, b: Amounts): Record<string, string> {
  const result = { ...a };
  for (const name of Object.keys(b)) result[name] = name in a ? addQuantities(a[name]!, b[name]!) : b[name]!;
  return result;
}

function largest(a: Amounts, b: Amounts): Record<string, string> {
  const result = { ...a };
  for (const name of Object.keys(b)) {
    if (!(name in a) || quantityNanos(b[name]!) > quantityNanos(a[name]!)) result[name] = b[name]!;
  }
  return result;
}

/** What the containers of a pod need together: init containers run one by one, sidecars beside all that follow. */
function aggregate(spec: PodSpec, amountsOf: (container: Container) => Amounts): Record<string, string> {
  let total: Record<string, string> = {};
  for (const container of spec.containers ?? []) total = sum(total, amountsOf(container));
  let sidecars: Record<string, string> = {};
  let most: Record<string, string> = {};
  for (const container of spec.initContainers ?? []) {
    const amounts = amountsOf(container);
    if (isSidecar(container)) {
      total = sum(total, amounts);
      sidecars = sum(sidecars, amounts);
      most = largest(most, sidecars);
    } else most = largest(most, sum(amounts, sidecars));
  }
  return largest(total, most);
}

/** The requests of all containers of a pod together. */
export function containerRequests(spec: PodSpec): Record<string, string> {
  return aggregate(spec, ({ resources }) => resources?.requests ?? {});
}

/** The limits of all containers of a pod together. */
export function containerLimits(spec: PodSpec): Record<string, string> {
  return aggregate(spec, ({ resources }) => resources?.limits ?? {});
}

const COMPUTE = ['cpu', 'memory'] as const;

/** How reliably a pod gets its resources: by whether its containers have limits, and whether these equal the requests. */
export function qosClass({ spec }: Pod): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const holders =
    spec?.resources !== undefined
      ? [spec.resources]
      : [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ resources }) => resources ?? {});
  const requests = new Map<string, bigint>();
  const limits = new Map<string, bigint>();
  let isGuaranteed = true;
  for (const holder of holders) {
    addPositive(requests, holder.requests);
    const limited = addPositive(limits, holder.limits);
    const isPodLevel = holder === spec?.resources;
    if (limited < COMPUTE.length && (!isPodLevel || Object.keys(holder.limits ?? {}).length > 0)) isGuaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  for (const [name, amount] of requests) if (limits.get(name) !== amount) isGuaranteed = false;
  return isGuaranteed && requests.size === limits.size ? 'Guaranteed' : 'Burstable';
}

/** Adds the amounts of cpu and memory that are more than 0; returns how many there are. */
function addPositive(totals: Map<string, bigint>, amounts: Amounts | undefined): number {
  let found = 0;
  if (amounts === undefined || amounts === null) return found;
  for (const name of COMPUTE) {
    const amount = amounts[name] === undefined ? 0n : quantityNanos(amounts[name]);
    if (amount <= 0n) continue;
    totals.set(name, (totals.get(name) ?? 0n) + amount);
    found++;
  }
  return found;
}
