import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { portNumberErrors } from '../../../../meta/names.js';
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from '../../../../resources/types/networking-v1.js';
import { type CauseSteps, each, invalids } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { fillEach } from '../fill.js';
import { selectorCauses } from '../label-rules.js';
import { cidrCauses, isSubnet } from './ip.js';
import { portCauses } from './port.js';

const POLICY_TYPES = ['Ingress', 'Egress'];
/** In the order of kube-apiserver's message, which is not that of other kinds. */
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];

export const networkPolicies: Partial<Strategy> = strategyFor<NetworkPolicy>({
  generation: 'content',
  *defaults({ spec }) {
    if (spec === undefined) return;
    for (const { ports } of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      yield* fillEach(ports, (port) => {
        port.protocol ??= 'TCP';
      });
    }
    if ((spec.policyTypes ?? []).length > 0) return;
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  *causes({ spec }, old): CauseSteps {
    if (spec === undefined) return;
    const accepted = old === undefined ? [] : [...rangesOf(old)];
    const peer = (item: NetworkPolicyPeer, path: string): CauseSteps => peerCauses(item, path, accepted);
    yield* selectorCauses(spec.podSelector, 'spec.podSelector');
    yield* each(spec.ingress, 'spec.ingress', function* ({ ports, from }, path): CauseSteps {
      yield* each(ports, `${path}.ports`, policyPortCauses);
      yield* each(from, `${path}.from`, peer);
    });
    yield* each(spec.egress, 'spec.egress', function* ({ ports, to }, path): CauseSteps {
      yield* each(ports, `${path}.ports`, policyPortCauses);
      yield* each(to, `${path}.to`, peer);
    });
    const types = spec.policyTypes ?? [];
    if (types.length > POLICY_TYPES.length) {
      yield fieldInvalid('spec.policyTypes', types, 'may not specify more than two policyTypes');
      return;
    }
    yield* each(types, 'spec.policyTypes', function* (type, path): CauseSteps {
      if (!POLICY_TYPES.includes(type)) yield fieldNotSupported(path, type, POLICY_TYPES);
    });
  },
});

function* rangesOf({ spec }: NetworkPolicy): Iterable<string> {
  for (const { from } of spec?.ingress ?? []) for (const peer of from ?? []) yield* rangesOfPeer(peer);
  for (const { to } of spec?.egress ?? []) for (const peer of to ?? []) yield* rangesOfPeer(peer);
}

function* rangesOfPeer({ ipBlock }: NetworkPolicyPeer): Iterable<string> {
  if (ipBlock !== undefined) yield* [ipBlock.cidr, ...(ipBlock.except ?? [])];
}

function* policyPortCauses({ protocol, port, endPort }: NetworkPolicyPort, path: string): CauseSteps {
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    yield fieldNotSupported(`${path}.protocol`, protocol, PROTOCOLS);
  }
  const endPath = `${path}.endPort`;
  if (typeof port === 'number') {
    yield* portCauses(port, `${path}.port`);
    if (endPort === undefined) return;
    if (endPort < port) yield fieldInvalid(endPath, port, 'must be greater than or equal to `port`');
    yield* invalids(endPath, endPort, portNumberErrors(endPort));
  } else if (port === undefined) {
    if (endPort !== undefined)
      yield fieldInvalid(endPath, endPort, 'may not be specified when `port` is not specified');
  } else {
    if (endPort !== undefined) yield fieldInvalid(endPath, endPort, 'may not be specified when `port` is non-numeric');
    yield* portCauses(port, `${path}.port`);
  }
}

function* peerCauses(peer: NetworkPolicyPeer, path: string, accepted: readonly string[]): CauseSteps {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  yield* selectorCauses(podSelector, `${path}.podSelector`);
  yield* selectorCauses(namespaceSelector, `${path}.namespaceSelector`);
  if (ipBlock !== undefined) yield* ipBlockCauses(ipBlock, `${path}.ipBlock`, accepted);
  if (podSelector === undefined && namespaceSelector === undefined) {
    if (ipBlock === undefined) yield fieldRequired(path, 'must specify a peer');
  } else if (ipBlock !== undefined) yield fieldForbidden(path, 'may not specify both ipBlock and another peer');
}

function* ipBlockCauses({ cidr, except }: IPBlock, path: string, accepted: readonly string[]): CauseSteps {
  if (cidr === '') {
    yield fieldRequired(`${path}.cidr`, '');
    return;
  }
  yield* cidrCauses(cidr, `${path}.cidr`, accepted);
  if ([...cidrCauses(cidr, '')].length > 0) return;
  yield* each(except, `${path}.except`, function* (range, place): CauseSteps {
    yield* cidrCauses(range, place, accepted);
    const isValid = [...cidrCauses(range, '')].length === 0;
    if (isValid && !isSubnet(range, cidr)) yield fieldInvalid(place, range, 'must be a strict subset of `cidr`');
  });
}
