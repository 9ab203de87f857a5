import type { DeepReadonly } from '../index.js';
import type { Condition } from '../meta/objects.js';
import { timestamp } from '../time/timestamps.js';

type Conditions = readonly DeepReadonly<Condition>[];

/** The condition of that type; undefined if the object does not have it. */
export function conditionOf(
  object: { readonly status?: { readonly conditions?: Conditions | undefined } | undefined } | undefined,
  type: string,
): DeepReadonly<Condition> | undefined {
  return object?.status?.conditions?.find((condition) => condition.type === type);
}

/** How {@link withCondition} completes a condition. */
export interface ConditionDetails {
  /** `metadata.generation` of the object that was observed. @default `observedGeneration` is not set */
  readonly generation?: number | undefined;
  /** The time of a transition, in ms since 1970. */
  readonly now: number;
}

/**
 * The conditions with this one added, or in the place of the one of its type. `lastTransitionTime` stays while the status is the
 * same. `reason` and `message`, which most kinds require, are filled in.
 *
 * @example
 * const conditions = withCondition(object.status?.conditions, { type: 'Ready', status: 'True' }, { now: Date.now() });
 */
export function withCondition(
  conditions: Conditions | undefined,
  condition: DeepReadonly<Condition>,
  details: ConditionDetails,
): DeepReadonly<Condition>[] {
  const before = conditions?.find(({ type }) => type === condition.type);
  const completed = completeCondition(condition, before, details);
  if (before === undefined) return [...(conditions ?? []), completed];
  return (conditions ?? []).map((one) => (one === before ? completed : one));
}

/** Fills in what a condition leaves out, with the transition time of the condition before it. */
export function completeCondition(
  condition: DeepReadonly<Condition>,
  before: DeepReadonly<Condition> | undefined,
  { generation, now }: ConditionDetails,
): DeepReadonly<Condition> {
  const { type, status } = condition;
  const kept = before?.status === status ? before.lastTransitionTime : undefined;
  return {
    ...condition,
    reason: condition.reason || reasonOf(type, status),
    message: condition.message ?? '',
    lastTransitionTime: condition.lastTransitionTime ?? kept ?? timestamp(now),
    ...(condition.observedGeneration === undefined && generation !== undefined && { observedGeneration: generation }),
  };
}

function reasonOf(type: string, status: Condition['status']): string {
  if (status === 'True') return type;
  return status === 'False' ? `Not${type}` : `${type}Unknown`;
}
