import { getField, isJsonObject, type JsonObject } from '../../meta/json-values.js';

/** A field that has another value, a new one (`before` is undefined), or none any more (`after` is undefined). */
export interface FieldChange {
  /** As `spec.template.spec.containers[name="app"].image`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Fields of metadata that the server writes, and that change with every write. */
const NOISE: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'uid',
  'generation',
  'creationTimestamp',
  'selfLink',
]);
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const MASK = '***';

/** The differences between two states of an object, without noise, and without the values of Secrets. */
export function fieldChanges(before: JsonObject | undefined, after: JsonObject): FieldChange[] {
  const { apiVersion, kind } = after;
  const [old, young] = masked(withoutNoise(before ?? { apiVersion, kind }), withoutNoise(after));
  const changes: FieldChange[] = [];
  compare(old, young, '', changes);
  return changes;
}

/** One line for a change, as `spec.replicas: 2 → 3`. */
export function printChange({ path, before, after }: FieldChange): string {
  if (before === undefined) return `+ ${path}: ${JSON.stringify(after)}`;
  if (after === undefined) return `- ${path}: ${JSON.stringify(before)}`;
  return `  ${path}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
}

function withoutNoise(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata)) return object;
  const kept = Object.fromEntries(Object.entries(metadata).filter(([name]) => !NOISE.has(name)));
  return { ...object, metadata: kept };
}

/** Replaces the values of Secrets. Values that differ stay different. */
function masked(before: JsonObject, after: JsonObject): [JsonObject, JsonObject] {
  if (after.kind !== 'Secret' || after.apiVersion !== 'v1') return [before, after];
  const [old, young] = [{ ...before }, { ...after }];
  for (const field of ['data', 'stringData']) {
    const [a, b] = [getField(old, field), getField(young, field)];
    if (a !== undefined) old[field] = maskValues(a, b, 'before');
    if (b !== undefined) young[field] = maskValues(b, a, 'after');
  }
  return [withoutLastApplied(old), withoutLastApplied(young)];
}

function maskValues(values: unknown, others: unknown, when: string): unknown {
  if (!isJsonObject(values)) return MASK;
  const other = isJsonObject(others) ? others : {};
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isChanged = Object.hasOwn(other, name) && other[name] !== value;
      return [name, isChanged ? `${MASK} (${when})` : MASK];
    }),
  );
}

/** It repeats the values of a Secret. */
function withoutLastApplied(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata) || !isJsonObject(metadata.annotations)) return object;
  const { [LAST_APPLIED]: _, ...annotations } = metadata.annotations;
  return { ...object, metadata: { ...metadata, annotations } };
}

function compare(before: unknown, after: unknown, path: string, changes: FieldChange[]): void {
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(getField(before, name), getField(after, name), fieldPath(path, name), changes);
    }
  } else if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, changes);
  else if (before !== after) changes.push({ path, before, after });
}

/** Items with names are compared by their names, others by their places. */
function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
  changes: FieldChange[],
): void {
  const [old, young] = [byName(before), byName(after)];
  if (old !== undefined && young !== undefined) {
    for (const name of new Set([...old.keys(), ...young.keys()])) {
      compare(old.get(name), young.get(name), `${path}[name=${JSON.stringify(name)}]`, changes);
    }
    return;
  }
  for (let i = 0; i < Math.max(before.length, after.length); i++) {
    compare(before[i], after[i], `${path}[${i}]`, changes);
  }
}

/** The items by their names; undefined if one has none, or two have the same. */
function byName(items: readonly unknown[]): ReadonlyMap<string, unknown> | undefined {
  const found = new Map<string, unknown>();
  for (const item of items) {
    const name = isJsonObject(item) ? getField(item, 'name') : undefined;
    if (typeof name !== 'string' || found.has(name)) return undefined;
    found.set(name, item);
  }
  return found;
}

function fieldPath(path: string, name: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
