import { fieldForbidden, fieldInvalid } from '../../../../meta/errors/field-cause.js';
import { dns1123SubdomainErrors, labelKeyErrors } from '../../../../meta/names.js';
import type { Container, ContainerStatus, Pod, PodSpec } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, invalids } from '../../causes.js';
import { immutableCauses } from '../label-rules.js';
import { ipCauses, ipFamily } from '../network/ip.js';

/** Sets what a write of `/status` cannot take away: the QoS class, and observed generations. */
export function keepStatusFields({ status }: Pod, { status: old }: Pod): void {
  if (status === undefined || old === undefined) return;
  if (!status.qosClass && old.qosClass !== undefined) status.qosClass = old.qosClass;
  if (!status.observedGeneration && old.observedGeneration) status.observedGeneration = old.observedGeneration;
  const generations = new Map<string, (number | undefined)[]>();
  for (const { type, observedGeneration } of old.conditions ?? []) {
    const list = generations.get(type);
    if (list === undefined) generations.set(type, [observedGeneration]);
    else list.push(observedGeneration);
  }
  for (const condition of status.conditions ?? []) {
    const generation = generations.get(condition.type)?.shift();
    if (generation && !condition.observedGeneration) condition.observedGeneration = generation;
  }
}

const SYSTEM_CONDITIONS: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized']);

/** Causes for the status of a pod. */
export function* podStatusCauses(pod: Pod, old: Pod): CauseSteps {
  const { status = {}, spec } = pod;
  const before = old.status ?? {};
  yield* each(status.conditions, 'status.conditions', function* ({ type, observedGeneration = 0 }, place) {
    if (observedGeneration < 0) {
      yield fieldInvalid(`${place}.observedGeneration`, observedGeneration, 'must be a non-negative integer');
    }
    if (!SYSTEM_CONDITIONS.has(type)) yield* invalids(`${place}.Type`, type, labelKeyErrors(type));
  });
  const nominated = status.nominatedNodeName ?? '';
  if (nominated && nominated !== before.nominatedNodeName) {
    yield* invalids('status.nominatedNodeName', nominated, dns1123SubdomainErrors(nominated));
    if (old.spec?.nodeName) {
      yield fieldForbidden('status.nominatedNodeName', 'may not be set on pods that are already bound to a node');
    }
  }
  const generation = status.observedGeneration ?? 0;
  if (generation < 0) yield fieldInvalid('status.observedGeneration', generation, 'must be a non-negative integer');
  yield* immutableCauses(status.qosClass, before.qosClass, 'status.qosClass');
  for (const [list, containers] of [
    ['containerStatuses', old.spec?.containers],
    ['initContainerStatuses', old.spec?.initContainers],
    ['ephemeralContainerStatuses', undefined],
  ] as const) {
    yield* restartCauses(status[list] ?? [], before[list] ?? [], containers, old.spec, `status.${list}`);
  }
  const claims = new Set((spec?.resourceClaims ?? []).map(({ name }) => name));
  yield* each(status.resourceClaimStatuses, 'status.resourceClaimStatuses', function* ({ name }, place) {
    if (claims.has(name)) return;
    yield fieldInvalid(`${place}.name`, name, 'must match the name of an entry in `spec.resourceClaims`');
  });
  yield* addressCauses(status.podIPs, before.podIPs, 'status.podIPs');
  const hostIPs = status.hostIPs ?? [];
  if (hostIPs.length > 0 && hostIPs[0]!.ip !== (status.hostIP ?? '')) {
    yield fieldInvalid('status.hostIPs[0].ip', hostIPs[0]!.ip, 'must be equal to `hostIP`');
  }
  yield* addressCauses(status.hostIPs, before.hostIPs, 'status.hostIPs');
}

type Addresses = readonly { ip: string }[] | undefined;

function* addressCauses(addresses: Addresses, old: Addresses, path: string): CauseSteps {
  const accepted = (old ?? []).map(({ ip }) => ip);
  yield* each(addresses, path, ({ ip }, place) => ipCauses(ip, place, accepted));
  const list = addresses ?? [];
  if (list.length < 2) return;
  if (list.length > 2 || ipFamily(list[0]!.ip) === ipFamily(list[1]!.ip)) {
    yield fieldInvalid(path, list, 'may specify no more than one IP for each IP family');
  }
}

/** Causes for containers that are reported as running after they have ended for good. */
function* restartCauses(
  statuses: readonly ContainerStatus[],
  old: readonly ContainerStatus[],
  containers: readonly Container[] | undefined,
  spec: PodSpec | undefined,
  path: string,
): CauseSteps {
  if (old.length === 0 || couldRestartAll(spec)) return;
  const present = new Map(statuses.map((status) => [status.name, status]));
  const byName = new Map((containers ?? []).map((container) => [container.name, container]));
  yield* each(old, path, function* ({ name, state }, place) {
    const next = present.get(name);
    if (state?.terminated === undefined || next === undefined || next.state?.terminated !== undefined) return;
    const container = byName.get(name);
    if (container !== undefined && restarts(container, spec, state.terminated.exitCode)) return;
    yield fieldForbidden(`${place}.state`, 'may not be transitioned to non-terminated state');
  });
}

function couldRestartAll(spec: PodSpec | undefined): boolean {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  );
}

function restarts(container: Container, spec: PodSpec | undefined, exitCode: number): boolean {
  if (container.restartPolicy !== undefined) {
    const isRuled = (container.restartPolicyRules ?? []).some(({ exitCodes }) => {
      const isListed = (exitCodes?.values ?? []).includes(exitCode);
      return exitCodes?.operator === 'In' ? isListed : exitCodes?.operator === 'NotIn' && !isListed;
    });
    if (isRuled) return true;
  }
  const policy = container.restartPolicy ?? spec?.restartPolicy;
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never';
}
