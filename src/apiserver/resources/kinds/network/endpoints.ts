import { isDeepStrictEqual } from 'node:util';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelKeyErrors,
  portNumberErrors,
} from '../../../../meta/names.js';
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, invalids } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { fillEach } from '../fill.js';
import { addressBits, ipCauses, ipFamily } from './ip.js';
import { PROTOCOLS } from './port.js';

export const endpoints: Partial<Strategy> = strategyFor<Endpoints>({
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  createOnUpdate: true,
  *defaults({ subsets }) {
    for (const { ports } of subsets ?? []) {
      yield* fillEach(ports, (port) => {
        port.protocol ??= 'TCP';
      });
    }
  },
  *causes({ subsets }, old): CauseSteps {
    if (old !== undefined && isDeepStrictEqual(subsets, old.subsets)) return;
    yield* each(subsets, 'subsets', subsetCauses);
  },
});

function* subsetCauses({ addresses, notReadyAddresses, ports }: EndpointSubset, path: string): CauseSteps {
  if ((addresses ?? []).length + (notReadyAddresses ?? []).length === 0) {
    yield fieldRequired(path, 'must specify `addresses` or `notReadyAddresses`');
  }
  yield* each(addresses, `${path}.addresses`, addressCauses);
  yield* each(notReadyAddresses, `${path}.notReadyAddresses`, addressCauses);
  yield* each(ports, `${path}.ports`, (port, place) => portCauses(port, place, (ports ?? []).length > 1));
}

function* addressCauses({ ip, hostname = '', nodeName }: EndpointAddress, path: string): CauseSteps {
  yield* ipCauses(ip, `${path}.ip`);
  if (hostname !== '') yield* invalids(`${path}.hostname`, hostname, dns1123LabelErrors(hostname));
  if (nodeName !== undefined) yield* invalids(`${path}.nodeName`, nodeName, dns1123SubdomainErrors(nodeName));
  yield* endpointIpCauses(ip, `${path}.ip`);
}

function* portCauses(port: EndpointPort, path: string, isNamed: boolean): CauseSteps {
  const { name = '', protocol = '', appProtocol } = port;
  if (name !== '') yield* invalids(`${path}.name`, name, dns1123LabelErrors(name));
  else if (isNamed) yield fieldRequired(`${path}.name`, '');
  yield* invalids(`${path}.port`, port.port, portNumberErrors(port.port));
  if (protocol === '') yield fieldRequired(`${path}.protocol`, '');
  else if (!PROTOCOLS.includes(protocol)) yield fieldNotSupported(`${path}.protocol`, protocol, PROTOCOLS);
  if (appProtocol !== undefined) yield* invalids(`${path}.appProtocol`, appProtocol, labelKeyErrors(appProtocol));
}

/** Ranges whose addresses cannot be endpoints: their first bits, their length, and what the message calls them. */
const SPECIAL_RANGES = {
  IPv4: [
    [0x7f000000n, 8n, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    [0xa9fe0000n, 16n, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
    [0xe0000000n, 24n, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
  ],
  IPv6: [
    [1n, 128n, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    [0xfe80n << 112n, 10n, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
    [0xff02n << 112n, 16n, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
  ],
} as const;

/** Causes for an address that no endpoint can have. */
export function* endpointIpCauses(ip: string, path: string): CauseSteps {
  if ([...ipCauses(ip, path)].length > 0) {
    yield fieldInvalid(path, ip, 'must be a valid IP address');
    return;
  }
  const family = ipFamily(ip);
  const size = family === 'IPv4' ? 32n : 128n;
  const bits = addressBits(ip);
  if (bits === 0n) yield fieldInvalid(path, ip, `may not be unspecified (${ip})`);
  for (const [start, length, detail] of SPECIAL_RANGES[family]) {
    if (bits >> (size - length) === start >> (size - length)) yield fieldInvalid(path, ip, detail);
  }
}
