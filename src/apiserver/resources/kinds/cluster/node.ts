import { fieldDuplicate, fieldForbidden, fieldInvalid } from '../../../../meta/errors/field-cause.js';
import { valueAt } from '../../../../meta/json-paths.js';
import { labelKeyErrors, labelValueErrors } from '../../../../meta/names.js';
import type { Node, NodeSpec, Taint } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, invalids } from '../../causes.js';
import { notSupported, type Strategy, strategyFor, text } from '../../strategy.js';
import { cidrCauses, ipFamily } from '../network/ip.js';
import { effectCauses } from '../pods/affinity.js';
import { roundAll } from '../pods/pod-defaults.js';
import { amountCauses } from '../pods/resource-rules.js';

export const nodes: Partial<Strategy> = strategyFor<Node>({
  fields: { 'spec.unschedulable': (object) => text(valueAt(object, ['spec', 'unschedulable'])) || 'false' },
  unknownField: notSupported,
  createsStatus: true,
  defaults: fillNode,
  admit(node, old) {
    // Nothing runs on a new node before it is reported as ready.
    const spec = (node.spec ??= {});
    const isMarked = (spec.taints ?? []).some(({ key, effect }) => key === NOT_READY && effect === 'NoSchedule');
    if (old === undefined && !isMarked)
      spec.taints = [...(spec.taints ?? []), { key: NOT_READY, effect: 'NoSchedule' }];
  },
  causes: nodeCauses,
});

const NOT_READY = 'node.kubernetes.io/not-ready';

function fillNode({ spec, status }: Node): void {
  if (spec !== undefined) fillCidrs(spec);
  if (status === undefined) return;
  roundAll(status.capacity);
  roundAll(status.allocatable);
  if (status.allocatable === undefined && status.capacity !== undefined) status.allocatable = { ...status.capacity };
}

/** One range of addresses under two names: the older field is the first item of the list. */
function fillCidrs(spec: NodeSpec): void {
  const { podCIDR, podCIDRs } = spec;
  if (podCIDR && (podCIDRs ?? [])[0] !== podCIDR) spec.podCIDRs = [podCIDR];
  else if (!podCIDR && (podCIDRs ?? []).length > 0) spec.podCIDR = podCIDRs![0];
}

function* nodeCauses({ spec = {}, status = {} }: Node, old: Node | undefined): CauseSteps {
  for (const list of ['capacity', 'allocatable'] as const) {
    for (const [name, amount] of Object.entries(status[list] ?? {})) {
      yield* amountCauses(name, amount, `status.${list}.${name}`);
    }
  }
  yield* taintCauses(spec.taints, 'metadata.taints');
  if (old === undefined) {
    yield* podCidrCauses(spec.podCIDRs ?? []);
    return;
  }
  const addresses = new Set<string>();
  yield* each(status.addresses, 'status.addresses', function* (address, place) {
    const key = `${address.type} ${address.address}`;
    if (addresses.has(key)) yield fieldDuplicate(place, address);
    addresses.add(key);
  });
  const before = old.spec ?? {};
  const cidrs = before.podCIDRs ?? [];
  if (cidrs.length > 0 && JSON.stringify(cidrs) !== JSON.stringify(spec.podCIDRs ?? [])) {
    yield fieldForbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid');
  }
  if (before.providerID && before.providerID !== spec.providerID) {
    yield fieldForbidden('spec.providerID', 'node updates may not change providerID except from "" to valid');
  }
  if ((spec.externalID ?? '') !== (before.externalID ?? '')) {
    yield fieldForbidden('spec.externalID', 'may not be updated');
  }
}

function* podCidrCauses(cidrs: readonly string[]): CauseSteps {
  const path = 'spec.podCIDRs';
  yield* each(cidrs, path, (cidr, place) => cidrCauses(cidr, place));
  if (cidrs.length < 2) return;
  if (cidrs.length > 2 || ipFamily(cidrs[0]!) === ipFamily(cidrs[1]!)) {
    yield fieldInvalid(path, cidrs, 'may specify no more than one CIDR for each IP family');
  }
}

function* taintCauses(taints: readonly Taint[] | undefined, path: string): CauseSteps {
  const seen = new Set<string>();
  yield* each(taints, path, function* (taint, place) {
    const { key, value = '', effect } = taint;
    yield* invalids(`${place}.key`, key, labelKeyErrors(key));
    const errors = labelValueErrors(value);
    if (errors.length > 0) yield fieldInvalid(`${place}.value`, value, errors.join(';'));
    yield* effectCauses(effect, `${place}.effect`);
    const pair = `${effect} ${key}`;
    if (seen.has(pair)) {
      // The internal type of kube-apiserver, by its Go names.
      const internal = { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null };
      yield fieldDuplicate(place, internal, 'taints must be unique by key and effect pair');
    }
    seen.add(pair);
  });
}
