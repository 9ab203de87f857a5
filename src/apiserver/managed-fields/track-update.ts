import type { JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import { entryKey, type Managed, type ManagedEntry, secondsOf } from './entries.js';
import { difference, type FieldSet, setOfPaths, union } from './fields.js';
import { type ManagedKind, VersionedComparison, type Writer } from './managed-kind.js';
import { checkType } from './validate.js';

/** The fields that no manager owns. */
const STRIPPED: FieldSet = setOfPaths(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName'].map((name) => ['metadata', name]),
  ...['generation', 'managedFields', 'resourceVersion'].map((name) => ['metadata', name]),
);

/** A set without the fields that no manager owns. */
export function ownable(set: FieldSet): Steps<FieldSet> {
  return difference(set, STRIPPED);
}

/** The number of Update entries that an object keeps. */
const MAX_UPDATERS = 10;
const ANCIENT = 'ancient-changes';

/**
 * The managers after a write that is no apply: the writer takes what it has added and modified from all others; what it has
 * removed no manager owns any more. Throws a TypingError or UnidentifiedItem for an object whose fields cannot be identified.
 */
export function* trackUpdate(
  kind: ManagedKind,
  live: JsonObject,
  next: JsonObject,
  managed: Managed,
  { manager, time }: Writer,
): Steps<Managed> {
  if (kind.isCustom) yield* checkType(kind.type, next, true);
  const comparison = new VersionedComparison(kind, live, next);
  const { apiVersion, subresource } = kind;
  const { added, modified } = (yield* comparison.in(apiVersion))!;
  const left = new Map<string, ManagedEntry>();
  for (const [key, entry] of managed) {
    const changes = yield* comparison.in(entry.apiVersion);
    if (changes === undefined) continue;
    let { fields } = entry;
    for (const lost of [changes.modified, changes.added, changes.removed]) {
      if (lost !== undefined) fields = yield* difference(fields, lost);
    }
    if (fields === undefined) continue;
    left.set(key, fields === entry.fields ? entry : { ...entry, fields });
  }
  const changed = added === undefined ? modified : yield* union(modified, added);
  const taken = changed && (yield* ownable(changed));
  if (taken !== undefined) {
    const identity = { manager: manager || 'unknown', operation: 'Update', apiVersion, subresource } as const;
    const key = entryKey(identity);
    left.set(key, { ...identity, time, fields: yield* union(left.get(key)?.fields, taken) });
  }
  return yield* withoutAncient(left);
}

/** Merges the oldest Update entries of each version until there are few enough. */
function* withoutAncient(managed: Map<string, ManagedEntry>): Steps<Managed> {
  if (managed.size <= MAX_UPDATERS) return managed;
  const updaters = [...managed].filter(([, { operation }]) => operation === 'Update');
  let left = updaters.length;
  if (left <= MAX_UPDATERS) return managed;
  updaters.sort(([a, one], [b, other]) => secondsOf(one) - secondsOf(other) || (a < b ? -1 : 1));
  const firstOf = new Map<string, string>();
  for (const [key, entry] of updaters) {
    if (left <= MAX_UPDATERS) break;
    const { apiVersion } = entry;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, key);
      continue;
    }
    const identity = { manager: ANCIENT, operation: 'Update', apiVersion, subresource: '' } as const;
    const bucket = entryKey(identity);
    let merged = managed.get(bucket)?.fields;
    if (!managed.has(bucket)) {
      merged = managed.get(first)?.fields;
      managed.delete(first);
    }
    managed.delete(key);
    managed.set(bucket, { ...identity, time: entry.time, fields: yield* union(entry.fields, merged) });
    left--;
  }
  return managed;
}
