import { isDeepStrictEqual } from 'node:util';
import type { Endpoints, Pod, Service, ServicePort } from '../../../../resources/types/core-v1.js';
import type { Endpoint, EndpointPort, EndpointSlice } from '../../../../resources/types/discovery-v1.js';
import type { Steps } from '../../../../time/steps.js';
import type { Revision } from '../../../storage/storage.js';
import { isFinished, isReady, isTerminating } from '../pod-facts.js';
import { controllerReference, keyOfObject, type WorkloadController, type World } from '../world.js';

const COMPONENT = 'endpoint-slice-controller';
const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const SLICE_MANAGER = 'endpointslice-controller.k8s.io';
const HEADLESS = 'service.kubernetes.io/headless';
const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';
const PER_SLICE = 100;
const PER_ENDPOINTS = 1000;

/** Writes the EndpointSlices and Endpoints of Services with a selector. */
export function addEndpoints(world: World): void {
  const { services, pods, nodes, endpointslices, endpoints } = world.views;

  const controller: WorkloadController = {
    name: COMPONENT,
    *reconcile(key): Steps<void> {
      const service = services.get(key);
      if (service === undefined || service.metadata.deletionTimestamp !== undefined) return;
      if (service.spec?.type === 'ExternalName' || !hasSelector(service)) return;
      const selected = pods
        .list(service.metadata.namespace ?? '')
        .filter((pod) => selects(service, pod.metadata.labels) && pod.status?.podIP && !isFinished(pod));
      yield* writeSlices(service, selected);
      yield* writeEndpoints(service, selected);
    },
  };
  world.add(controller);
  world.follow('services', controller);
  world.on('pods', (revision) => {
    for (const service of services.list(revision.namespace)) {
      if (!hasSelector(service)) continue;
      if (isConcerned(service, revision)) world.enqueue(controller, keyOfObject(service));
    }
  });
  world.on('endpointslices', (revision) => {
    const service = revision.labels[SERVICE_NAME];
    if (revision.type === 'DELETED' && service !== undefined) {
      world.enqueue(controller, `${revision.namespace}/${service}`);
    }
  });

  function isConcerned(service: Service, { labels, previous }: Revision): boolean {
    return selects(service, labels) || (previous !== undefined && selects(service, previous.labels));
  }

  function* writeSlices(service: Service, selected: readonly Pod[]): Steps<void> {
    const { namespace = '', name } = service.metadata;
    const present = endpointslices
      .ownedBy(service.metadata.uid)
      .filter(({ metadata }) => metadata.labels?.[MANAGED_BY] === SLICE_MANAGER);
    const list = selected.map((pod) => endpointOf(service, pod));
    // Pods of one service may have different numbers for a named port; the first pod decides, as most have the same.
    const ports = portsOf(service, selected[0]).map(({ name: portName = '', protocol = 'TCP', port, appProtocol }) => {
      return { name: portName, protocol, port, ...(appProtocol !== undefined && { appProtocol }) };
    });
    const labels = {
      ...service.metadata.labels,
      ...(service.spec?.clusterIP === 'None' && { [HEADLESS]: '' }),
      [MANAGED_BY]: SLICE_MANAGER,
      [SERVICE_NAME]: name,
    };
    const annotations = { [TRIGGER_TIME]: triggerTime(service, selected) };
    const count = Math.max(1, Math.ceil(list.length / PER_SLICE));
    for (let at = 0; at < count; at++) {
      const part = list.slice(at * PER_SLICE, (at + 1) * PER_SLICE);
      const slice = present[at];
      if (slice === undefined) {
        yield* world.create(endpointslices, namespace, {
          metadata: { generateName: `${name}-`, labels, annotations, ownerReferences: [controllerReference(service)] },
          addressType: 'IPv4',
          endpoints: part,
          ports,
        });
      } else if (!isSame(slice, part, ports, labels)) {
        yield* world.update(endpointslices, slice, (latest) => {
          latest.metadata.labels = labels;
          latest.metadata.annotations = { ...latest.metadata.annotations, ...annotations };
          latest.endpoints = part;
          latest.ports = ports;
        });
      }
    }
    for (const surplus of present.slice(count)) yield* world.remove(endpointslices, surplus);
  }

  function endpointOf(service: Service, pod: Pod): Endpoint {
    const { namespace, name, uid } = pod.metadata;
    const serving = isReady(pod);
    const terminating = isTerminating(pod);
    const { hostname, subdomain, nodeName } = pod.spec ?? {};
    const zone = nodes.get(nodeName ?? '')?.metadata.labels?.['topology.kubernetes.io/zone'];
    const isNamed = hostname !== undefined && subdomain === service.metadata.name;
    return {
      addresses: [pod.status!.podIP!],
      conditions: {
        ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
        serving,
        terminating,
      },
      ...(isNamed && { hostname }),
      targetRef: { kind: 'Pod', namespace, name, uid },
      ...(nodeName !== undefined && { nodeName }),
      ...(zone !== undefined && { zone }),
    };
  }

  function* writeEndpoints(service: Service, selected: readonly Pod[]): Steps<void> {
    const { namespace = '', name, labels } = service.metadata;
    const all = selected.filter((pod) => !isTerminating(pod)).slice(0, PER_ENDPOINTS);
    const isReadyAddress = (pod: Pod): boolean => service.spec?.publishNotReadyAddresses === true || isReady(pod);
    const addressOf = (pod: Pod): object => {
      const { namespace: podNamespace, name: podName, uid } = pod.metadata;
      const targetRef = { kind: 'Pod', namespace: podNamespace, name: podName, uid };
      return { ip: pod.status!.podIP!, nodeName: pod.spec?.nodeName, targetRef };
    };
    const addresses = all.filter(isReadyAddress).map(addressOf);
    const notReadyAddresses = all.filter((pod) => !isReadyAddress(pod)).map(addressOf);
    const ports = portsOf(service, all[0]).map(({ name: portName, protocol = 'TCP', port, appProtocol }) => {
      const named = { ...(portName !== undefined && portName !== '' && { name: portName }), port, protocol };
      return { ...named, ...(appProtocol !== undefined && { appProtocol }) };
    });
    const subset = {
      ...(addresses.length > 0 && { addresses }),
      ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
      ...(ports.length > 0 && { ports }),
    };
    const subsets = all.length === 0 ? undefined : [subset as NonNullable<EndpointsSubsets>[number]];
    const wanted = {
      ...labels,
      ...(service.spec?.clusterIP === 'None' && { [HEADLESS]: '' }),
      'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
    };
    const annotations = { [TRIGGER_TIME]: triggerTime(service, selected) };
    const present = endpoints.find(namespace, name);
    if (present === undefined) {
      const metadata = { name, labels: wanted, annotations };
      yield* world.create(endpoints, namespace, { metadata, ...(subsets !== undefined && { subsets }) });
    } else if (!isDeepStrictEqual(present.subsets, subsets) || !isDeepStrictEqual(present.metadata.labels, wanted)) {
      yield* world.update(endpoints, present, (latest) => {
        latest.metadata.labels = wanted;
        latest.metadata.annotations = { ...latest.metadata.annotations, ...annotations };
        if (subsets === undefined) delete latest.subsets;
        else latest.subsets = subsets;
      });
    }
  }
}

type EndpointsSubsets = Endpoints['subsets'];

function hasSelector({ spec }: Service): boolean {
  return Object.keys(spec?.selector ?? {}).length > 0;
}

function selects({ spec }: Service, labels: Readonly<Record<string, string>> | undefined): boolean {
  const selector = spec?.selector ?? {};
  for (const name in selector) if (labels?.[name] !== selector[name]) return false;
  return true;
}

/** The ports of a service on a pod; a headless service without ports has one that names none. */
function portsOf({ spec }: Service, pod: Pod | undefined): EndpointPort[] {
  return (spec?.ports ?? []).flatMap((servicePort): EndpointPort[] => {
    const port = targetPort(servicePort, pod);
    if (port === undefined) return [];
    const { name, protocol, appProtocol } = servicePort;
    return [{ name, protocol, port, appProtocol }];
  });
}

function targetPort({ port, targetPort: target, protocol = 'TCP' }: ServicePort, pod: Pod | undefined): number | undefined {
  if (typeof target === 'number') return target === 0 ? port : target;
  if (target === undefined || target === '') return port;
  const ports = (pod?.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.find((one) => one.name === target && (one.protocol ?? 'TCP') === protocol)?.containerPort;
}

/** The last change that the endpoints are about. */
function triggerTime(service: Service, selected: readonly Pod[]): string {
  let latest = service.metadata.creationTimestamp;
  for (const { status } of selected) {
    for (const { type, lastTransitionTime = '' } of status?.conditions ?? []) {
      if (type === 'Ready' && lastTransitionTime > latest) latest = lastTransitionTime;
    }
  }
  return latest;
}

function isSame(
  slice: EndpointSlice,
  list: readonly Endpoint[],
  ports: readonly EndpointPort[],
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    isDeepStrictEqual(slice.endpoints ?? [], list) &&
    isDeepStrictEqual(slice.ports ?? [], ports) &&
    isDeepStrictEqual(slice.metadata.labels, labels)
  );
}
