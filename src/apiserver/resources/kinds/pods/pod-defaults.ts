import { milliQuantity } from '../../../../meta/quantity.js';
import type {
  Container,
  EphemeralContainer,
  Lifecycle,
  Pod,
  PodSpec,
  PodTemplateSpec,
  Probe,
  ResourceRequirements,
  Volume,
  VolumeProjection,
} from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { addMissing, fill, fillEach } from '../fill.js';
import { imageTag } from './image-name.js';
import { containerRequests, isPodLevelResource } from './pod-resources.js';

/** Defaults of a Pod, which has more of them than the templates that pods are made from. */
export function* fillPod(pod: Pod): Steps<void> {
  const spec: PodSpec = (pod.spec ??= { containers: [] });
  yield* fillPodSpec(spec);
  fill(spec, { enableServiceLinks: true });
  if (spec.terminationGracePeriodSeconds! < 0) spec.terminationGracePeriodSeconds = 1;
  for (const containers of [spec.containers, spec.initContainers]) {
    yield* fillEach(containers, (container) => fillRequests(container, spec.hostNetwork === true));
  }
  fillPodResources(pod);
}

/** Requests that are missing are those of the limits; ports of the host's network are the host's. */
function fillRequests({ resources, ports }: Container, isHostNetwork: boolean): void {
  if (resources?.limits != null) resources.requests = addMissing(resources.requests, resources.limits);
  if (!isHostNetwork) return;
  for (const port of ports ?? []) port.hostPort ||= port.containerPort;
}

/** Missing requests of the whole pod are the sum of those of its containers or, without one, the limits of the pod. */
function fillPodResources({ spec }: Pod): void {
  const limits = spec?.resources?.limits;
  if (spec?.resources === undefined || limits === undefined || Object.keys(limits).length === 0) return;
  const requests = { ...spec.resources.requests };
  for (const [name, amount] of Object.entries(containerRequests(spec))) {
    if (isPodLevelResource(name) && !name.startsWith('hugepages-')) requests[name] ??= amount;
  }
  for (const name of Object.keys(limits)) if (isPodLevelResource(name)) requests[name] ??= limits[name]!;
  spec.resources.requests = requests;
}

/** Defaults of the template of a workload. */
export function* fillTemplate(template: PodTemplateSpec | undefined): Steps<void> {
  if (template?.spec !== undefined) yield* fillPodSpec(template.spec);
}

function* fillPodSpec(spec: PodSpec): Steps<void> {
  fill(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
  });
  // One field under two names: the older one follows the other.
  if (!spec.serviceAccountName) spec.serviceAccountName = spec.serviceAccount;
  spec.serviceAccount = spec.serviceAccountName;
  if (spec.serviceAccountName === undefined) {
    delete spec.serviceAccountName;
    delete spec.serviceAccount;
  }
  spec.securityContext ??= {};
  if (spec.resources !== undefined) roundUp(spec.resources);
  roundAll(spec.overhead);
  yield* fillEach(spec.volumes, fillVolume);
  yield* fillEach(spec.initContainers, fillContainer);
  yield* fillEach(spec.containers, fillContainer);
  yield* fillEach(spec.ephemeralContainers, fillContainer);
}

function fillContainer(container: Container | EphemeralContainer): void {
  fill(container, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy(container.image),
  });
  for (const port of container.ports ?? []) fill(port, { protocol: 'TCP' });
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef !== undefined) fill(valueFrom.fieldRef, { apiVersion: 'v1' });
    if (valueFrom?.resourceFieldRef !== undefined) fill(valueFrom.resourceFieldRef, { divisor: '0' });
    if (valueFrom?.fileKeyRef !== undefined) fill(valueFrom.fileKeyRef, { optional: false });
  }
  if (container.resources !== undefined) roundUp(container.resources);
  fillProbe(container.livenessProbe);
  fillProbe(container.readinessProbe);
  fillProbe(container.startupProbe);
  fillLifecycle(container.lifecycle);
}

function pullPolicy(image: string | undefined): 'Always' | 'IfNotPresent' {
  return imageTag(image ?? '') === 'latest' ? 'Always' : 'IfNotPresent';
}

function fillProbe(probe: Probe | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  if (probe.httpGet !== undefined) fill(probe.httpGet, HTTP_GET);
  if (probe.grpc !== undefined) fill(probe.grpc, { service: '' });
}

const HTTP_GET = { path: '/', scheme: 'HTTP' } as const;

function fillLifecycle(lifecycle: Lifecycle | undefined): void {
  if (lifecycle?.postStart?.httpGet !== undefined) fill(lifecycle.postStart.httpGet, HTTP_GET);
  if (lifecycle?.preStop?.httpGet !== undefined) fill(lifecycle.preStop.httpGet, HTTP_GET);
}

function roundUp({ limits, requests }: ResourceRequirements): void {
  roundAll(limits);
  roundAll(requests);
}

/** Amounts in a list of resources have no more than three decimals. */
export function roundAll(amounts: Record<string, string | number> | undefined): void {
  for (const name in amounts) amounts[name] = milliQuantity(String(amounts[name]));
}

const FILE_MODE = 0o644;

function fillVolume(volume: Volume): void {
  const { name: _name, ...source } = volume;
  if (Object.keys(source).length === 0) volume.emptyDir = {};
  for (const type of ['secret', 'configMap', 'downwardAPI', 'projected'] as const) {
    const found = volume[type];
    if (found !== undefined) fill(found, { defaultMode: FILE_MODE });
  }
  for (const item of volume.downwardAPI?.items ?? []) fillDownwardItem(item);
  for (const projection of volume.projected?.sources ?? []) fillProjection(projection);
  if (volume.hostPath !== undefined) fill(volume.hostPath, { type: '' });
  if (volume.image !== undefined) fill(volume.image, { pullPolicy: pullPolicy(volume.image.reference) });
  if (volume.iscsi !== undefined) fill(volume.iscsi, { iscsiInterface: 'default' });
  if (volume.rbd !== undefined) fill(volume.rbd, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' });
  if (volume.scaleIO !== undefined) fill(volume.scaleIO, { storageMode: 'ThinProvisioned', fsType: 'xfs' });
  if (volume.azureDisk !== undefined) {
    fill(volume.azureDisk, { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false });
  }
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (claim !== undefined) fill(claim, { volumeMode: 'Filesystem' });
}

function fillProjection({ downwardAPI, serviceAccountToken }: VolumeProjection): void {
  for (const item of downwardAPI?.items ?? []) fillDownwardItem(item);
  if (serviceAccountToken !== undefined) fill(serviceAccountToken, { expirationSeconds: 3600 });
}

function fillDownwardItem({
  fieldRef,
  resourceFieldRef,
}: {
  fieldRef?: { apiVersion?: string | undefined } | undefined;
  resourceFieldRef?: { divisor?: string | number | undefined } | undefined;
}): void {
  if (fieldRef !== undefined) fill(fieldRef, { apiVersion: 'v1' });
  if (resourceFieldRef !== undefined) fill(resourceFieldRef, { divisor: '0' });
}
