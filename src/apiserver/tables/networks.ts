import type { Endpoints, Service } from '../../resources/types/core-v1.js';
import type { EndpointSlice } from '../../resources/types/discovery-v1.js';
import type {
  Ingress,
  IngressClass,
  IPAddress,
  NetworkPolicy,
  ServiceCIDR,
} from '../../resources/types/networking-v1.js';
import { ageOf, firstOf, labelsText, selectorOrNone } from './cell-text.js';
import { AGE, kindTable, NAME, text, wide } from './columns.js';
import type { KindTable } from './kind-table.js';

/** The most items that a cell lists. */
const MOST = 3;

/** The tables of services and networks, by `group/Kind`. */
export const networkTables: Readonly<Record<string, KindTable>> = {
  '/Service': kindTable<Service>(
    [NAME, ...['Type', 'Cluster-IP', 'External-IP', 'Port(s)'].map((name) => text(name)), AGE, wide('Selector')],
    (service, now) => {
      const { metadata, spec } = service;
      return [
        metadata.name,
        spec?.type ?? '',
        spec?.clusterIPs?.[0] ?? '<none>',
        externalIp(service),
        servicePorts(service) || '<none>',
        ageOf(service, now),
        labelsText(spec?.selector),
      ];
    },
  ),
  '/Endpoints': kindTable<Endpoints>([NAME, text('Endpoints'), AGE], (object, now) => [
    object.metadata.name,
    object.subsets === undefined || object.subsets.length === 0 ? '<none>' : firstOf(endpointsOf(object), MOST),
    ageOf(object, now),
  ]),
  'discovery.k8s.io/EndpointSlice': kindTable<EndpointSlice>(
    [NAME, text('AddressType'), text('Ports'), text('Endpoints'), AGE],
    (slice, now) => [
      slice.metadata.name,
      slice.addressType ?? '',
      firstOf(
        (slice.ports ?? []).map(({ port, name }) => String(port ?? name ?? '*')),
        MOST,
      ) || '<unset>',
      firstOf(
        (slice.endpoints ?? []).flatMap(({ addresses }) => addresses ?? []),
        MOST,
      ) || '<unset>',
      ageOf(slice, now),
    ],
  ),
  'networking.k8s.io/Ingress': kindTable<Ingress>(
    [NAME, text('Class'), text('Hosts'), text('Address'), text('Ports', 'Ports of TLS configurations that open'), AGE],
    (ingress, now) => {
      const { metadata, spec, status } = ingress;
      return [
        metadata.name,
        spec?.ingressClassName ?? '<none>',
        hosts(ingress),
        addresses(status?.loadBalancer?.ingress),
        (spec?.tls?.length ?? 0) > 0 ? '80, 443' : '80',
        ageOf(ingress, now),
      ];
    },
  ),
  'networking.k8s.io/IngressClass': kindTable<IngressClass>(
    [
      NAME,
      text('Controller', 'Controller that is responsible for handling this class'),
      text('Parameters', 'A reference to a resource with additional parameters'),
      AGE,
    ],
    (object, now) => {
      const { metadata, spec } = object;
      const isDefault = metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
      const { kind, apiGroup, name } = spec?.parameters ?? {};
      const parameters =
        kind === undefined ? '<none>' : `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`;
      const label = isDefault ? `${metadata.name} (default)` : metadata.name;
      return [label, spec?.controller ?? '', parameters, ageOf(object, now)];
    },
  ),
  'networking.k8s.io/NetworkPolicy': kindTable<NetworkPolicy>([NAME, text('Pod-Selector'), AGE], (object, now) => [
    object.metadata.name,
    selectorOrNone(object.spec?.podSelector ?? {}),
    ageOf(object, now),
  ]),
  'networking.k8s.io/ServiceCIDR': kindTable<ServiceCIDR>([NAME, text('CIDRs'), AGE], (object, now) => [
    object.metadata.name,
    (object.spec?.cidrs ?? []).join(','),
    ageOf(object, now),
  ]),
  // Its rows have one cell more than there are columns, the age, on kube-apiserver too.
  'networking.k8s.io/IPAddress': kindTable<IPAddress>([NAME, text('ParentRef')], (object, now) => {
    const { group, resource, namespace, name } = object.spec?.parentRef ?? {};
    const path = [`${resource ?? ''}${group ? `.${group}` : ''}`.toLowerCase(), namespace, name].filter(Boolean);
    const parent = object.spec?.parentRef === undefined ? '<none>' : path.join('/');
    return [object.metadata.name, parent, ageOf(object, now)];
  }),
};

function servicePorts({ spec }: Service): string {
  const ports = (spec?.ports ?? []).map(
    ({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol ?? ''}`,
  );
  return ports.join(',');
}

function externalIp({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer': {
      const assigned = addresses(status?.loadBalancer?.ingress);
      return [...(assigned === '' ? [] : [assigned]), ...external].join(',') || '<pending>';
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

/** The addresses of a load balancer, sorted. */
function addresses(ingress: readonly { ip?: string | undefined; hostname?: string | undefined }[] | undefined): string {
  const found = (ingress ?? []).map(({ ip, hostname }) => ip || hostname || '').filter((address) => address !== '');
  return [...new Set(found)].sort().join(',');
}

function hosts({ spec }: Ingress): string {
  const rules = spec?.rules ?? [];
  const names = rules.map(({ host }) => host ?? '');
  const first: string[] = [];
  let isMore = false;
  for (const name of names) {
    if (first.length === MOST) isMore = true;
    else if (name !== '') first.push(name);
  }
  if (first.length === 0) return '*';
  return isMore ? `${first.join(',')} + ${rules.length - MOST} more...` : first.join(',');
}

function endpointsOf({ subsets }: Endpoints): string[] {
  return (subsets ?? []).flatMap(({ addresses: found, ports }) => {
    const ips = (found ?? []).map(({ ip }) => ip);
    if (ports === undefined || ports.length === 0) return ips;
    return ports.flatMap(({ port }) => ips.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`));
  });
}
