import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
  fieldTooMany,
} from '../../../../meta/errors/field-cause.js';
import {
  configKeyErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  envNameErrors,
  portNameErrors,
  portNumberErrors,
} from '../../../../meta/names.js';
import type {
  Container,
  ContainerPort,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  EphemeralContainer,
  PodSpec,
  Volume,
  VolumeDevice,
  VolumeMount,
} from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, invalids, oneOf, oneOfIfSet } from '../../causes.js';
import { backstepCauses, descendingPathCauses } from '../path-rules.js';
import { ENV_FIELDS, fieldRefCauses, resourceRefCauses } from './downward-api.js';
import { isSidecar } from './pod-resources.js';
import { lifecycleCauses, probeCauses } from './probe.js';
import { requirementsCauses } from './resource-rules.js';
import { securityContextCauses } from './security-context.js';

/** What the rules of a container need to know about its pod. */
export interface PodContext {
  readonly spec: PodSpec;
  /** The valid volumes by their names. */
  readonly volumes: ReadonlyMap<string, Volume>;
  /** The names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>;
}

/** Causes for the containers of a pod, of which it needs one. */
export function* containerCauses(pod: PodContext, path: string): CauseSteps {
  const containers = pod.spec.containers ?? [];
  if (containers.length === 0) {
    yield fieldRequired(path);
    return;
  }
  const grace = pod.spec.terminationGracePeriodSeconds;
  const names = new Set<string>();
  yield* each(containers, path, function* (container, place) {
    yield* commonCauses(container, pod, place);
    if (names.has(container.name)) yield fieldDuplicate(`${place}.name`, container.name);
    names.add(container.name);
    yield* hookCauses(container, grace, place);
    yield* restartPolicyCauses(container, place);
  });
  yield* hostPortCauses(containers, path);
}

/** Causes for the init containers of a pod. Those that are no sidecars have neither probes nor hooks. */
export function* initContainerCauses(pod: PodContext, path: string): CauseSteps {
  const names = new Set((pod.spec.containers ?? []).map(({ name }) => name));
  yield* each(pod.spec.initContainers, path, function* (container, place) {
    yield* commonCauses(container, pod, place);
    yield* restartPolicyCauses(container, place);
    if (names.has(container.name)) yield fieldDuplicate(`${place}.name`, container.name);
    else if (container.name) names.add(container.name);
    yield* hostPortCauses([container], path);
    if (isSidecar(container)) {
      yield* hookCauses(container, pod.spec.terminationGracePeriodSeconds, place);
      return;
    }
    for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
      if (container[field] === undefined) continue;
      yield fieldForbidden(`${place}.${field}`, 'may not be set for init containers without restartPolicy=Always');
    }
    yield* each(container.resizePolicy, `${place}.resizePolicy`, function* ({ restartPolicy }, policy) {
      if (restartPolicy !== 'RestartContainer') return;
      const rule = "must not be set to 'RestartContainer' for non-sidecar initContainers";
      yield fieldInvalid(`${policy}.restartPolicy`, restartPolicy, rule);
    });
  });
}

/** The fields that an ephemeral container cannot have. */
const NOT_EPHEMERAL = [
  'ports',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
] as const;

/** Causes for the ephemeral containers of a pod, which are added while it runs. */
export function* ephemeralContainerCauses(pod: PodContext, path: string): CauseSteps {
  const others = new Set([...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  const rule = 'cannot be set for an Ephemeral Container';
  yield* each(pod.spec.ephemeralContainers, path, function* (container, place) {
    yield* commonCauses(container, pod, place);
    yield* paddedImageCauses(container, place);
    if (names.has(container.name)) yield fieldDuplicate(`${place}.name`, container.name);
    names.add(container.name);
    const target = container.targetContainerName;
    if (target && !others.has(target)) yield fieldNotFound(`${place}.targetContainerName`, target);
    for (const field of NOT_EPHEMERAL) {
      if (container[field] !== undefined) yield fieldForbidden(`${place}.${field}`, rule);
    }
    if (Object.keys(container.resources ?? {}).length > 0) yield fieldForbidden(`${place}.resources`, rule);
    yield* each(container.volumeMounts, `${place}.volumeMounts`, function* ({ subPath, subPathExpr }, mount) {
      if (subPath) yield fieldForbidden(`${mount}.subPath`, rule);
      if (subPathExpr) yield fieldForbidden(`${mount}.subPathExpr`, rule);
    });
  });
}

/** Causes for an image with blanks around it, which templates may have. */
export function* paddedImageCauses({ image }: Container | EphemeralContainer, path: string): CauseSteps {
  if (image !== undefined && image !== image.trim()) {
    yield fieldInvalid(`${path}.image`, image, 'must not have leading or trailing whitespace');
  }
}

function* hookCauses(container: Container, grace: number | undefined, path: string): CauseSteps {
  if (container.lifecycle !== undefined) yield* lifecycleCauses(container.lifecycle, grace, `${path}.lifecycle`);
  yield* probeCauses('livenessProbe', container.livenessProbe, grace, path);
  yield* probeCauses('readinessProbe', container.readinessProbe, grace, path);
  yield* probeCauses('startupProbe', container.startupProbe, grace, path);
}

function* commonCauses(container: Container | EphemeralContainer, pod: PodContext, path: string): CauseSteps {
  const { name, image } = container;
  if (!name) yield fieldRequired(`${path}.name`);
  else yield* invalids(`${path}.name`, name, dns1123LabelErrors(name));
  if (!image) yield fieldRequired(`${path}.image`);
  const messages = ['File', 'FallbackToLogsOnError'];
  yield* oneOf(container.terminationMessagePolicy, messages, `${path}.terminationMessagePolicy`);
  yield* portsCauses(container.ports, `${path}.ports`);
  yield* each(container.env, `${path}.env`, envCauses);
  yield* each(container.envFrom, `${path}.envFrom`, (source, place) => envFromCauses(source, place, `${path}.envFrom`));
  yield* mountCauses(container, pod.volumes, `${path}.volumeMounts`);
  yield* deviceCauses(container, pod.volumes, `${path}.volumeDevices`);
  yield* oneOf(container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never'], `${path}.imagePullPolicy`);
  if (container.resources !== undefined) {
    yield* requirementsCauses(container.resources, pod.claims, `${path}.resources`);
  }
  yield* resizePolicyCauses(container, pod.spec, `${path}.resizePolicy`);
  yield* securityContextCauses(container.securityContext, pod.spec.hostUsers !== false, `${path}.securityContext`);
}

function* portsCauses(ports: readonly ContainerPort[] | undefined, path: string): CauseSteps {
  const names = new Set<string>();
  yield* each(ports, path, function* ({ name, containerPort, hostPort, protocol }, place) {
    if (name) {
      const errors = portNameErrors(name);
      yield* invalids(`${place}.name`, name, errors);
      if (errors.length === 0 && names.has(name)) yield fieldDuplicate(`${place}.name`, name);
      names.add(name);
    }
    if (!containerPort) yield fieldRequired(`${place}.containerPort`);
    else yield* invalids(`${place}.containerPort`, containerPort, portNumberErrors(containerPort));
    if (hostPort) yield* invalids(`${place}.hostPort`, hostPort, portNumberErrors(hostPort));
    yield* oneOf(protocol, ['SCTP', 'TCP', 'UDP'], `${place}.protocol`);
  });
}

/** Causes for ports of the host that two containers want. */
function* hostPortCauses(containers: readonly Container[], path: string): CauseSteps {
  const taken = new Set<string>();
  yield* each(containers, path, ({ ports }, place) =>
    each(ports, `${place}.ports`, function* ({ protocol, hostIP, hostPort }, port) {
      if (!hostPort) return;
      const key = `${protocol ?? ''}/${hostIP ?? ''}/${hostPort}`;
      if (taken.has(key)) yield fieldDuplicate(`${port}.hostPort`, key);
      taken.add(key);
    }),
  );
}

function* envCauses({ name, value, valueFrom }: EnvVar, path: string): CauseSteps {
  if (!name) yield fieldRequired(`${path}.name`);
  else yield* invalids(`${path}.name`, name, envNameErrors(name));
  if (valueFrom !== undefined) yield* valueFromCauses(valueFrom, value, `${path}.valueFrom`);
}

function* valueFromCauses(source: EnvVarSource, value: string | undefined, path: string): CauseSteps {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef !== undefined) yield* fieldRefCauses(fieldRef, ENV_FIELDS, `${path}.fieldRef`);
  if (resourceFieldRef !== undefined) yield* resourceRefCauses(resourceFieldRef, `${path}.resourceFieldRef`, false);
  if (configMapKeyRef !== undefined) yield* keyRefCauses(configMapKeyRef, `${path}.configMapKeyRef`);
  if (secretKeyRef !== undefined) yield* keyRefCauses(secretKeyRef, `${path}.secretKeyRef`);
  if (fileKeyRef !== undefined) {
    const place = `${path}.fileKeyRef`;
    if (!fileKeyRef.key) yield fieldRequired(`${place}.key`);
    else yield* invalids(`${place}.key`, fileKeyRef.key, envNameErrors(fileKeyRef.key));
    if (!fileKeyRef.volumeName) yield fieldRequired(`${place}.volumeName`);
    else yield* invalids(`${place}.volumeName`, fileKeyRef.volumeName, dns1123LabelErrors(fileKeyRef.volumeName));
    if (!fileKeyRef.path) yield fieldRequired(`${place}.path`);
    else yield* backstepCauses(fileKeyRef.path, `${place}.path`);
  }
  const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(
    (reference) => reference !== undefined,
  ).length;
  if (count === 0) {
    const rule =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    yield fieldInvalid(path, '', rule);
  } else if (value) yield fieldInvalid(path, '', 'may not be specified when `value` is not empty');
  else if (count > 1) yield fieldInvalid(path, '', 'may not have more than one field specified at a time');
}

function* keyRefCauses({ name = '', key }: { name?: string | undefined; key: string }, path: string): CauseSteps {
  yield* invalids(`${path}.name`, name, dns1123SubdomainErrors(name));
  if (!key) yield fieldRequired(`${path}.key`);
  else yield* invalids(`${path}.key`, key, configKeyErrors(key));
}

function* envFromCauses({ prefix, configMapRef, secretRef }: EnvFromSource, path: string, list: string): CauseSteps {
  if (prefix) yield* invalids(`${path}.prefix`, prefix, envNameErrors(prefix));
  for (const [field, reference] of [
    ['configMapRef', configMapRef],
    ['secretRef', secretRef],
  ] as const) {
    if (reference === undefined) continue;
    const { name } = reference;
    if (!name) yield fieldRequired(`${path}.${field}.name`);
    else yield* invalids(`${path}.${field}.name`, name, dns1123SubdomainErrors(name.replace(/-$/, 'a')));
  }
  if (configMapRef === undefined && secretRef === undefined) {
    yield fieldInvalid(list, '', 'must specify one of: `configMapRef` or `secretRef`');
  } else if (configMapRef !== undefined && secretRef !== undefined) {
    yield fieldInvalid(list, '', 'may not have more than one field specified at a time');
  }
}

type Mounts = Pick<Container, 'volumeMounts' | 'volumeDevices' | 'securityContext'>;

function* mountCauses(container: Mounts, volumes: ReadonlyMap<string, Volume>, path: string): CauseSteps {
  const { volumeMounts, volumeDevices = [] } = container;
  const devices = new Set((volumeDevices ?? []).map(({ name }) => name));
  const devicePaths = new Set((volumeDevices ?? []).map(({ devicePath }) => devicePath));
  const seen = new Set<string>();
  yield* each(volumeMounts, path, function* (mount, place) {
    const { name, mountPath, subPath, subPathExpr } = mount;
    if (!name) yield fieldRequired(`${place}.name`);
    if (!volumes.has(name)) yield fieldNotFound(`${place}.name`, name);
    if (!mountPath) yield fieldRequired(`${place}.mountPath`);
    if (seen.has(mountPath)) yield fieldInvalid(`${place}.mountPath`, mountPath, 'must be unique');
    seen.add(mountPath);
    if (devices.has(name)) yield fieldInvalid(`${place}.name`, name, 'must not already exist in volumeDevices');
    if (devicePaths.has(mountPath)) {
      yield fieldInvalid(`${place}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices');
    }
    if (subPath) yield* descendingPathCauses(subPath, `${path}.subPath`);
    if (subPathExpr) {
      if (subPath) {
        yield fieldInvalid(`${place}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive');
      }
      yield* descendingPathCauses(subPathExpr, `${path}.subPathExpr`);
    }
    yield* mountModeCauses(mount, container.securityContext?.privileged === true, path);
  });
}

function* mountModeCauses(mount: VolumeMount, isPrivileged: boolean, path: string): CauseSteps {
  const { mountPropagation, recursiveReadOnly } = mount;
  yield* oneOfIfSet(mountPropagation, ['Bidirectional', 'HostToContainer', 'None'], `${path}.mountPropagation`);
  if (mountPropagation === 'Bidirectional' && !isPrivileged) {
    const rule = 'Bidirectional mount propagation is available only to privileged containers';
    yield fieldForbidden(`${path}.mountPropagation`, rule);
  }
  const place = `${path}.recursiveReadOnly`;
  yield* oneOfIfSet(recursiveReadOnly, ['Disabled', 'Enabled', 'IfPossible'], place);
  if (recursiveReadOnly !== 'Enabled' && recursiveReadOnly !== 'IfPossible') return;
  if (mount.readOnly !== true) yield fieldForbidden(place, 'may only be specified when readOnly is true');
  if (mountPropagation !== undefined && mountPropagation !== 'None') {
    yield fieldForbidden(place, 'may only be specified when mountPropagation is None or not specified');
  }
}

function* deviceCauses(container: Mounts, volumes: ReadonlyMap<string, Volume>, path: string): CauseSteps {
  const mounts = new Set((container.volumeMounts ?? []).map(({ name }) => name));
  const mountPaths = new Set((container.volumeMounts ?? []).map(({ mountPath }) => mountPath));
  const names = new Set<string>();
  const paths = new Set<string>();
  yield* each(container.volumeDevices, path, function* ({ name, devicePath }: VolumeDevice, place) {
    const volume = volumes.get(name);
    if (!name) yield fieldRequired(`${place}.name`);
    if (names.has(name)) yield fieldInvalid(`${place}.name`, name, 'must be unique');
    if (volume === undefined) yield fieldNotFound(`${place}.name`, name);
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const rule = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      yield fieldInvalid(`${place}.name`, name, rule);
    }
    if (!devicePath) yield fieldRequired(`${place}.devicePath`);
    if (paths.has(devicePath)) yield fieldInvalid(`${place}.devicePath`, devicePath, 'must be unique');
    if (devicePath?.split('/').includes('..')) {
      yield fieldInvalid(`${place}.devicePath`, devicePath, "can not contain backsteps ('..')");
    } else paths.add(devicePath);
    if (mounts.has(name)) yield fieldInvalid(`${place}.name`, name, 'must not already exist in volumeMounts');
    if (mountPaths.has(devicePath)) {
      yield fieldInvalid(`${place}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts');
    }
    if (name) names.add(name);
  });
}

function* resizePolicyCauses(container: Container | EphemeralContainer, spec: PodSpec, path: string): CauseSteps {
  const seen = new Set<string>();
  yield* each(container.resizePolicy, path, function* ({ resourceName, restartPolicy }, place) {
    if (seen.has(resourceName)) yield fieldDuplicate(place, resourceName);
    seen.add(resourceName);
    yield* oneOf(resourceName, ['cpu', 'memory'], path);
    yield* oneOf(restartPolicy, ['NotRequired', 'RestartContainer'], path);
    if (spec.restartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      yield fieldInvalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  });
}

const MAX_RESTART_RULES = 20;
const MAX_EXIT_CODES = 255;

function* restartPolicyCauses({ restartPolicy, restartPolicyRules }: Container, path: string): CauseSteps {
  const rules = restartPolicyRules ?? [];
  if (restartPolicy === undefined) {
    if (rules.length === 0) return;
    yield fieldRequired(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used');
  } else yield* oneOfIfSet(restartPolicy, ['Always', 'Never', 'OnFailure'], `${path}.restartPolicy`);
  const list = `${path}.restartPolicyRules`;
  if (rules.length > MAX_RESTART_RULES) yield fieldTooMany(list, rules.length, MAX_RESTART_RULES);
  yield* each(rules, list, function* ({ action, exitCodes }, place) {
    yield* oneOfIfSet(action ?? '', ['Restart', 'RestartAllContainers'], `${place}.action`);
    if (exitCodes === undefined) {
      yield fieldRequired(`${place}.exitCodes`, 'must be specified');
      return;
    }
    const { operator, values = [] } = exitCodes;
    if (operator !== 'In' && operator !== 'NotIn') {
      yield fieldNotSupported(`${place}.exitCodes.operator`, operator, ['In', 'NotIn']);
    }
    if ((values ?? []).length > MAX_EXIT_CODES) {
      yield fieldTooMany(`${place}.exitCodes.values`, values.length, MAX_EXIT_CODES);
    }
  });
}
