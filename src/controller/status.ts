import type { DeepReadonly, KubernetesObject } from '../index.js';
import { isJsonObject } from '../meta/json-values.js';
import type { Condition } from '../meta/objects.js';
import { completeCondition, conditionOf } from './conditions.js';
import type { RunOutcome } from './environment.js';

type Conditions = readonly DeepReadonly<Condition>[];

/** The longest message of a condition that is made of an error. */
const longestMessage = 1024;

/** What the status of an object is made of after a run. */
export interface StatusSources {
  /** What the run said; undefined if it said nothing. */
  readonly said: DeepReadonly<object> | undefined;
  /** The condition that the controller keeps by itself. */
  readonly ready: DeepReadonly<Condition> | undefined;
  /** The object as the run read it. */
  readonly object: DeepReadonly<KubernetesObject>;
  /** Whether conditions of the kind have `observedGeneration`. */
  readonly hasObservedGeneration: boolean;
  readonly now: number;
}

/** The status to apply. Without a word of the run it is the status as it was read, with the condition of the controller. */
export function composeStatus(sources: StatusSources): object {
  const { said, ready, object, hasObservedGeneration, now } = sources;
  const base: Readonly<Record<string, unknown>> = { ...(said ?? statusOf(object)) };
  const given = base['conditions'];
  if (ready === undefined && !Array.isArray(given)) return base;
  const details = { now, generation: hasObservedGeneration ? object.metadata.generation : undefined };
  const complete = (condition: DeepReadonly<Condition>) =>
    completeCondition(condition, conditionOf(object as never, condition.type), details);
  const list = (Array.isArray(given) ? given : []) as Conditions;
  // Conditions that were read are complete; those of the run are not.
  const conditions = said === undefined ? list.filter(({ type }) => type !== ready?.type) : list.map(complete);
  if (ready !== undefined && !conditions.some(({ type }) => type === ready.type)) conditions.push(complete(ready));
  return { ...base, conditions };
}

/** The condition that a controller keeps by itself, after a run that ended like this. */
export function readyConditionOf(
  type: string,
  outcome: RunOutcome,
  message: string,
): DeepReadonly<Condition> | undefined {
  if (outcome === 'aborted') return undefined;
  if (outcome === 'done' || outcome === 'requeued') return { type, status: 'True', reason: 'Reconciled', message: '' };
  const reason = outcome === 'waiting' ? 'Waiting' : outcome === 'terminal' ? 'Refused' : 'Failed';
  return { type, status: 'False', reason, message: message.slice(0, longestMessage) };
}

/** The status of an object; empty if it has none. */
export function statusOf(object: unknown): object {
  const status = (object as { readonly status?: unknown }).status;
  return isJsonObject(status) ? status : {};
}
