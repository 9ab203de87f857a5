import { StatusError } from '../../../../meta/errors/errors.js';
import { fieldInvalid } from '../../../../meta/errors/field-cause.js';
import { internal, invalid, type StatusCause } from '../../../../meta/errors/status.js';
import { type Undo, undoOnce } from '../../../../meta/undo.js';
import type { Service, ServiceSpec } from '../../../../resources/types/core-v1.js';
import type { Clock } from '../../../../time/clock.js';
import type { Collection, Revision } from '../../../storage/storage.js';
import type { AllocationContext } from '../../strategy.js';
import { addressBits, ipFamily } from './ip.js';
import { clusterIpCauses, isHeadless, needsHealthCheck, nodePortsOf, usesClusterIp, usesNodePorts } from './service.js';

/** The range of cluster IPs. */
export const SERVICE_CIDR = '10.0.0.0/16';
const FIRST_ADDRESS = 0x0a000000;
const ADDRESSES = 65_536;
/** The address of the Service `default/kubernetes`. */
export const KUBERNETES_ADDRESS = '10.0.0.1';
const FIRST_PORT = 30_000;
const LAST_PORT = 32_767;

/** Sets the cluster IPs, IP families and node ports of a Service that is created or updated. */
export function allocateAddresses(service: Service, old: Service | undefined, context: AllocationContext): Undo {
  const spec = (service.spec ??= {});
  const refuse = (...causes: StatusCause[]): never => {
    throw new StatusError(invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', causes));
  };
  const former = old?.spec;
  if (former !== undefined) keepAllocated(spec, former);
  alignClusterIps(spec, former);
  setIpFamilies(spec, former, refuse);

  const taken = addressesOf(context.collection);
  const reserved: (number | string)[] = [];
  const reserve = (address: number | string): void => {
    taken.reserved.add(address);
    reserved.push(address);
  };
  const release = undoOnce(() => {
    for (const address of reserved) taken.reserved.delete(address);
  });
  try {
    allocateClusterIp(spec, former, { taken, reserve, refuse, clock: context.clock });
    allocateNodePorts(spec, former, { taken, reserve, refuse, clock: context.clock });
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

interface Allocation {
  readonly taken: TakenAddresses;
  readonly reserve: (address: number | string) => void;
  readonly refuse: (...causes: StatusCause[]) => never;
  readonly clock: Clock;
}

/** Copies what was allocated before and is not in the request, so that an update need not repeat it. */
function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (usesClusterIp(old) && usesClusterIp(spec)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && old.clusterIPs !== undefined) spec.clusterIPs = [...old.clusterIPs];
  }
  if (usesNodePorts(old) && usesNodePorts(spec)) {
    const present = new Set(nodePortsOf(spec));
    const kept = new Set(nodePortsOf(old).filter((port) => present.has(port)));
    const byName = new Map((old.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
    for (const port of spec.ports ?? []) {
      const nodePort = byName.get(port.name ?? '') ?? 0;
      if (!port.nodePort && nodePort !== 0 && !kept.has(nodePort)) port.nodePort = nodePort;
    }
  }
  if (needsHealthCheck(old) && needsHealthCheck(spec) && old.healthCheckNodePort !== undefined) {
    spec.healthCheckNodePort ||= old.healthCheckNodePort;
  }
}

/** Derives `clusterIPs` from `clusterIP` for clients that know the latter only. */
function alignClusterIps(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  const { clusterIP = '', clusterIPs = [] } = spec;
  if (old === undefined) {
    if (clusterIP !== '' && clusterIPs.length === 0) spec.clusterIPs = [clusterIP];
    return;
  }
  const former = old.clusterIPs ?? [];
  if (clusterIP === (old.clusterIP ?? '')) {
    if (clusterIPs.length === 0 && former.length > 0) spec.clusterIPs = [...former];
  } else if (clusterIPs.join() === former.join()) {
    if (clusterIP === '') delete spec.clusterIPs;
    else spec.clusterIPs = [clusterIP];
  }
}

/** Sets `ipFamilyPolicy` and `ipFamilies`; the server has IPv4 only. */
function setIpFamilies(spec: ServiceSpec, old: ServiceSpec | undefined, refuse: Allocation['refuse']): void {
  if (spec.type === 'ExternalName') return;
  const isOpen = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isOpen ? 'RequireDualStack' : 'SingleStack');
  const wrong = [...clusterIpCauses(spec, old)].filter((cause) => cause !== undefined);
  if (wrong.length > 0) refuse(...wrong);

  const policyPath = 'spec.ipFamilyPolicy';
  const policy = spec.ipFamilyPolicy;
  const causes: StatusCause[] = [];
  const clusterIPs = spec.clusterIPs ?? [];
  const families = [...(spec.ipFamilies ?? [])];
  if (policy === 'SingleStack') {
    const detail = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
    if (clusterIPs.length === 2) causes.push(fieldInvalid(policyPath, policy, `${detail} cluster IPs are specified`));
    if (families.length === 2) causes.push(fieldInvalid(policyPath, policy, `${detail} IP families are specified`));
  }
  for (const [at, ip] of clusterIPs.entries()) {
    if (ip === 'None' || at < families.length) continue;
    if (ipFamily(ip) === 'IPv4') families.push('IPv4');
    else causes.push(fieldInvalid(`spec.clusterIPs[${at}]`, clusterIPs, 'IPv6 is not configured on this cluster'));
  }
  if (causes.length > 0) refuse(...causes);
  if (families.length === 0) families.push('IPv4');
  if (isOpen) {
    if (families.length < 2 && policy !== 'SingleStack') families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
  } else {
    if (policy === 'RequireDualStack') {
      causes.push(fieldInvalid(policyPath, policy, 'this cluster is not configured for dual-stack services'));
    }
    for (const [at, family] of families.entries()) {
      if (family !== 'IPv4') {
        causes.push(fieldInvalid(`spec.ipFamilies[${at}]`, family, 'not configured on this cluster'));
      }
    }
    if (causes.length > 0) refuse(...causes);
  }
  spec.ipFamilies = families;
}

function allocateClusterIp(spec: ServiceSpec, old: ServiceSpec | undefined, allocation: Allocation): void {
  const isNew = old === undefined || old.type === 'ExternalName';
  if (!isNew || spec.type === 'ExternalName' || isHeadless(spec)) return;
  const { taken, reserve, refuse, clock } = allocation;
  const asked = spec.clusterIPs?.[0] ?? '';
  if (asked !== '') {
    const refuseIp = (why: string): never =>
      refuse(fieldInvalid('spec.clusterIPs', spec.clusterIPs, `failed to allocate IP ${asked}: ${why}`));
    const place = Number(addressBits(asked)) - FIRST_ADDRESS;
    if (place < 0 || place >= ADDRESSES) refuseIp('the provided network does not match the current range');
    if (taken.hasAddress(asked)) refuseIp('provided IP is already allocated');
    reserve(asked);
    return;
  }
  // The first and the last address of a range are not used.
  const ip = firstFree(ADDRESSES - 2, clock, (at) => {
    const address = addressText(FIRST_ADDRESS + 1 + at);
    return address !== KUBERNETES_ADDRESS && !taken.hasAddress(address) ? address : undefined;
  });
  if (ip === undefined) throw new StatusError(internal('failed to allocate a serviceIP: range is full'));
  reserve(ip);
  spec.clusterIP = ip;
  spec.clusterIPs = [ip];
}

function allocateNodePorts(spec: ServiceSpec, old: ServiceSpec | undefined, allocation: Allocation): void {
  const former = new Set(old === undefined ? [] : nodePortsOf(old));
  const { refuse } = allocation;
  if (usesNodePorts(spec)) {
    const mine = new Set<number>();
    // One port number over two protocols gets one node port.
    const byPort = new Map<number, number>();
    for (const [at, port] of (spec.ports ?? []).entries()) {
      const asked = port.nodePort || 0;
      if (asked === 0 && spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === false) continue;
      const shared = asked === 0 && old === undefined ? byPort.get(port.port) : undefined;
      if (shared !== undefined) port.nodePort = shared;
      else if (asked === 0) port.nodePort = anyNodePort(allocation);
      else if (!former.has(asked) && !mine.has(asked)) {
        takeNodePort(asked, allocation, (why) => refuse(fieldInvalid(`spec.ports[${at}].nodePort`, asked, why)));
      }
      mine.add(port.nodePort!);
      byPort.set(port.port, port.nodePort!);
    }
  }
  if (!needsHealthCheck(spec) || (old !== undefined && needsHealthCheck(old))) return;
  const asked = spec.healthCheckNodePort || 0;
  if (asked === 0) spec.healthCheckNodePort = anyNodePort(allocation);
  else {
    takeNodePort(asked, allocation, (why) => {
      const message = `failed to allocate requested HealthCheck NodePort ${asked}: ${why}`;
      throw new StatusError(internal(message));
    });
  }
}

function takeNodePort(port: number, { taken, reserve }: Allocation, refuse: (why: string) => never): void {
  if (port < FIRST_PORT || port > LAST_PORT) {
    refuse(`provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`);
  }
  if (taken.hasNodePort(port)) refuse('provided port is already allocated');
  reserve(port);
}

function anyNodePort({ taken, reserve, clock }: Allocation): number {
  const count = LAST_PORT - FIRST_PORT + 1;
  const port = firstFree(count, clock, (at) => (taken.hasNodePort(FIRST_PORT + at) ? undefined : FIRST_PORT + at));
  if (port === undefined) throw new StatusError(internal('failed to allocate a nodePort: range is full'));
  reserve(port);
  return port;
}

/** The first of `count` places that is free, from a random one on. */
function firstFree<T>(count: number, clock: Clock, at: (place: number) => T | undefined): T | undefined {
  const start = Math.floor(clock.random() * count);
  for (let step = 0; step < count; step++) {
    const found = at((start + step) % count);
    if (found !== undefined) return found;
  }
  return undefined;
}

function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
}

const known = new WeakMap<Collection, TakenAddresses>();

function addressesOf(collection: Collection): TakenAddresses {
  let taken = known.get(collection);
  if (taken === undefined) known.set(collection, (taken = new TakenAddresses(collection)));
  return taken;
}

/**
 * The addresses and node ports that are in use: those of the stored services, and those that writes have reserved. They are
 * read from the services again when a service has changed; what one state of a service uses is read once.
 */
class TakenAddresses {
  readonly reserved = new Set<number | string>();
  readonly #collection: Collection;
  readonly #used = new WeakMap<Revision, readonly (number | string)[]>();
  #stored: ReadonlySet<number | string> | undefined;

  constructor(collection: Collection) {
    this.#collection = collection;
    collection.subscribe(() => {
      this.#stored = undefined;
    });
  }

  hasAddress(address: string): boolean {
    return this.#has(address);
  }

  hasNodePort(port: number): boolean {
    return this.#has(port);
  }

  #has(used: number | string): boolean {
    this.#stored ??= this.#read();
    return this.reserved.has(used) || this.#stored.has(used);
  }

  #read(): ReadonlySet<number | string> {
    const stored = new Set<number | string>();
    this.#collection.scan(Number.POSITIVE_INFINITY, '', '', (revision) => {
      let used = this.#used.get(revision);
      if (used === undefined) this.#used.set(revision, (used = usedBy(revision)));
      for (const each of used) stored.add(each);
      return true;
    });
    return stored;
  }
}

function usedBy(revision: Revision): readonly (number | string)[] {
  const address = revision.fields['spec.clusterIP'] ?? '';
  const addresses = address === '' || address === 'None' ? [] : [address];
  const type = revision.fields['spec.type'];
  if (type !== 'NodePort' && type !== 'LoadBalancer') return addresses;
  const { spec = {} } = revision.decode() as unknown as Service;
  return [...addresses, ...nodePortsOf(spec), ...(spec.healthCheckNodePort ? [spec.healthCheckNodePort] : [])];
}
