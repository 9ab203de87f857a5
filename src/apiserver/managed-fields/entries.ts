import { isJsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import { type FieldSet, type Fields, LEAF, readFieldsV1, storedFields } from './fields.js';

/** The fields of one manager, by one operation. */
export interface ManagedEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** The entries of an object by their {@link entryKey}. */
export type Managed = ReadonlyMap<string, ManagedEntry>;

/** What identifies an entry. An applier has one entry for all versions. It is also the order of managers in messages. */
export function entryKey({
  manager,
  operation,
  apiVersion,
  subresource,
}: Omit<ManagedEntry, 'time' | 'fields'>): string {
  return `${manager}\n${operation}\n${operation === 'Apply' ? '' : apiVersion}\n${subresource}`;
}

/** The entries of a stored object, which are known to be well-formed. */
export function storedEntries(managedFields: unknown): Managed {
  const entries = new Map<string, ManagedEntry>();
  if (!Array.isArray(managedFields)) return entries;
  for (const stored of managedFields) {
    const { manager = '', operation, apiVersion, subresource = '', time, fieldsV1 } = stored;
    const entry: ManagedEntry = { manager, operation, apiVersion, subresource, time, fields: storedFields(fieldsV1) };
    entries.set(entryKey(entry), entry);
  }
  return entries;
}

/** The entries that a client sent. Undefined if one of them is malformed, or if there are none. */
export function* sentEntries(managedFields: unknown): Steps<Managed | undefined> {
  if (!Array.isArray(managedFields)) return undefined;
  const entries = new Map<string, ManagedEntry>();
  for (const sent of managedFields) {
    if (!isJsonObject(sent)) return undefined;
    const { operation, apiVersion, fieldsType, manager, subresource, time } = sent;
    if ((operation !== 'Apply' && operation !== 'Update') || fieldsType !== 'FieldsV1') return undefined;
    if (typeof apiVersion !== 'string' || apiVersion === '') return undefined;
    const entry = { manager: textOf(manager) ?? '', operation, apiVersion, subresource: textOf(subresource) ?? '' };
    try {
      const fields = yield* readFieldsV1(sent['fieldsV1']);
      entries.set(entryKey(entry as ManagedEntry), { ...(entry as ManagedEntry), time: textOf(time), fields });
    } catch {
      return undefined;
    }
  }
  return entries.size === 0 ? undefined : entries;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Whether a client asks for the removal of all entries: `[]` or `[{}]`. */
export function isReset(managedFields: unknown): boolean {
  if (!Array.isArray(managedFields) || managedFields.length > 1) return false;
  const [only] = managedFields;
  return only === undefined || (isJsonObject(only) && Object.keys(only).length === 0);
}

/** The entries as `metadata.managedFields`, in their order; undefined if there are none. */
export function printEntries(managed: Managed): readonly object[] | undefined {
  if (managed.size === 0) return undefined;
  const entries = [...managed.values()];
  if (entries.length > 1) entries.sort(compareEntries);
  return entries.map(printEntry);
}

function printEntry({ manager, operation, apiVersion, time, fields, subresource }: ManagedEntry): object {
  const entry: { [name: string]: string | Fields } = {};
  if (manager !== '') entry['manager'] = manager;
  entry['operation'] = operation;
  entry['apiVersion'] = apiVersion;
  if (time !== undefined) entry['time'] = time;
  entry['fieldsType'] = 'FieldsV1';
  entry['fieldsV1'] = fields ?? LEAF;
  if (subresource !== '') entry['subresource'] = subresource;
  return entry;
}

function compareEntries(a: ManagedEntry, b: ManagedEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The time of an entry in seconds; an entry without a time is the oldest. */
export function secondsOf({ time }: ManagedEntry): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}
