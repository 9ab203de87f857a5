import { equalLarge } from '../../codec/json/large-json.js';
import type { JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import { type Conflict, conflictError, conflictsBeyond, conflictsWith } from './conflicts.js';
import { entryKey, type Managed, type ManagedEntry } from './entries.js';
import { difference, type FieldSet, intersection, union } from './fields.js';
import { allowedByLastApplied, KUBECTL } from './last-applied.js';
import { type ManagedKind, VersionedComparison, type Writer } from './managed-kind.js';
import { mergeApplied } from './merge.js';
import { setOfValue, withNamedFields, withoutFields } from './set-of-value.js';
import { ownable, trackUpdate } from './track-update.js';

/** The result of an apply. */
export interface Applied {
  /** The new state; undefined if it is the live one, and only the managers change. */
  readonly object: JsonObject | undefined;
  readonly managed: Managed;
}

/** The manager of what an object had before the first apply, if its fields were not tracked. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/**
 * Applies a document to the live state: merges it, removes what its manager no longer applies and no other manager owns, and
 * takes over its fields. Throws a StatusError (409) for conflicts with other managers unless `force` is set. The document has
 * the kind's type.
 */
export function* applyDocument(
  kind: ManagedKind,
  live: JsonObject,
  document: JsonObject,
  managed: Managed,
  writer: Writer,
  force: boolean,
): Steps<Applied> {
  const owners =
    managed.size > 0
      ? managed
      : yield* trackUpdate(kind, kind.zero, live, managed, { ...writer, manager: BEFORE_FIRST_APPLY });
  const outcome = yield* tryApply(kind, live, document, owners, writer, force);
  if (outcome.conflicts.length === 0) return outcome;
  if (writer.manager !== KUBECTL) throw conflictError(outcome.conflicts);
  const left = conflictsBeyond(outcome.conflicts, yield* allowedByLastApplied(kind, live));
  if (left.length > 0) throw conflictError(left);
  return yield* tryApply(kind, live, document, owners, writer, true);
}

function* tryApply(
  kind: ManagedKind,
  live: JsonObject,
  document: JsonObject,
  managed: Managed,
  { manager, time }: Writer,
  force: boolean,
): Steps<Applied & { readonly conflicts: readonly Conflict[] }> {
  const { apiVersion, subresource, type } = kind;
  const identity = { manager, operation: 'Apply', apiVersion, subresource } as const;
  const key = entryKey(identity);
  const last = managed.get(key);
  const set = yield* kind.resets(yield* setOfValue(type, document));
  const applied: ManagedEntry = { ...identity, time: last?.time, fields: set };
  const owners = new Map([...managed].filter(([, entry]) => kind.version(entry.apiVersion) !== undefined));
  owners.set(key, applied);
  const merged = yield* mergeApplied(type, live, document);
  const object = yield* prune(kind, merged, owners, last);

  const comparison = new VersionedComparison(kind, live, object);
  const conflicts: Conflict[] = [];
  for (const [owner, entry] of [...owners].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (owner === key) continue;
    const { added, modified, removed } = (yield* comparison.in(entry.apiVersion))!;
    const contested = yield* intersection(entry.fields, yield* union(modified, added));
    if (contested !== undefined && !force) conflicts.push(...conflictsWith(entry, contested));
    const fields = yield* difference(yield* difference(entry.fields, contested), removed);
    if (fields === undefined) owners.delete(owner);
    else if (fields !== entry.fields) owners.set(owner, { ...entry, fields });
  }
  const isSame = yield* equalLarge(live, object);
  const fields = yield* ownable(set);
  if (fields === undefined) owners.delete(key);
  else owners.set(key, { ...applied, fields, time: isSame ? last?.time : time });
  return { object: isSame ? undefined : object, managed: owners, conflicts };
}

/** Removes the fields that the manager applied before, unless a manager (itself too) owns them now. */
function* prune(
  kind: ManagedKind,
  merged: JsonObject,
  owners: Managed,
  last: ManagedEntry | undefined,
): Steps<JsonObject> {
  const version = last?.fields === undefined ? undefined : kind.version(last.apiVersion);
  if (last === undefined || version === undefined) return merged;
  const lastFields = yield* withNamedFields(last.fields, version.type);
  const whole = version.convert(merged);
  let pruned = yield* withoutFields(version.type, whole, lastFields);
  pruned = yield* withOwnedFields(kind, whole, pruned, last.apiVersion, owners);
  // What the manager did not own is not removed, even if it was below something that it owned.
  const dangling = version.convert(pruned);
  const gone = yield* difference(
    yield* withNamedFields(yield* setOfValue(version.type, whole), version.type),
    yield* withNamedFields(yield* setOfValue(version.type, dangling), version.type),
  );
  const result = yield* withoutFields(version.type, whole, yield* intersection(gone, lastFields));
  return kind.version(kind.apiVersion)!.convert(result);
}

/** Puts back into a pruned object what any manager owns, version by version, that of the pruned object first. */
function* withOwnedFields(
  kind: ManagedKind,
  merged: JsonObject,
  pruned: JsonObject,
  prunedVersion: string,
  owners: Managed,
): Steps<JsonObject> {
  const owned = new Map<string, FieldSet>([[prunedVersion, undefined]]);
  for (const { apiVersion, fields } of owners.values()) {
    owned.set(apiVersion, yield* union(owned.get(apiVersion), fields));
  }
  let result = pruned;
  for (const [apiVersion, fields] of owned) {
    const version = kind.version(apiVersion);
    if (version === undefined) continue;
    const { type, convert } = version;
    const whole = convert(merged);
    const kept = yield* union(
      yield* withNamedFields(yield* setOfValue(type, convert(result)), type),
      yield* withNamedFields(fields, type),
    );
    const all = yield* withNamedFields(yield* setOfValue(type, whole), type);
    result = yield* withoutFields(type, whole, yield* difference(all, kept));
  }
  return result;
}
