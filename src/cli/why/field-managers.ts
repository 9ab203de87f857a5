import type { DeepReadonly, ManagedFieldsEntry } from '../../meta/objects.js';
import { fields } from '../object-fields.js';

/** A writer of an object, and the fields that it owns. */
export interface FieldManager {
  /** `kubelet`, or `kubelet (status)` for a subresource. */
  readonly name: string;
  readonly operation: string;
  /** In ms since 1970; NaN if it is not known. */
  readonly at: number;
  /** Such as `metadata.labels, spec.replicas`. */
  readonly owns: string;
}

/** At most this many fields are named. */
const shownFields = 5;

/** The writers of an object, the last one first. */
export function fieldManagers(entries: readonly DeepReadonly<ManagedFieldsEntry>[] | undefined): FieldManager[] {
  return (entries ?? [])
    .map(({ manager = '', operation = '', subresource, time, fieldsV1 }) => ({
      name: subresource ? `${manager} (${subresource})` : manager,
      operation,
      at: Date.parse(time ?? ''),
      owns: ownedFields(fieldsV1),
    }))
    .sort((a, b) => (b.at || 0) - (a.at || 0));
}

/** The names of the owned fields, two levels deep. */
function ownedFields(fieldsV1: unknown): string {
  const paths = Object.entries(fields(fieldsV1)).flatMap(([key, below]) => {
    const inner = Object.keys(fields(below)).filter((name) => name.startsWith('f:'));
    return inner.length === 0 ? [nameOf(key)] : inner.map((name) => `${nameOf(key)}.${nameOf(name)}`);
  });
  const more = paths.length - shownFields;
  return more > 1 ? `${paths.slice(0, shownFields).join(', ')} and ${more} more` : paths.join(', ');
}

function nameOf(key: string): string {
  return key.replace(/^f:/, '');
}

/** The writers whose entries are not the same in the state before. */
export function writersSince(
  before: readonly DeepReadonly<ManagedFieldsEntry>[] | undefined,
  after: readonly DeepReadonly<ManagedFieldsEntry>[] | undefined,
): string[] {
  const known = new Set((before ?? []).map((entry) => JSON.stringify(entry)));
  return fieldManagers((after ?? []).filter((entry) => !known.has(JSON.stringify(entry)))).map(({ name }) => name);
}
