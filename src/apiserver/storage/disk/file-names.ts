import type { JsonObject } from '../../../meta/json-values.js';

/** The version of the file format. A file of another version is refused. */
export const FORMAT_VERSION = 1;
/** What is not complete yet: removed at the next start. */
export const DRAFT_SUFFIX = '.tmp';

export function logName(number: number): string {
  return `log-${String(number).padStart(10, '0')}`;
}

/** The snapshot of all changes before the log file of the same number. */
export function snapshotName(number: number): string {
  return `snapshot-${String(number).padStart(10, '0')}`;
}

/** The kind and number of a file; undefined for a name of another form. */
export function parseName(name: string): { readonly kind: 'log' | 'snapshot'; readonly number: number } | undefined {
  const found = /^(log|snapshot)-(\d{10})$/.exec(name);
  return found === null ? undefined : { kind: found[1] as 'log' | 'snapshot', number: Number(found[2]) };
}

/** A file of the log and how many of its bytes count. */
export interface LogPosition {
  readonly number: number;
  readonly length: number;
}

/** The first batch of a log file. */
export interface LogHeader {
  readonly format: 'kubeflect-log';
  readonly formatVersion: number;
  /** Names the data directory, so that files of two directories are never mixed. */
  readonly directory: string;
  readonly number: number;
  /** The file before it. Bytes after this length were never acknowledged, and do not count. */
  readonly after?: LogPosition | undefined;
  /** The resourceVersion before the first change of this file. */
  readonly version: number;
}

/** The first batch of a snapshot. */
export interface SnapshotHeader {
  readonly format: 'kubeflect-snapshot';
  readonly formatVersion: number;
  readonly directory: string;
  /** The log file that follows the snapshot. */
  readonly number: number;
  /** The resourceVersion of the state. */
  readonly version: number;
}

/** The last batch of a snapshot. */
export interface SnapshotEnd {
  readonly changes: number;
  /** The oldest version that can be listed and watched, by the id of the collection. */
  readonly oldestVersions: Readonly<Record<string, number>>;
}

/** The last batch of a log file whose server was stopped in order. */
export const LOG_END: JsonObject = { end: true };
