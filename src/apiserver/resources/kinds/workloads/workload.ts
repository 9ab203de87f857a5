import { fieldForbidden, fieldInvalid, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { percentErrors } from '../../../../meta/names.js';
import type { LabelSelector } from '../../../../meta/objects.js';
import type { PodTemplateSpec } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, invalids, nonNegative } from '../../causes.js';
import { isEmptySelector, selectorCauses } from '../label-rules.js';

/* Rules that the kinds with a template of pods share. */

/** A template without anything, for objects whose `spec` is missing. */
export const NO_TEMPLATE: PodTemplateSpec = { metadata: {}, spec: { containers: [] } };

/** Causes for a selector that must be there and select something; `kind` names the workload in the message. */
export function* requiredSelectorCauses(selector: LabelSelector | undefined, kind: string, path: string): CauseSteps {
  if (selector === undefined || selector === null) {
    yield fieldRequired(path);
    return;
  }
  yield* selectorCauses(selector, path);
  if (isEmptySelector(selector)) yield fieldInvalid(path, selector, `empty selector is invalid for ${kind}`);
}

/** Causes for a number or percentage that is negative or no percentage. */
export function* countOrPercentCauses(value: number | string, path: string): CauseSteps {
  if (typeof value === 'number') yield* nonNegative(value, path);
  else yield* invalids(path, value, percentErrors(value));
}

/** Causes for a percentage over 100. */
export function* mostPercentCauses(value: number | string, path: string): CauseSteps {
  if (typeof value !== 'string' || percentErrors(value).length > 0 || Number.parseInt(value, 10) <= 100) return;
  yield fieldInvalid(path, value, 'must not be greater than 100%');
}

/** The number of a count or percentage. Text that is none counts as 0. */
export function countOrPercent(value: number | string): number {
  if (typeof value === 'number') return value;
  return /^[+-]?\d+%?$/.test(value) ? Number.parseInt(value, 10) : 0;
}

/** Causes for numbers of a status that are negative. */
export function* countCauses<T extends object>(status: T, fields: readonly (keyof T & string)[]): CauseSteps {
  for (const field of fields) yield* nonNegative(status[field] as number | undefined, `status.${field}`);
}

/** Causes for numbers of a status that are greater than that of all replicas. */
export function* excessCauses<T extends { replicas?: number | undefined }>(
  status: T,
  fields: readonly (keyof T & string)[],
): CauseSteps {
  for (const field of fields) {
    const count = (status[field] as number | undefined) ?? 0;
    if (count > (status.replicas ?? 0)) {
      yield fieldInvalid(`status.${field}`, count, 'cannot be greater than status.replicas');
    }
  }
}

interface ReadyReplicas {
  readonly availableReplicas?: number | undefined;
  readonly readyReplicas?: number | undefined;
}

/** The cause for more available than ready replicas. */
export function* availableCauses(
  { availableReplicas = 0, readyReplicas = 0 }: ReadyReplicas,
  name = 'readyReplicas',
): CauseSteps {
  if (availableReplicas <= readyReplicas) return;
  yield fieldInvalid('status.availableReplicas', availableReplicas, `cannot be greater than ${name}`);
}

interface Collisions {
  readonly collisionCount?: number | undefined;
}

/** The cause for a collision count that goes down. */
export function* collisionCauses({ collisionCount = 0 }: Collisions, old: Collisions | undefined): CauseSteps {
  if (collisionCount < (old?.collisionCount ?? 0)) {
    yield fieldInvalid('status.collisionCount', collisionCount, 'cannot be decremented');
  }
}

interface RollingStrategy {
  readonly type?: string | undefined;
  readonly rollingUpdate?:
    | { readonly maxUnavailable?: number | string | undefined; readonly maxSurge?: number | string | undefined }
    | undefined;
}

/** A strategy as messages show it: the internal type of kube-apiserver, by its Go names. */
export function internalStrategy({ type = '', rollingUpdate }: RollingStrategy): object {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  return {
    Type: type,
    RollingUpdate: rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge },
  };
}

/** The cause for rolling parameters of a strategy that does not roll. */
export function* noRollingCauses(isSet: boolean, strategy: string, path: string): CauseSteps {
  if (isSet) yield fieldForbidden(path, `may not be specified when strategy \`type\` is '${strategy}'`);
}
