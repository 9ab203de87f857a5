import { fieldForbidden, fieldInvalid, fieldTooLong } from '../../../../meta/errors/field-cause.js';
import { labelKeyErrors } from '../../../../meta/names.js';
import type { PodSpec, SeccompProfile } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, ITEMS_PER_STEP, invalids } from '../../causes.js';
import { descendingPathCauses } from '../path-rules.js';
import { allContainers } from './security-context.js';

/* Annotations of pods that have rules, most of them older forms of fields. */

type Annotations = Readonly<Record<string, string>> | undefined;

/** Marks the copy of a pod that a kubelet runs from a file. */
export const MIRROR = 'kubernetes.io/config.mirror';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

const MAX_ANNOTATIONS = 256 * 1024;

/** Causes for annotations of a template, which are checked as those of objects are. */
export function* annotationCauses(annotations: Annotations, path: string): CauseSteps {
  let size = 0;
  let at = 0;
  for (const key of Object.keys(annotations ?? {})) {
    yield* invalids(path, key, labelKeyErrors(key.toLowerCase()));
    size += Buffer.byteLength(key) + Buffer.byteLength(annotations![key]!);
    if (++at % ITEMS_PER_STEP === 0) yield undefined;
  }
  if (size > MAX_ANNOTATIONS) yield fieldTooLong(path, MAX_ANNOTATIONS);
}

/** Causes for annotations that have a meaning for pods. */
export function* podAnnotationCauses(annotations: Annotations, spec: PodSpec, path: string): CauseSteps {
  if (annotations === undefined) return;
  const mirror = annotations[MIRROR];
  if (mirror !== undefined && !spec.nodeName) {
    yield fieldInvalid(`${path}[${MIRROR}]`, mirror, 'must set spec.nodeName if mirror pod annotation is set');
  }
  const cost = annotations[DELETION_COST];
  if (cost !== undefined && !isInt32(cost)) {
    yield fieldInvalid(`${path}[${DELETION_COST}]`, cost, 'must be a 32bit integer');
  }
  let names: Set<string> | undefined;
  for (const key of Object.keys(annotations)) {
    const value = annotations[key]!;
    if (key === SECCOMP_POD || key.startsWith(SECCOMP_CONTAINER)) yield* seccompCauses(value, `${path}.${key}`);
    if (!key.startsWith(APP_ARMOR)) continue;
    names ??= new Set([...allContainers(spec, '')].map(([container]) => container.name));
    const name = key.slice(APP_ARMOR.length);
    if (!names.has(name)) yield fieldInvalid(`${path}[${key}]`, name, 'container not found');
    if (value !== '' && value !== 'runtime/default' && value !== 'unconfined' && !value.startsWith('localhost/')) {
      const rule = `invalid AppArmor profile name: ${JSON.stringify(value)}`;
      yield fieldInvalid(`${path}[${key}]`, value, rule);
    }
  }
}

function isInt32(text: string): boolean {
  // A plus sign or zeros before the number would make it ambiguous.
  return /^(?:0|-?[1-9][0-9]{0,9})$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;
}

function* seccompCauses(profile: string, path: string): CauseSteps {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return;
  if (profile.startsWith('localhost/')) yield* descendingPathCauses(profile.slice('localhost/'.length), path);
  else yield fieldInvalid(path, profile, 'must be a valid seccomp profile');
}

/** Causes for annotations that contradict the fields that replaced them. */
export function* annotationConflictCauses(annotations: Annotations, spec: PodSpec, path: string): CauseSteps {
  if (annotations === undefined) return;
  const ofPod = spec.securityContext?.seccompProfile;
  yield* conflictCauses('seccomp', annotations[SECCOMP_POD], ofPod, `${path}.securityContext.seccompProfile`);
  for (const [{ name, securityContext }, place] of allContainers(spec, path)) {
    const context = `${place}.securityContext`;
    const seccomp = annotations[`${SECCOMP_CONTAINER}${name}`];
    yield* conflictCauses('seccomp', seccomp, securityContext?.seccompProfile, `${context}.seccompProfile`);
    if (spec.os?.name === 'windows') continue;
    const appArmor = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    yield* conflictCauses('apparmor', annotations[`${APP_ARMOR}${name}`], appArmor, `${context}.appArmorProfile`);
  }
}

function* conflictCauses(
  what: 'seccomp' | 'apparmor',
  annotation: string | undefined,
  profile: Pick<SeccompProfile, 'type' | 'localhostProfile'> | undefined,
  path: string,
): CauseSteps {
  if (annotation === undefined || profile === undefined) return;
  const isOtherType =
    profile.type === 'Unconfined'
      ? annotation !== 'unconfined'
      : profile.type === 'RuntimeDefault'
        ? annotation !== 'runtime/default' && (what !== 'seccomp' || annotation !== 'docker/default')
        : profile.type === 'Localhost' && !annotation.startsWith('localhost/');
  if (isOtherType) yield fieldForbidden(`${path}.type`, `${what} type in annotation and field must match`);
  else if (profile.type === 'Localhost' && annotation !== `localhost/${profile.localhostProfile}`) {
    yield fieldForbidden(`${path}.localhostProfile`, `${what} profile in annotation and field must match`);
  }
}

/** Causes for changes of annotations that stay as they are while a pod lives. */
export function* annotationUpdateCauses(annotations: Annotations, old: Annotations, path: string): CauseSteps {
  for (const key of Object.keys(old ?? {})) {
    if (annotations?.[key] === old![key]) continue;
    if (key.startsWith(APP_ARMOR)) {
      yield fieldForbidden(`${path}[${key}]`, 'may not remove or update AppArmor annotations');
    }
    if (key === MIRROR) yield fieldForbidden(`${path}[${key}]`, 'may not remove or update mirror pod annotation');
  }
  for (const key of Object.keys(annotations ?? {})) {
    if (old?.[key] !== undefined) continue;
    if (key.startsWith(APP_ARMOR)) yield fieldForbidden(`${path}[${key}]`, 'may not add AppArmor annotations');
    if (key === MIRROR) yield fieldForbidden(`${path}[${key}]`, 'may not add mirror pod annotation');
  }
}
