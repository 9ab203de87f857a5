import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
} from '../../../../meta/errors/field-cause.js';
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelKeyErrors,
  rangeErrors,
  searchDomainErrors,
} from '../../../../meta/names.js';
import { quantityNanos } from '../../../../meta/quantity.js';
import type { PodDNSConfig, PodResourceClaim, PodSpec, Volume } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, eachEntry, invalids, oneOf } from '../../causes.js';
import { labelCauses } from '../label-rules.js';
import { ipCauses } from '../network/ip.js';
import { affinityCauses, spreadCauses, tolerationCauses } from './affinity.js';
import { containerCauses, ephemeralContainerCauses, initContainerCauses } from './container.js';
import { containerLimits, containerRequests } from './pod-resources.js';
import { requirementsCauses } from './resource-rules.js';
import { allContainers, hostProcessCauses, osCauses, podSecurityCauses } from './security-context.js';
import { volumeCauses } from './volume.js';

const MAX_INT32 = 2 ** 31 - 1;

/** Causes for the spec of a pod, or of a template: then `podName` is undefined. */
export function* podSpecCauses(spec: PodSpec, podName: string | undefined, path: string): CauseSteps {
  const at = (field: keyof PodSpec): string => `${path}.${field}`;
  const volumes = new Map<string, Volume>();
  yield* volumeCauses(spec.volumes, podName, at('volumes'), volumes);
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name).filter((name) => name));
  yield* claimCauses(spec.resourceClaims, at('resourceClaims'));
  const pod = { spec, volumes, claims };
  yield* containerCauses(pod, at('containers'));
  yield* initContainerCauses(pod, at('initContainers'));
  yield* ephemeralContainerCauses(pod, at('ephemeralContainers'));
  yield* podResourceCauses(spec, claims, at('resources'));
  yield* hostNetworkCauses(spec, podName !== undefined, at('containers'));
  yield* oneOf(spec.restartPolicy, ['Always', 'OnFailure', 'Never'], at('restartPolicy'));
  const policies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
  yield* oneOf(spec.dnsPolicy, policies, at('dnsPolicy'));
  yield* labelCauses(spec.nodeSelector, at('nodeSelector'));
  yield* podSecurityCauses(spec, at('securityContext'));
  yield* affinityCauses(spec.affinity, at('affinity'));
  yield* dnsCauses(spec.dnsConfig, spec.dnsPolicy === 'None', at('dnsConfig'));
  yield* each(spec.readinessGates, at('readinessGates'), ({ conditionType }, place) =>
    invalids(`${place}.conditionType`, conditionType, labelKeyErrors(conditionType)),
  );
  yield* gateCauses(spec, at('schedulingGates'));
  yield* spreadCauses(spec.topologySpreadConstraints, at('topologySpreadConstraints'));
  yield* hostProcessCauses(spec, path);
  yield* hostUsersCauses(spec, path);
  yield* hostNameCauses(spec, path);
  yield* nameCauses(spec.serviceAccountName, at('serviceAccountName'));
  yield* nameCauses(spec.nodeName, at('nodeName'));
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined) {
    yield* invalids(at('activeDeadlineSeconds'), deadline, rangeErrors(deadline, 1, MAX_INT32));
  }
  for (const field of ['hostname', 'subdomain'] as const) {
    if (spec[field]) yield* invalids(at(field), spec[field], dns1123LabelErrors(spec[field]));
  }
  yield* tolerationCauses(spec.tolerations, at('tolerations'));
  yield* each(spec.hostAliases, at('hostAliases'), function* ({ ip, hostnames }, place) {
    yield* ipCauses(ip, `${place}.ip`);
    yield* each(hostnames, `${place}.hostnames`, (name, host) => invalids(host, name, dns1123SubdomainErrors(name)));
  });
  yield* nameCauses(spec.priorityClassName, at('priorityClassName'));
  if (spec.runtimeClassName !== undefined) {
    yield* invalids(at('runtimeClassName'), spec.runtimeClassName, dns1123SubdomainErrors(spec.runtimeClassName));
  }
  if (spec.preemptionPolicy !== undefined) {
    yield* oneOf(spec.preemptionPolicy, ['PreemptLowerPriority', 'Never'], at('preemptionPolicy'));
  }
  if (spec.overhead !== undefined) yield* requirementsCauses({ limits: spec.overhead }, new Set(), at('overhead'));
  if (spec.os !== undefined) {
    const name: string = spec.os.name;
    if (!name) yield fieldRequired(`${at('os')}.name`);
    else if (name !== 'linux' && name !== 'windows') yield fieldNotSupported(at('os'), name, ['linux', 'windows']);
    else yield* osCauses(spec, path);
  }
  yield* fileVolumeCauses(spec, path);
}

function* nameCauses(name: string | undefined, path: string): CauseSteps {
  if (name) yield* invalids(path, name, dns1123SubdomainErrors(name));
}

function* claimCauses(claims: readonly PodResourceClaim[] | undefined, path: string): CauseSteps {
  const names = new Set<string>();
  yield* each(claims, path, function* (claim, place) {
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    if (!name) yield fieldRequired(`${place}.name`);
    else if (names.has(name)) yield fieldDuplicate(`${place}.name`, name);
    else {
      yield* invalids(`${place}.name`, name, dns1123LabelErrors(name));
      names.add(name);
    }
    // The internal type of kube-apiserver, by its Go names.
    const internal = {
      Name: name,
      ResourceClaimName: resourceClaimName ?? null,
      ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
    };
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      const rule = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      yield fieldInvalid(place, internal, rule);
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      const rule = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
      yield fieldInvalid(place, internal, rule);
    }
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
      const reference = claim[field];
      if (reference !== undefined) yield* invalids(`${place}.${field}`, reference, dns1123SubdomainErrors(reference));
    }
  });
}

/** Causes for resources of the whole pod that do not cover those of its containers. */
function* podResourceCauses(spec: PodSpec, claims: ReadonlySet<string>, path: string): CauseSteps {
  const { resources } = spec;
  if (resources === undefined) return;
  if (spec.os?.name === 'windows') {
    yield fieldForbidden(path, 'may not be set for a windows pod');
    return;
  }
  if (resources.claims !== undefined) {
    yield fieldForbidden(`${path}.claims`, 'claims may not be set for Resources at pod-level');
  }
  yield* requirementsCauses(resources, claims, path, 'pod');
  const { requests = {}, limits = {} } = resources;
  yield* eachEntry(containerRequests(spec), `${path}.requests`, function* (name, amount, place) {
    const ofPod = requests?.[name];
    if (ofPod === undefined || quantityNanos(amount) <= quantityNanos(ofPod)) return;
    yield fieldInvalid(place, ofPod, `must be greater than or equal to aggregate container requests of ${amount}`);
  });
  yield* eachEntry(containerLimits(spec), `${path}.limits`, function* (name, amount, place) {
    const ofPod = limits?.[name];
    if (!name.startsWith('hugepages-') || ofPod === undefined) return;
    if (quantityNanos(amount) <= quantityNanos(ofPod)) return;
    yield fieldInvalid(place, ofPod, `must be greater than or equal to aggregate container limits of ${amount}`);
  });
  yield* each(spec.containers, `${path}.containers`, (container, place) =>
    eachEntry(container.resources?.limits, place, function* (name, amount, entry) {
      const ofPod = limits?.[name];
      if (ofPod === undefined || quantityNanos(amount) <= quantityNanos(ofPod)) return;
      yield fieldInvalid(`${entry}.limits`, amount, `must be less than or equal to pod limits of ${ofPod}`);
    }),
  );
}

function* hostNetworkCauses(spec: PodSpec, isPod: boolean, path: string): CauseSteps {
  if (spec.hostNetwork !== true) return;
  yield* each(spec.containers, path, ({ ports }, place) =>
    each(ports, `${place}.ports`, function* ({ hostPort = 0, containerPort }, port) {
      if ((!isPod && hostPort === 0) || hostPort === containerPort) return;
      yield fieldInvalid(`${port}.hostPort`, hostPort, 'must match `containerPort` when `hostNetwork` is true');
    }),
  );
}

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_LENGTH = 2048;

function* dnsCauses(config: PodDNSConfig | undefined, isNone: boolean, path: string): CauseSteps {
  const nameservers = config?.nameservers ?? [];
  const searches = config?.searches ?? [];
  if (isNone && config === undefined) {
    yield fieldRequired(path, 'must provide `dnsConfig` when `dnsPolicy` is None');
    return;
  }
  if (isNone && nameservers.length === 0) {
    yield fieldRequired(`${path}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None');
    return;
  }
  if (nameservers.length > MAX_NAMESERVERS) {
    yield fieldInvalid(`${path}.nameservers`, nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`);
  }
  yield* each(nameservers, `${path}.nameservers`, (address, place) => ipCauses(address, place));
  if (searches.length > MAX_SEARCHES) {
    yield fieldInvalid(`${path}.searches`, searches, `must not have more than ${MAX_SEARCHES} search paths`);
  }
  if (searches.join(' ').length > MAX_SEARCH_LENGTH) {
    const rule = `must not have more than ${MAX_SEARCH_LENGTH} characters (including spaces) in the search list`;
    yield fieldInvalid(`${path}.searches`, searches, rule);
  }
  yield* each(searches, `${path}.searches`, (search, place) => {
    if (search === '.') return [];
    const domain = search.replace(/\.$/, '');
    return invalids(place, domain, searchDomainErrors(domain));
  });
  yield* each(config?.options, `${path}.options`, function* ({ name }, place) {
    if (!name) yield fieldRequired(place, 'must not be empty');
  });
}

function* gateCauses({ schedulingGates }: PodSpec, path: string): CauseSteps {
  const names = new Set<string>();
  yield* each(schedulingGates, path, function* ({ name }, place) {
    yield* invalids(place, name, labelKeyErrors(name));
    if (names.has(name)) yield fieldDuplicate(place, name);
    names.add(name);
  });
}

/** Causes for a pod with its own users that shares other things with the host. */
function* hostUsersCauses(spec: PodSpec, path: string): CauseSteps {
  if (spec.hostUsers !== false) return;
  const rule = 'when `hostUsers` is false';
  if (spec.hostNetwork === true) yield fieldForbidden(`${path}.hostNetwork`, rule);
  if (spec.hostPID === true) yield fieldForbidden(`${path}.HostPID`, rule);
  if (spec.hostIPC === true) yield fieldForbidden(`${path}.HostIPC`, rule);
  for (const [{ volumeDevices }, place] of allContainers(spec, path)) {
    if ((volumeDevices ?? []).length > 0) yield fieldForbidden(`${place}.volumeDevices`, rule);
  }
}

const MAX_HOSTNAME = 64;

function* hostNameCauses(spec: PodSpec, path: string): CauseSteps {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return;
  const place = `${path}.hostnameOverride`;
  if (spec.setHostnameAsFQDN === true)
    yield fieldForbidden(place, 'may not be specified when setHostnameAsFQDN is true');
  if (spec.hostNetwork === true) yield fieldForbidden(place, 'may not be specified when hostNetwork is true');
  if (name.length > MAX_HOSTNAME) yield fieldTooLong(place, MAX_HOSTNAME);
  yield* invalids(place, name, dns1123SubdomainErrors(name));
}

/** Causes for environment variables from files in volumes that are missing, or of another type. */
function* fileVolumeCauses(spec: PodSpec, path: string): CauseSteps {
  let volumes: Map<string, Volume> | undefined;
  for (const [{ env }, container] of allContainers(spec, path)) {
    for (const [at, { valueFrom }] of (env ?? []).entries()) {
      const name = valueFrom?.fileKeyRef?.volumeName;
      if (name === undefined) continue;
      volumes ??= new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
      const place = `${container}.env[${at}].valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(name);
      if (volume === undefined) yield fieldNotFound(place, name);
      else if (volume.emptyDir === undefined) {
        yield fieldInvalid(place, name, 'referenced volume must be of type emptyDir');
      }
    }
  }
}
