import { isDeepStrictEqual } from 'node:util';
import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooMany,
} from '../../../../meta/errors/field-cause.js';
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelKeyErrors,
  labelValueErrors,
} from '../../../../meta/names.js';
import type { Endpoint, EndpointPort, EndpointSlice } from '../../../../resources/types/discovery-v1.js';
import { type CauseSteps, each, invalids } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { fillEach } from '../fill.js';
import { immutableCauses, labelCauses } from '../label-rules.js';
import { endpointIpCauses } from './endpoints.js';
import { ipCauses, ipFamily } from './ip.js';
import { PROTOCOLS } from './port.js';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_TOPOLOGY = 16;
const MAX_HINTS = 8;

export const endpointSlices: Partial<Strategy> = strategyFor<EndpointSlice>({
  generation: 'content',
  *defaults({ ports }) {
    yield* fillEach(ports, (port) => {
      port.name ??= '';
      port.protocol ??= 'TCP';
    });
  },
  *causes({ addressType, ports, endpoints }, old): CauseSteps {
    const type: string = addressType;
    if (type === '') yield fieldRequired('addressType', '');
    else if (!ADDRESS_TYPES.includes(type)) yield fieldNotSupported('addressType', type, ADDRESS_TYPES);
    if ((ports ?? []).length > MAX_PORTS) yield fieldTooMany('ports', ports!.length, MAX_PORTS);
    else {
      const names = new Set<string>();
      yield* each(ports, 'ports', (port, path) => portCauses(port, path, names));
    }
    if (old === undefined || !isDeepStrictEqual(endpoints, old.endpoints)) {
      if ((endpoints ?? []).length > MAX_ENDPOINTS) yield fieldTooMany('endpoints', endpoints!.length, MAX_ENDPOINTS);
      else yield* each(endpoints, 'endpoints', (endpoint, path) => endpointCauses(endpoint, type, path));
    }
    if (old !== undefined) yield* immutableCauses(type, old.addressType, 'addressType');
  },
});

function* portCauses({ name = '', protocol, appProtocol }: EndpointPort, path: string, names: Set<string>): CauseSteps {
  if (name !== '') yield* invalids(`${path}.name`, name, dns1123LabelErrors(name));
  if (names.has(name)) yield fieldDuplicate(`${path}.name`, name);
  names.add(name);
  if (!PROTOCOLS.includes(protocol ?? '')) yield fieldNotSupported(`${path}.protocol`, protocol, PROTOCOLS);
  if (appProtocol !== undefined) yield* invalids(`${path}.appProtocol`, appProtocol, labelKeyErrors(appProtocol));
}

function* endpointCauses(endpoint: Endpoint, type: string, path: string): CauseSteps {
  const { addresses = [], nodeName, deprecatedTopology = {}, hostname, hints } = endpoint;
  const addressPath = `${path}.addresses`;
  if ((addresses ?? []).length === 0) yield fieldRequired(addressPath, 'must contain at least 1 address');
  else if (addresses.length > MAX_ADDRESSES) yield fieldTooMany(addressPath, addresses.length, MAX_ADDRESSES);
  yield* each(addresses, addressPath, function* (address, place): CauseSteps {
    if (type === 'FQDN') yield* domainCauses(address, place);
    else if (type === 'IPv4' || type === 'IPv6') {
      const wrong = [...ipCauses(address, place)];
      yield* wrong;
      if (wrong.length > 0) return;
      if (ipFamily(address) !== type) yield fieldInvalid(addressPath, address, `must be an ${type} address`);
      yield* endpointIpCauses(address, place);
    }
  });
  if (nodeName !== undefined) yield* invalids(`${path}.nodeName`, nodeName, dns1123SubdomainErrors(nodeName));
  const topologyPath = `${path}.deprecatedTopology`;
  const labels = Object.keys(deprecatedTopology).length;
  if (labels > MAX_TOPOLOGY) yield fieldTooMany(topologyPath, labels, MAX_TOPOLOGY);
  yield* labelCauses(deprecatedTopology, topologyPath);
  if (hostname !== undefined) yield* invalids(`${path}.hostname`, hostname, dns1123LabelErrors(hostname));
  if (hints === undefined) return;
  yield* hintCauses(hints.forZones ?? [], `${path}.hints.forZones`, labelValueErrors);
  yield* hintCauses(hints.forNodes ?? [], `${path}.hints.forNodes`, dns1123SubdomainErrors);
}

function* hintCauses(
  hints: readonly { readonly name: string }[],
  path: string,
  errorsOf: (name: string) => readonly string[],
): CauseSteps {
  if (hints.length > MAX_HINTS) {
    yield fieldTooMany(path, hints.length, MAX_HINTS);
    return;
  }
  const names = new Set<string>();
  yield* each(hints, path, function* ({ name }, place): CauseSteps {
    if (names.has(name)) yield fieldDuplicate(`${place}.name`, name);
    names.add(name);
    yield* invalids(`${place}.name`, name, errorsOf(name));
  });
}

function* domainCauses(name: string, path: string): CauseSteps {
  const domain = name.replace(/\.$/, '');
  const errors = dns1123SubdomainErrors(domain);
  if (name === '') yield fieldRequired(path, '');
  else if (errors.length > 0) yield fieldInvalid(path, domain, errors.join(','));
  else if (!domain.includes('.')) {
    yield fieldInvalid(path, domain, 'should be a domain with at least two segments separated by dots');
  } else for (const label of domain.split('.')) yield* invalids(path, label, dns1123LabelErrors(label));
}
