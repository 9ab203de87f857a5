import { isDeepStrictEqual } from 'node:util';
import { fieldForbidden, fieldInvalid, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { rangeErrors } from '../../../../meta/names.js';
import type {
  Affinity,
  Container,
  NodeSelectorTerm,
  Pod,
  PodSpec,
  ResourceRequirements,
  Toleration,
} from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, invalids } from '../../causes.js';
import { changes } from '../changes.js';
import { paddedImageCauses } from './container.js';
import { MIRROR } from './pod-annotations.js';
import { qosClass } from './pod-resources.js';

/* Changes of a pod's spec: by its main resource, and by the subresources `ephemeralcontainers` and `resize`. */

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

const MAX_INT32 = 2 ** 31 - 1;

/** Causes for changes of a spec that cannot change. */
export function* specUpdateCauses(spec: PodSpec, old: PodSpec): CauseSteps {
  for (const list of ['containers', 'initContainers'] as const) {
    const containers = spec[list] ?? [];
    if (containers.length !== (old[list] ?? []).length) {
      yield fieldForbidden(`spec.${list}`, 'pod updates may not add or remove containers');
      return;
    }
    yield* each(containers, `spec.${list}`, function* (container, place) {
      if (!container.image) yield fieldRequired(`${place}.image`);
      yield* paddedImageCauses(container, place);
    });
  }
  if (!(yield* deadlineCauses(spec, old))) return;
  yield* tolerationUpdateCauses(spec.tolerations ?? [], old.tolerations ?? []);
  yield* gateUpdateCauses(spec, old);
  if (isDeepStrictEqual(spec, old)) return;

  const next = withFieldsOf(spec, old, ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']);
  for (const list of ['containers', 'initContainers'] as const) {
    if (next[list] === undefined) continue;
    next[list] = next[list].map((container, at) => withFieldsOf(container, old[list]![at]!, ['image']));
  }
  if ((old.schedulingGates ?? []).length > 0) yield* gatedCauses(next, old);
  if (isDeepStrictEqual(next, old)) return;
  yield fieldForbidden('spec', `pod updates may not change fields other than ${UPDATABLE}\n${changes(old, next)}`);
}

/** A copy of an object with some fields of another one. */
function withFieldsOf<T extends object>(object: T, other: T, fields: readonly (keyof T)[]): T {
  const copy = { ...object };
  for (const field of fields) {
    if (other[field] === undefined) delete copy[field];
    else copy[field] = other[field];
  }
  return copy;
}

/** Returns whether the search for more causes makes sense. */
function* deadlineCauses(spec: PodSpec, old: PodSpec): Generator<ReturnType<typeof fieldInvalid>, boolean, void> {
  const path = 'spec.activeDeadlineSeconds';
  const { activeDeadlineSeconds: deadline } = spec;
  if (deadline === undefined) {
    if (old.activeDeadlineSeconds === undefined) return true;
    yield fieldInvalid(path, null, 'must not update from a positive integer to nil value');
    return true;
  }
  const errors = rangeErrors(deadline, 0, MAX_INT32);
  yield* invalids(path, deadline, errors);
  if (errors.length > 0) return false;
  if (old.activeDeadlineSeconds === undefined || deadline <= old.activeDeadlineSeconds) return true;
  yield fieldInvalid(path, deadline, 'must be less than or equal to previous value');
  return false;
}

function* tolerationUpdateCauses(tolerations: readonly Toleration[], old: readonly Toleration[]): CauseSteps {
  const key = ({ tolerationSeconds: _seconds, ...rest }: Toleration): string =>
    JSON.stringify(Object.entries(rest).sort());
  const present = new Set(tolerations.map(key));
  if (old.every((toleration) => present.has(key(toleration)))) return;
  yield fieldForbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds');
}

function* gateUpdateCauses(spec: PodSpec, old: PodSpec): CauseSteps {
  const known = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  yield* each(spec.schedulingGates, 'spec.schedulingGates', function* ({ name }, place) {
    if (known.has(name)) return;
    yield fieldForbidden(`${place}.name`, `only deletion is allowed, but found new scheduling gate '${name}'`);
  });
}

/** Causes for changes of a pod that waits at a gate: it may get more conditions on its node. Sets these back in `next`. */
function* gatedCauses(next: PodSpec, old: PodSpec): CauseSteps {
  const { nodeSelector } = next;
  if (!isDeepStrictEqual(nodeSelector, old.nodeSelector)) {
    const isAdded = Object.entries(old.nodeSelector ?? {}).every(([key, value]) => nodeSelector?.[key] === value);
    if (!isAdded) {
      const rule = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
      yield fieldInvalid('spec.nodeSelector', nodeSelector ?? null, rule);
    }
    Object.assign(next, { nodeSelector: old.nodeSelector });
    if (old.nodeSelector === undefined) delete next.nodeSelector;
  }
  const [ofNext, ofOld] = [next.affinity?.nodeAffinity, old.affinity?.nodeAffinity];
  if (isDeepStrictEqual(ofNext, ofOld)) return;
  yield* nodeAffinityCauses(termsOf(next.affinity), termsOf(old.affinity));
  const affinity: Affinity = { ...next.affinity };
  if (ofOld === undefined) delete affinity.nodeAffinity;
  else affinity.nodeAffinity = ofOld;
  if (Object.keys(affinity).length === 0 && old.affinity === undefined) delete next.affinity;
  else next.affinity = affinity;
}

function termsOf(affinity: Affinity | undefined): readonly NodeSelectorTerm[] | undefined {
  return affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
}

function* nodeAffinityCauses(
  terms: readonly NodeSelectorTerm[] = [],
  old: readonly NodeSelectorTerm[] | undefined,
): CauseSteps {
  if (old === undefined) return;
  const path = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  if (old.length > 0 && old.length !== terms.length) {
    yield fieldInvalid(path, terms, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed');
    return;
  }
  yield* each(old, path, function* (term, place, at) {
    if (hasOnlyAdditions(terms[at]!, term)) return;
    yield fieldInvalid(place, terms[at], 'only additions are allowed (no mutations or deletions)');
  });
}

function hasOnlyAdditions(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const size = ({ matchExpressions, matchFields }: NodeSelectorTerm): number =>
    (matchExpressions ?? []).length + (matchFields ?? []).length;
  if (size(old) === 0 && size(term) > 0) return false;
  return (['matchExpressions', 'matchFields'] as const).every((field) => {
    const before = old[field] ?? [];
    return isDeepStrictEqual((term[field] ?? []).slice(0, before.length), before);
  });
}

/** Causes for changes of containers that are already there, in a write of `ephemeralcontainers`. */
export function* ephemeralUpdateCauses(pod: Pod, old: Pod): CauseSteps {
  if (old.metadata.annotations?.[MIRROR] !== undefined) {
    yield fieldForbidden('[]', 'static pods do not support ephemeral containers');
    return;
  }
  const present = new Map((pod.spec?.ephemeralContainers ?? []).map((container) => [container.name, container]));
  for (const container of old.spec?.ephemeralContainers ?? []) {
    const name = JSON.stringify(container.name);
    const next = present.get(container.name);
    const path = 'spec.ephemeralContainers';
    if (next === undefined) yield fieldForbidden(path, `existing ephemeral containers ${name} may not be removed\n`);
    else if (!isDeepStrictEqual(next, container)) {
      yield fieldForbidden(path, `existing ephemeral containers ${name} may not be changed\n`);
    }
  }
}

/** Causes for a write of `resize` that changes more than requests and limits of cpu and memory. */
export function* resizeCauses(pod: Pod, old: Pod): CauseSteps {
  const spec = pod.spec!;
  const oldSpec = old.spec!;
  if (old.metadata.annotations?.[MIRROR] !== undefined) {
    yield fieldForbidden('[]', 'static pods cannot be resized');
    return;
  }
  if (oldSpec.os?.name === 'windows') {
    yield fieldForbidden('[]', 'windows pods cannot be resized');
    return;
  }
  if ((old.status?.qosClass ?? qosClass(old)) !== qosClass(pod)) {
    yield fieldInvalid('spec', pod.status?.qosClass, 'Pod QOS Class may not change as a result of resizing');
  }
  const running = (old.status?.containerStatuses ?? []).find(({ state }) => state?.running !== undefined);
  if (running !== undefined && running.resources === undefined) {
    yield fieldForbidden('spec', 'Pod running on node without support for resize');
  }
  let isOrdered = true;
  for (const list of ['containers', 'initContainers'] as const) {
    const [containers, before] = [spec[list] ?? [], oldSpec[list] ?? []];
    if (containers.length !== before.length) {
      yield fieldForbidden(`spec.${list}`, `${list} may not be added or removed on resize`);
      isOrdered = false;
      continue;
    }
    for (const [at, { name }] of before.entries()) {
      if (containers[at]!.name === name) continue;
      yield fieldForbidden(`spec.${list}[${at}].name`, `${list} may not be renamed or reordered on resize`);
      isOrdered = false;
    }
  }
  if (!isOrdered) return;
  for (const list of ['initContainers', 'containers'] as const) {
    yield* each(spec[list], `spec.${list}`, (container, place, at) =>
      containerResizeCauses(container, oldSpec[list]![at]!, list, place),
    );
  }
}

function* containerResizeCauses(container: Container, old: Container, list: string, path: string): CauseSteps {
  for (const field of ['requests', 'limits'] as const) {
    const [amounts, before] = [container.resources?.[field] ?? {}, old.resources?.[field] ?? {}];
    if (Object.keys(before).some((name) => !(name in amounts))) {
      yield fieldForbidden(`${path}.resources.${field}`, `resource ${field} cannot be removed`);
    }
  }
  if (isDeepStrictEqual(fixedPart(container), fixedPart(old))) return;
  if (list === 'containers') yield fieldForbidden('spec', 'only cpu and memory resources are mutable');
  else yield fieldForbidden(path, 'only cpu and memory resources for init or sidecar containers are mutable');
}

/** A container without what a resize may change. */
function fixedPart(container: Container): Container {
  const without = (amounts: Record<string, string> | undefined): Record<string, string> => {
    const { cpu: _cpu, memory: _memory, ...rest } = amounts ?? {};
    return rest;
  };
  const resources: ResourceRequirements = {
    limits: without(container.resources?.limits),
    requests: without(container.resources?.requests),
  };
  return { ...container, resources };
}
