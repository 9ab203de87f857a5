import { getField, isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { FieldChange } from '../protocol.js';
import { isHiddenPath } from './secrets.js';

/** A step of a path: the name of a field, the index of an item, or the item of a list whose items have names. */
export type PathStep = string | number | NamedItem;

/** An item of a list that is identified by one of its fields. */
export interface NamedItem {
  readonly field: string;
  readonly value: string;
}

/** A field that differs, with its path in steps. */
export interface Difference extends Omit<FieldChange, 'manager'> {
  readonly steps: readonly PathStep[];
}

/** The fields that name the items of lists in Kubernetes' kinds, the most specific first. */
const namingFields = ['name', 'type', 'uid', 'key', 'mountPath', 'ip', 'containerPort', 'port'] as const;
/** These differ in every update, and say nothing. */
const ignored = new Set(['metadata.resourceVersion', 'metadata.managedFields']);
const longestValue = 200;
const mostDifferences = 200;

/** The fields in which two states of an object differ; `isCut` if there are more than are returned. */
export function differencesOf(
  before: unknown,
  after: unknown,
  isSecret: boolean,
): { readonly fields: readonly Difference[]; readonly isCut: boolean } {
  const fields: Difference[] = [];
  let isCut = false;
  for (const difference of compare(before, after, [], isSecret)) {
    if (fields.length === mostDifferences) {
      isCut = true;
      break;
    }
    fields.push(difference);
  }
  return { fields, isCut };
}

function* compare(
  before: unknown,
  after: unknown,
  steps: readonly PathStep[],
  isSecret: boolean,
): Generator<Difference> {
  if (before === after) return;
  if (steps.length === 2 && ignored.has(printPath(steps))) return;
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* compare(getField(before, name), getField(after, name), [...steps, name], isSecret);
  } else if (Array.isArray(before) && Array.isArray(after)) {
    yield* compareLists(before, after, steps, isSecret);
  } else {
    yield difference(before, after, steps, isSecret);
  }
}

function* compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  steps: readonly PathStep[],
  isSecret: boolean,
): Generator<Difference> {
  const field = namingFieldOf([...before, ...after]);
  const old = field === undefined ? undefined : byName(before, field);
  const now = field === undefined ? undefined : byName(after, field);
  if (field === undefined || old === undefined || now === undefined) {
    for (let i = 0; i < Math.max(before.length, after.length); i++)
      yield* compare(before[i], after[i], [...steps, i], isSecret);
    return;
  }
  for (const value of new Set([...old.keys(), ...now.keys()]))
    yield* compare(old.get(value), now.get(value), [...steps, { field, value }], isSecret);
}

function namingFieldOf(items: readonly unknown[]): string | undefined {
  if (items.length === 0 || !items.every(isJsonObject)) return undefined;
  return namingFields.find((field) => items.every((item) => isName(getField(item, field))));
}

function isName(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

/** Undefined if two items have the same name. */
function byName(items: readonly unknown[], field: string): Map<string, unknown> | undefined {
  const named = new Map(items.map((item) => [String(getField(item as JsonObject, field)), item]));
  return named.size === items.length ? named : undefined;
}

function difference(before: unknown, after: unknown, steps: readonly PathStep[], isSecret: boolean): Difference {
  const isHidden = isSecret && isHiddenPath(steps.map((step) => (typeof step === 'object' ? step.value : step)));
  return {
    steps,
    path: printPath(steps),
    change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    before: isHidden ? null : textOf(before),
    after: isHidden ? null : textOf(after),
    isHidden,
  };
}

function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text;
}

/** `spec.containers[name=app].args[0]`; names with other characters than letters, digits, `-` and `_` are quoted. */
export function printPath(steps: readonly PathStep[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'object') path += `[${step.field}=${step.value}]`;
    else if (typeof step === 'number') path += `[${step}]`;
    else if (!/^[\w-]+$/.test(step)) path += `[${JSON.stringify(step)}]`;
    else path += path === '' ? step : `.${step}`;
  }
  return path;
}
