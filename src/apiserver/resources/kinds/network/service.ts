import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../../../meta/errors/field-cause.js';
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelKeyErrors,
  portNumberErrors,
} from '../../../../meta/names.js';
import type { Service, ServicePort, ServiceSpec } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, invalids } from '../../causes.js';
import { fields, notSupported, type Strategy, strategyFor } from '../../strategy.js';
import { fillEach } from '../fill.js';
import { labelCauses } from '../label-rules.js';
import { endpointIpCauses } from './endpoints.js';
import { cidrCauses, ipCauses, ipFamily } from './ip.js';
import { PROTOCOLS, portCauses } from './port.js';
import { allocateAddresses } from './service-addresses.js';

export const services: Partial<Strategy> = strategyFor<Service>({
  // Names with a leading digit are allowed since 1.36.
  nameErrors: dns1123LabelErrors,
  fields: fields('spec.clusterIP', 'spec.type'),
  unknownField: notSupported,
  createOnUpdate: true,
  returnsDeleted: true,
  *defaults({ spec = {}, status }) {
    spec.sessionAffinity ??= 'None';
    if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
    if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
      spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10_800 } };
    }
    spec.type ??= 'ClusterIP';
    yield* fillEach(spec.ports, (port) => {
      port.protocol ??= 'TCP';
      if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
    });
    if (isExternal(spec)) spec.externalTrafficPolicy ??= 'Cluster';
    if (usesClusterIp(spec) && isKnownType(spec)) spec.internalTrafficPolicy ??= 'Cluster';
    if (spec.type !== 'LoadBalancer') return;
    spec.allocateLoadBalancerNodePorts ??= true;
    for (const ingress of status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP';
  },
  allocate: allocateAddresses,
  prepareCreate(service) {
    service.status = { loadBalancer: {} };
  },
  canonicalize(service, old) {
    if (old !== undefined) dropFormerType(service, old);
  },
  *warnings({ metadata, spec = {} }) {
    const { type, externalIPs, externalName, trafficDistribution } = spec;
    const hasExternalIps = (externalIPs ?? []).length > 0;
    if (metadata.annotations?.[TOPOLOGY_HINTS] !== undefined) {
      yield `annotation ${TOPOLOGY_HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`;
    }
    if (type === 'ClusterIP' && spec.clusterIP === 'None') {
      if (spec.loadBalancerIP) yield 'spec.loadBalancerIP is ignored for headless services';
      if (hasExternalIps) yield 'spec.externalIPs is ignored for headless services';
      if (spec.sessionAffinity !== 'None') yield 'spec.SessionAffinity is ignored for headless services';
    } else if (hasExternalIps && type !== 'ExternalName') {
      yield 'spec.externalIPs is deprecated and may no longer be implemented in some clusters';
    }
    if (type === 'ExternalName') {
      if (hasExternalIps) yield 'spec.externalIPs is ignored when spec.type is "ExternalName"';
    } else if (externalName) yield 'spec.externalName is ignored when spec.type is not "ExternalName"';
    if (trafficDistribution === 'PreferClose') {
      yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"';
    }
  },
  causes(service, old, subresource) {
    return subresource === 'status' ? statusCauses(service, old) : serviceCauses(service, old);
  },
});

const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';

/** Whether the service is reachable from outside of the cluster. */
function isExternal(spec: ServiceSpec): boolean {
  const { type, externalIPs = [] } = spec;
  return type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && (externalIPs ?? []).length > 0);
}

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

function isKnownType({ type }: ServiceSpec): boolean {
  return TYPES.includes(type ?? '');
}

export function usesClusterIp({ type }: ServiceSpec): boolean {
  return type !== 'ExternalName';
}

export function usesNodePorts({ type }: ServiceSpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

export function needsHealthCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

export function isHeadless({ clusterIPs }: ServiceSpec): boolean {
  return clusterIPs?.length === 1 && clusterIPs[0] === 'None';
}

/** Removes the fields that the former type needed and the new one does not, unless the request changed them. */
function dropFormerType({ spec = {}, status }: Service, { spec: old = {} }: Service): void {
  const drop = (was: boolean, is: boolean, ...names: (keyof ServiceSpec)[]): void => {
    if (!was || is || names.some((name) => String(spec[name]) !== String(old[name]))) return;
    for (const name of names) delete spec[name];
  };
  const wasAddressed = usesClusterIp(old);
  drop(wasAddressed, usesClusterIp(spec), 'clusterIP', 'clusterIPs');
  drop(wasAddressed, usesClusterIp(spec), 'ipFamilies');
  drop(wasAddressed, usesClusterIp(spec), 'ipFamilyPolicy');
  if (usesNodePorts(old) && !usesNodePorts(spec)) {
    const former = new Set(nodePortsOf(old));
    if (nodePortsOf(spec).every((port) => former.has(port))) for (const port of spec.ports ?? []) delete port.nodePort;
  }
  drop(needsHealthCheck(old), needsHealthCheck(spec), 'healthCheckNodePort');
  const wasBalanced = old.type === 'LoadBalancer';
  const isBalanced = spec.type === 'LoadBalancer';
  drop(wasBalanced, isBalanced, 'allocateLoadBalancerNodePorts');
  drop(wasBalanced, isBalanced, 'loadBalancerClass');
  drop(isExternal(old), isExternal(spec), 'externalTrafficPolicy');
  if (!isBalanced && status !== undefined) status.loadBalancer = {};
}

/** The node ports of a service's ports, without the one of its health check. */
export function nodePortsOf({ ports }: ServiceSpec): number[] {
  return (ports ?? []).map(({ nodePort = 0 }) => nodePort).filter((port) => port !== 0);
}

function* serviceCauses({ metadata, spec = {} }: Service, old: Service | undefined): CauseSteps {
  if (old !== undefined) yield* changeCauses(spec, old.spec ?? {});
  const hints = metadata.annotations?.[TOPOLOGY_HINTS];
  const mode = metadata.annotations?.[TOPOLOGY_MODE];
  if (hints !== undefined && mode !== undefined && hints !== mode) {
    const detail = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`;
    yield fieldInvalid(`metadata.annotations[${TOPOLOGY_MODE}]`, mode, detail);
  }
  const { ports = [], type } = spec;
  if ((ports ?? []).length === 0 && !isHeadless(spec) && type !== 'ExternalName') yield fieldRequired('spec.ports', '');
  if (usesNodePorts(spec) && isHeadless(spec)) {
    yield fieldInvalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`);
  }
  if (type === 'ExternalName') yield* externalNameCauses(spec);
  const names = new Set<string>();
  yield* each(ports, 'spec.ports', (port, path) => servicePortCauses(port, path, ports.length > 1, names));
  yield* labelCauses(spec.selector, 'spec.selector');
  yield* affinityCauses(spec);
  yield* clusterIpCauses(spec, old?.spec);
  yield* each(spec.externalIPs, 'spec.externalIPs', function* (ip, path): CauseSteps {
    let isValid = true;
    for (const cause of ipCauses(ip, path, old?.spec?.externalIPs ?? [])) {
      isValid = false;
      yield cause;
    }
    if (isValid) yield* endpointIpCauses(ip, path);
  });
  if (!isKnownType(spec)) yield fieldNotSupported('spec.type', type, TYPES);
  if (type === 'ClusterIP') {
    yield* each(ports, 'spec.ports', function* ({ nodePort }, path): CauseSteps {
      if (nodePort) yield fieldForbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'");
    });
  }
  yield* duplicatePortCauses(ports ?? []);
  yield* sourceRangeCauses(metadata.annotations ?? {}, spec, old);
  if (spec.allocateLoadBalancerNodePorts !== undefined && type !== 'LoadBalancer') {
    yield fieldForbidden('spec.allocateLoadBalancerNodePorts', "may only be used when `type` is 'LoadBalancer'");
  }
  const { loadBalancerClass, internalTrafficPolicy, trafficDistribution } = spec;
  if (loadBalancerClass !== undefined) {
    if (type === 'LoadBalancer') {
      yield* invalids('spec.loadBalancerClass', loadBalancerClass, labelKeyErrors(loadBalancerClass));
    } else yield fieldForbidden('spec.loadBalancerClass', "may only be used when `type` is 'LoadBalancer'");
  }
  yield* externalTrafficCauses(spec);
  if (internalTrafficPolicy === undefined && isKnownType(spec) && type !== 'ExternalName') {
    yield fieldRequired('spec.internalTrafficPolicy', '');
  }
  if (internalTrafficPolicy !== undefined && !TRAFFIC_POLICIES.includes(internalTrafficPolicy)) {
    yield fieldNotSupported('spec.internalTrafficPolicy', internalTrafficPolicy, TRAFFIC_POLICIES);
  }
  if (trafficDistribution !== undefined && !TRAFFIC_DISTRIBUTIONS.includes(trafficDistribution)) {
    yield fieldNotSupported('spec.trafficDistribution', trafficDistribution, TRAFFIC_DISTRIBUTIONS);
  }
}

const TRAFFIC_POLICIES = ['Cluster', 'Local'];
const TRAFFIC_DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const IP_FAMILIES = ['IPv4', 'IPv6'];
const IP_FAMILY_POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

function* externalNameCauses({ clusterIPs, ipFamilies, ipFamilyPolicy, externalName = '' }: ServiceSpec): CauseSteps {
  const detail = 'may not be set for ExternalName services';
  if ((clusterIPs ?? []).length > 0) yield fieldForbidden('spec.clusterIPs', detail);
  if ((ipFamilies ?? []).length > 0) yield fieldForbidden('spec.ipFamilies', detail);
  if (ipFamilyPolicy !== undefined) yield fieldForbidden('spec.ipFamilyPolicy', detail);
  // A trailing dot marks the name as fully qualified.
  const name = externalName.replace(/\.$/, '');
  if (name === '') yield fieldRequired('spec.externalName', '');
  else yield* invalids('spec.externalName', name, dns1123SubdomainErrors(name));
}

function* servicePortCauses(port: ServicePort, path: string, isNamed: boolean, names: Set<string>): CauseSteps {
  const { name = '', appProtocol, protocol = '' } = port;
  if (name !== '') {
    yield* invalids(`${path}.name`, name, dns1123LabelErrors(name));
    if (names.has(name)) yield fieldDuplicate(`${path}.name`, name);
    names.add(name);
  } else if (isNamed) yield fieldRequired(`${path}.name`, '');
  yield* invalids(`${path}.port`, port.port, portNumberErrors(port.port));
  if (protocol === '') yield fieldRequired(`${path}.protocol`, '');
  else if (!PROTOCOLS.includes(protocol)) yield fieldNotSupported(`${path}.protocol`, protocol, PROTOCOLS);
  yield* portCauses(port.targetPort ?? 0, `${path}.targetPort`);
  if (appProtocol !== undefined) yield* invalids(`${path}.appProtocol`, appProtocol, labelKeyErrors(appProtocol));
}

function* affinityCauses({ sessionAffinity, sessionAffinityConfig: config }: ServiceSpec): CauseSteps {
  const path = 'spec.sessionAffinityConfig';
  if (sessionAffinity !== 'ClientIP' && sessionAffinity !== 'None') {
    yield fieldNotSupported('spec.sessionAffinity', sessionAffinity, ['ClientIP', 'None']);
  } else if (sessionAffinity === 'None') {
    if (config !== undefined) yield fieldForbidden(path, 'must not be set when session affinity is None');
  } else {
    const seconds = config?.clientIP?.timeoutSeconds ?? 0;
    if (seconds <= 0 || seconds > 86_400) {
      yield fieldInvalid(`${path}.clientIP.timeoutSeconds`, seconds, 'must be greater than 0 and less than 86400');
    }
  }
}

/** Causes for cluster IPs and IP families that do not fit together. */
export function* clusterIpCauses(spec: ServiceSpec, old: ServiceSpec | undefined): CauseSteps {
  if (spec.type === 'ExternalName') return;
  const { clusterIP = '', ipFamilyPolicy } = spec;
  const clusterIPs = spec.clusterIPs ?? [];
  const families = spec.ipFamilies ?? [];
  const path = 'spec.clusterIPs';
  if (clusterIP !== '') {
    if (clusterIPs.length === 0) yield fieldRequired(path, '');
    else if (clusterIPs[0] !== clusterIP) {
      yield fieldInvalid(path, clusterIPs, 'first value must match `clusterIP`');
    }
  } else if (clusterIPs.length > 0) {
    yield fieldInvalid(path, clusterIPs, 'must be empty when `clusterIP` is not specified');
  }
  const seen = new Set<string>();
  yield* each(families, 'spec.ipFamilies', function* (family, place): CauseSteps {
    if (!IP_FAMILIES.includes(family)) yield fieldNotSupported(place, family, IP_FAMILIES);
    if (seen.has(family)) yield fieldDuplicate(place, family);
    seen.add(family);
  });
  if (ipFamilyPolicy !== undefined && !IP_FAMILY_POLICIES.includes(ipFamilyPolicy)) {
    yield fieldNotSupported('spec.ipFamilyPolicy', ipFamilyPolicy, IP_FAMILY_POLICIES);
  }
  let areValid = true;
  for (const [at, ip] of clusterIPs.entries()) {
    if (at === 0 && ip === 'None') {
      if (clusterIPs.length === 1) continue;
      areValid = false;
      yield fieldInvalid(path, clusterIPs, "'None' must be the first and only value");
      continue;
    }
    for (const cause of ipCauses(ip, `${path}[${at}]`, old?.clusterIPs ?? [])) {
      areValid = false;
      yield cause;
    }
  }
  if (clusterIPs.length > 2) yield fieldInvalid(path, clusterIPs, 'may only hold up to 2 values');
  if (!areValid) return;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(ipFamily)).size < 2) {
    yield fieldInvalid(path, clusterIPs, 'may specify no more than one IP for each IP family');
  }
  if (isHeadless(spec)) return;
  for (const [at, ip] of clusterIPs.entries()) {
    const family = families[at];
    if (family === undefined || !IP_FAMILIES.includes(family) || ipFamily(ip) === family) continue;
    yield fieldInvalid(`${path}[${at}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${at}]\``);
  }
}

/** Causes for a change of what cannot change: the first cluster IP and IP family, and the class of a load balancer. */
function* changeCauses(spec: ServiceSpec, old: ServiceSpec): CauseSteps {
  if (spec.type !== 'ExternalName' && old.type !== 'ExternalName') {
    const isHeadlessStill = isHeadless(spec) && isHeadless(old);
    if (!isHeadlessStill) yield* setOnceCauses('clusterIPs', 'clusterIP', spec, old);
    if (!isHeadless(spec) && !isHeadless(old)) yield* setOnceCauses('ipFamilies', 'ipFamily', spec, old);
  }
  if (spec.type === 'LoadBalancer' && old.type === 'LoadBalancer' && spec.loadBalancerClass !== old.loadBalancerClass) {
    yield fieldInvalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, 'may not change once set');
  }
  if (needsHealthCheck(spec) && needsHealthCheck(old) && spec.healthCheckNodePort !== old.healthCheckNodePort) {
    yield fieldForbidden('spec.healthCheckNodePort', 'field is immutable');
  }
}

function* setOnceCauses(
  field: 'clusterIPs' | 'ipFamilies',
  word: string,
  spec: ServiceSpec,
  old: ServiceSpec,
): CauseSteps {
  const path = `spec.${field}`;
  const values: readonly string[] = spec[field] ?? [];
  const former: readonly string[] = old[field] ?? [];
  const changed = fieldInvalid(`${path}[0]`, values, 'may not change once set');
  if (values.length === former.length) {
    for (const [at, value] of former.entries()) {
      const place = field === 'clusterIPs' ? at : 0;
      if (value !== values[at]) yield fieldInvalid(`${path}[${place}]`, values, 'may not change once set');
    }
  } else if (values.length > former.length) {
    if (former.length > 0 && values[0] !== former[0]) yield changed;
  } else {
    if (values.length === 0) yield fieldInvalid(`${path}[0]`, spec[field] ?? null, `primary ${word} can not be unset`);
    else if (values[0] !== former[0]) yield changed;
    if (values.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
      const detail = `must be set to 'SingleStack' when releasing the secondary ${word}`;
      yield fieldInvalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy ?? null, detail);
    }
  }
}

function* duplicatePortCauses(ports: readonly ServicePort[]): CauseSteps {
  const nodePorts = new Set<string>();
  yield* each(ports, 'spec.ports', function* ({ nodePort, protocol }, path): CauseSteps {
    const key = `${protocol}/${nodePort}`;
    if (nodePort && nodePorts.has(key)) yield fieldDuplicate(`${path}.nodePort`, nodePort);
    if (nodePort) nodePorts.add(key);
  });
  const seen = new Set<string>();
  yield* each(ports, 'spec.ports', function* ({ port, protocol }, path): CauseSteps {
    const key = `${protocol}/${port}`;
    if (seen.has(key)) {
      // kube-apiserver prints the Go struct.
      const struct = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
      yield fieldDuplicate(path, struct);
    }
    seen.add(key);
  });
}

const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';

function* sourceRangeCauses(
  annotations: Readonly<Record<string, string>>,
  spec: ServiceSpec,
  old: Service | undefined,
): CauseSteps {
  const onlyForBalancers = "may only be used when `type` is 'LoadBalancer'";
  const ranges = spec.loadBalancerSourceRanges ?? [];
  if (ranges.length > 0) {
    // kube-apiserver writes this path with a capital letter.
    const path = 'spec.LoadBalancerSourceRanges';
    if (spec.type !== 'LoadBalancer') yield fieldForbidden(path, onlyForBalancers);
    const accepted = (old?.spec?.loadBalancerSourceRanges ?? []).map((range) => range.trim());
    yield* each(ranges, path, (range, place) => cidrCauses(range.trim(), place, accepted));
    return;
  }
  const text = annotations[SOURCE_RANGES];
  if (text === undefined) return;
  const path = `metadata.annotations[${SOURCE_RANGES}]`;
  if (spec.type !== 'LoadBalancer') yield fieldForbidden(path, onlyForBalancers);
  if (old?.metadata.annotations?.[SOURCE_RANGES] === text || text.trim() === '') return;
  for (const range of text.trim().split(',')) yield* cidrCauses(range.trim(), path);
}

function* externalTrafficCauses(spec: ServiceSpec): CauseSteps {
  const { externalTrafficPolicy, healthCheckNodePort = 0 } = spec;
  const path = 'spec.externalTrafficPolicy';
  if (!isExternal(spec)) {
    if (externalTrafficPolicy !== undefined) {
      yield fieldInvalid(path, externalTrafficPolicy, 'may only be set for externally-accessible services');
    }
  } else if (!TRAFFIC_POLICIES.includes(externalTrafficPolicy ?? '')) {
    yield fieldNotSupported(path, externalTrafficPolicy, TRAFFIC_POLICIES);
  }
  const healthPath = 'spec.healthCheckNodePort';
  if (needsHealthCheck(spec)) yield* invalids(healthPath, healthCheckNodePort, portNumberErrors(healthCheckNodePort));
  else if (healthCheckNodePort !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    yield fieldInvalid(healthPath, healthCheckNodePort, detail);
  }
}

function* statusCauses({ spec = {}, status }: Service, old: Service | undefined): CauseSteps {
  const ingress = status?.loadBalancer?.ingress ?? [];
  const path = 'status.loadBalancer.ingress';
  if (spec.type !== 'LoadBalancer' && ingress.length > 0) {
    yield fieldForbidden(path, "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  const accepted = (old?.status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip);
  yield* each(ingress, path, function* ({ ip = '', ipMode, hostname = '' }, place): CauseSteps {
    if (ip !== '') yield* ipCauses(ip, `${place}.ip`, accepted);
    if (ipMode === undefined) {
      if (ip !== '') yield fieldRequired(`${place}.ipMode`, 'must be specified when `ip` is set');
    } else if (ip === '') yield fieldForbidden(`${place}.ipMode`, 'may not be specified when `ip` is not set');
    else if (ipMode !== 'VIP' && ipMode !== 'Proxy')
      yield fieldNotSupported(`${place}.ipMode`, ipMode, ['Proxy', 'VIP']);
    if (hostname === '') return;
    yield* invalids(`${place}.hostname`, hostname, dns1123SubdomainErrors(hostname));
    if (/^[\d.]+$/.test(hostname)) {
      yield fieldInvalid(`${place}.hostname`, hostname, 'must be a DNS name, not an IP address');
    }
  });
}
