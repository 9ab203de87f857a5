import type { Json } from '../golden/part.js';

/**
 * The managedFields of an object in an order that does not depend on times, and whether the server had them in its own
 * order: applied entries first, then by time, manager and version. Two servers write in different seconds, so that their
 * orders can be checked, but not compared.
 */
export function comparableEntries(entries: readonly Json[]): { readonly entries: Json[]; readonly isOrdered: boolean } {
  const isOrdered = entries.every((entry, index) => index === 0 || isBefore(rank(entries[index - 1]!), rank(entry)));
  const sorted = [...entries].sort((a, b) => (identity(a) < identity(b) ? -1 : 1));
  return { entries: sorted.map(({ time, ...entry }) => ({ ...entry, hasTime: time !== undefined })), isOrdered };
}

/** A copy of a document in which each `metadata.managedFields` is {@link comparableEntries}. */
export function withComparableEntries(value: Json): Json {
  if (Array.isArray(value)) return value.map(withComparableEntries);
  if (value === null || typeof value !== 'object') return value;
  const copy: Record<string, Json> = {};
  for (const [name, field] of Object.entries(value as Record<string, Json>))
    copy[name] =
      name === 'managedFields' && Array.isArray(field) ? comparableEntries(field) : withComparableEntries(field);
  return copy;
}

function identity({ manager, operation, apiVersion, subresource }: Json): string {
  return [manager, operation, apiVersion, subresource].join(' ');
}

function rank({ operation, time = '', manager, apiVersion }: Json): readonly string[] {
  return [operation, time, manager, apiVersion].map(String);
}

function isBefore(one: readonly string[], other: readonly string[]): boolean {
  const index = one.findIndex((part, at) => part !== other[at]);
  return index === -1 || one[index]! < other[index]!;
}
