import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
} from '../../../../meta/errors/field-cause.js';
import { dns1123SubdomainErrors, userIdErrors } from '../../../../meta/names.js';
import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  WindowsSecurityContextOptions,
} from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, invalids, oneOfIfSet } from '../../causes.js';
import { descendingPathCauses } from '../path-rules.js';

/** Causes for the security context of a container. */
export function* securityContextCauses(
  context: SecurityContext | undefined,
  isHostUsers: boolean,
  path: string,
): CauseSteps {
  if (context === undefined) return;
  const { runAsUser, runAsGroup, procMount, privileged, allowPrivilegeEscalation, capabilities } = context;
  yield* userCauses(runAsUser, `${path}.runAsUser`);
  yield* userCauses(runAsGroup, `${path}.runAsGroup`);
  if (procMount !== undefined && procMount !== 'Default' && procMount !== 'Unmasked') {
    yield fieldNotSupported(`${path}.procMount`, procMount, ['Default', 'Unmasked']);
  }
  if (isHostUsers && procMount === 'Unmasked') {
    yield fieldInvalid(`${path}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`');
  }
  yield* seccompCauses(context.seccompProfile, `${path}.seccompProfile`);
  if (allowPrivilegeEscalation === false) {
    const rule = 'cannot set `allowPrivilegeEscalation` to false and';
    if (privileged === true) yield fieldInvalid(path, context, `${rule} \`privileged\` to true`);
    if ((capabilities?.add ?? []).includes('CAP_SYS_ADMIN')) {
      yield fieldInvalid(path, context, `${rule} \`capabilities.Add\` CAP_SYS_ADMIN`);
    }
  }
  yield* windowsCauses(context.windowsOptions, `${path}.windowsOptions`);
  yield* appArmorCauses(context.appArmorProfile, `${path}.appArmorProfile`);
}

function* userCauses(id: number | undefined, path: string): CauseSteps {
  if (id !== undefined) yield* invalids(path, id, userIdErrors(id));
}

const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function* seccompCauses(profile: SeccompProfile | undefined, path: string): CauseSteps {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  if (!type) yield fieldRequired(`${path}.type`, 'type is required when seccompProfile is set');
  else yield* oneOfIfSet(type, PROFILES, `${path}.type`);
  const place = `${path}.localhostProfile`;
  if (type === 'Localhost') {
    if (localhostProfile === undefined) yield fieldRequired(place, 'must be set when seccomp type is Localhost');
    else yield* descendingPathCauses(localhostProfile, place);
  } else if (localhostProfile !== undefined) {
    yield fieldInvalid(place, profile, 'can only be set when seccomp type is Localhost');
  }
}

const MAX_PROFILE_LENGTH = 4095;

function* appArmorCauses(profile: AppArmorProfile | undefined, path: string): CauseSteps {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  const place = `${path}.localhostProfile`;
  const required = 'must be set when AppArmor type is Localhost';
  if (type === 'Localhost') {
    if (localhostProfile === undefined) yield fieldRequired(place, required);
    else {
      if (localhostProfile.trim() !== localhostProfile) {
        yield fieldInvalid(place, localhostProfile, 'must not be padded with whitespace');
      } else if (localhostProfile === '') yield fieldRequired(place, required);
      if (localhostProfile.length > MAX_PROFILE_LENGTH) yield fieldTooLong(place, MAX_PROFILE_LENGTH);
    }
  } else if (type === 'RuntimeDefault' || type === 'Unconfined') {
    if (localhostProfile !== undefined) {
      yield fieldInvalid(place, localhostProfile, 'can only be set when AppArmor type is Localhost');
    }
  } else if (!type) yield fieldRequired(`${path}.type`, 'type is required when appArmorProfile is set');
  else yield fieldNotSupported(`${path}.type`, type, PROFILES);
}

const MAX_CREDENTIAL_SPEC = 64 * 1024;

function* windowsCauses(options: WindowsSecurityContextOptions | undefined, path: string): CauseSteps {
  if (options === undefined) return;
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName } = options;
  if (name !== undefined) yield* invalids(`${path}.gmsaCredentialSpecName`, name, dns1123SubdomainErrors(name));
  if (spec === '') {
    yield fieldInvalid(`${path}.gmsaCredentialSpec`, spec, 'gmsaCredentialSpec cannot be an empty string');
  } else if (spec !== undefined && spec.length > MAX_CREDENTIAL_SPEC) {
    yield fieldInvalid(`${path}.gmsaCredentialSpec`, spec, 'gmsaCredentialSpec size must be under 64 KiB');
  }
  if (runAsUserName === undefined) return;
  for (const error of userNameErrors(runAsUserName)) {
    yield fieldInvalid(`${path}.runAsUserName`, runAsUserName, `runAsUserName${error}`);
  }
}

const NETBIOS_NAME = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_NAME = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const MAX_DOMAIN = 256;
const MAX_USER = 104;

function userNameErrors(name: string): string[] {
  if (name === '') return [' cannot be an empty string'];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names of Windows users may not have them
  if (/[\u0000-\u001f\u007f]/.test(name)) return [' cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const user = parts.at(-1)!;
  const domain = parts.length === 2 ? parts[0]! : undefined;
  const errors: string[] = [];
  if ((domain ?? '').length >= MAX_DOMAIN) errors.push("'s Domain length must be under 256 characters");
  if (domain !== undefined && !NETBIOS_NAME.test(domain) && !DNS_NAME.test(domain)) {
    errors.push("'s Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') errors.push("'s User cannot be empty");
  else if (user.length > MAX_USER) errors.push("'s User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) errors.push("'s User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    errors.push('\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
  return errors;
}

const SYSCTL = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SYSCTL_NAME = `^(${SYSCTL}[\\./])*${SYSCTL}$`;
const MAX_SYSCTL = 253;
/** The sysctls of the namespaces that a pod shares with its host; the others are those of the node. */
const IPC_SYSCTL = /^(?:kernel[./]shm|kernel[./]msg|kernel[./]sem$|fs[./]mqueue[./])/;

function isSysctlName(name: string): boolean {
  return name.length <= MAX_SYSCTL && name.split(/[./]/).every((part) => /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/.test(part));
}

/** Causes for the security context of a pod. */
export function* podSecurityCauses(spec: PodSpec, path: string): CauseSteps {
  const context = spec.securityContext;
  if (context === undefined) return;
  yield* userCauses(context.fsGroup, `${path}.fsGroup`);
  yield* userCauses(context.runAsUser, `${path}.runAsUser`);
  yield* userCauses(context.runAsGroup, `${path}.runAsGroup`);
  yield* each(context.supplementalGroups, `${path}.supplementalGroups`, userCauses);
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const rule = 'ShareProcessNamespace and HostPID cannot both be enabled';
    yield fieldInvalid(`${path}.shareProcessNamespace`, true, rule);
  }
  const names = new Set<string>();
  yield* each(context.sysctls, `${path}.sysctls`, function* ({ name }, place) {
    if (!name) yield fieldRequired(`${place}.name`);
    else if (!isSysctlName(name)) {
      const rule = `must have at most ${MAX_SYSCTL} characters and match regex ${SYSCTL_NAME}`;
      yield fieldInvalid(`${place}.name`, name, rule);
    } else if (names.has(name)) yield fieldDuplicate(`${place}.name`, name);
    names.add(name);
    if (spec.hostNetwork === true && /^net[./]/.test(name)) {
      yield fieldInvalid(`${place}.name`, name, "may not be specified when 'hostNetwork' is true");
    } else if (spec.hostIPC === true && IPC_SYSCTL.test(name)) {
      yield fieldInvalid(`${place}.name`, name, "may not be specified when 'hostIPC' is true");
    }
  });
  yield* oneOfIfSet(context.fsGroupChangePolicy, ['Always', 'OnRootMismatch'], `${path}.fsGroupChangePolicy`);
  yield* seccompCauses(context.seccompProfile, `${path}.seccompProfile`);
  yield* windowsCauses(context.windowsOptions, `${path}.windowsOptions`);
  yield* appArmorCauses(context.appArmorProfile, `${path}.appArmorProfile`);
  yield* oneOfIfSet(context.supplementalGroupsPolicy, ['Merge', 'Strict'], `${path}.supplementalGroupsPolicy`);
  yield* oneOfIfSet(context.seLinuxChangePolicy, ['MountOption', 'Recursive'], `${path}.seLinuxChangePolicy`);
}

/** The fields of a container's security context that a pod for Windows cannot have. */
const LINUX_CONTAINER_FIELDS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

/** Causes for settings of another operating system than the one that the pod names. */
export function* osCauses(spec: PodSpec, path: string): CauseSteps {
  const isLinux = spec.os?.name === 'linux';
  const context = spec.securityContext;
  if (isLinux) {
    const rule = 'windows options cannot be set for a linux pod';
    if (context?.windowsOptions !== undefined) yield fieldForbidden(`${path}.securityContext.windowsOptions`, rule);
    for (const [container, place] of allContainers(spec, path)) {
      if (container.securityContext?.windowsOptions === undefined) continue;
      yield fieldForbidden(`${place}.securityContext.windowsOptions`, rule);
    }
    return;
  }
  const rule = 'cannot be set for a windows pod';
  const ofContext = function* (fields: readonly (keyof PodSecurityContext & string)[]): CauseSteps {
    for (const field of fields) {
      if (context?.[field] !== undefined) yield fieldForbidden(`${path}.securityContext.${field}`, rule);
    }
  };
  yield* ofContext(['appArmorProfile', 'seLinuxOptions']);
  if (spec.hostUsers !== undefined) yield fieldForbidden(`${path}.hostUsers`, rule);
  if (spec.hostPID === true) yield fieldForbidden(`${path}.hostPID`, rule);
  if (spec.hostIPC === true) yield fieldForbidden(`${path}.hostIPC`, rule);
  yield* ofContext(['seccompProfile', 'fsGroup', 'fsGroupChangePolicy', 'sysctls']);
  if (spec.shareProcessNamespace !== undefined) yield fieldForbidden(`${path}.shareProcessNamespace`, rule);
  yield* ofContext([
    'runAsUser',
    'runAsGroup',
    'supplementalGroups',
    'supplementalGroupsPolicy',
    'seLinuxChangePolicy',
  ]);
  for (const [container, place] of allContainers(spec, path)) {
    for (const field of LINUX_CONTAINER_FIELDS) {
      if (container.securityContext?.[field] === undefined) continue;
      yield fieldForbidden(`${place}.securityContext.${field}`, rule);
    }
  }
}

/** Causes for a pod of which some containers are processes of the host, and others are not. */
export function* hostProcessCauses(spec: PodSpec, path: string): CauseSteps {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let processes = 0;
  for (const [container, place] of allContainers(spec, path)) {
    containers++;
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (own !== undefined && ofPod !== undefined && own !== ofPod) {
      const rule = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      yield fieldInvalid(`${place}.securityContext.windowsOptions.hostProcess`, own, rule);
    }
    if (own ?? ofPod) processes++;
  }
  if (processes === 0) return;
  if (processes !== containers) {
    const rule = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    yield fieldInvalid(path, '', rule);
  }
  if (spec.hostNetwork !== true) {
    const rule = 'hostNetwork must be true if pod contains any hostProcess containers';
    yield fieldInvalid(`${path}.hostNetwork`, false, rule);
  }
}

/** The containers of all three lists of a pod, with their paths. */
export function* allContainers(
  spec: PodSpec,
  path: string,
): Generator<[NonNullable<PodSpec['ephemeralContainers']>[number], string]> {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [at, container] of (spec[list] ?? []).entries()) yield [container, `${path}.${list}[${at}]`];
  }
}
