import type { Status } from '../../meta/errors/status.js';
import type { ChangeType } from '../storage/storage.js';

/**
 * A recording is what lists and watches of some resources have received, with times, in one file.
 *
 * ```
 *   batch 0       RecordingHeader as JSON
 *   batch 1…      blocks of entries: two float64 (the times of the first and the last entry), a uint32 (the length of the entries),
 *                 and the entries as raw deflate, whose dictionary is the end of the block before
 *   last batch    { "end": true }, if the recorder has ended in order
 * ```
 *
 * The frame of a batch, with its checksums, is that of the files of a data directory. A recorder only appends, so that a file is
 * readable up to the last whole block whenever its recorder ends. An entry:
 *
 * ```
 *   number        what it is (ENTRY) + 8 × the number of the resource in the header
 *   number        milliseconds since the entry before
 *   LIST          resourceVersion, number of items; that many ITEM entries follow, with no other entry between them
 *   ITEM          object                           an object of the list
 *   ADDED …       object                           a watch event
 *   BOOKMARK      resourceVersion
 *   FAILURE       length, RecordedFailure as JSON
 *   object        its number, or 0 and its key (length, text) if it is new; its resourceVersion minus the one before it; its
 *                 difference to its last state, or to the last object of the resource if it is new
 * ```
 *
 * Objects get numbers in the order in which they are new, from 1, for each resource. A deletion, and a list without the object,
 * forget it.
 */

/** The version of the file format. A file of another version is refused. */
export const FORMAT_VERSION = 1;
export const FORMAT = 'kubeflect-recording';

export const ENTRY = { list: 0, item: 1, ADDED: 2, MODIFIED: 3, DELETED: 4, bookmark: 5, failure: 6 } as const;
/** How many bytes of a block before are the dictionary of the next one: more than deflate can use has no effect. */
export const DICTIONARY_BYTES: number = 32 * 1024;
/** The bytes of a block before its compressed entries. */
export const BLOCK_HEAD = 20;

/** A resource of a recording: what discovery said about it, and which of its objects were recorded. */
export interface RecordedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Undefined: all of them. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** The first batch of a recording. */
export interface RecordingHeader {
  readonly format: typeof FORMAT;
  readonly formatVersion: number;
  /** In ms since 1970. */
  readonly startedAt: number;
  readonly resources: readonly RecordedResource[];
}

/** Why a list failed or a watch ended. */
export interface RecordedFailure {
  readonly of: 'list' | 'watch';
  /** The answer or ERROR event of the server, if there was one. */
  readonly status?: Status | undefined;
  /** The error, if there was no answer. A watch that ended without an error has neither. */
  readonly message?: string | undefined;
  /** Whether the watch ended because the recorder had asked for no more time. */
  readonly isTimeout?: boolean | undefined;
}

/** One state of an object. */
export interface RecordedObject {
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly version: number;
  /** The JSON of the server. */
  readonly bytes: Buffer;
}

/** An entry of a recording. `time` is in ms since 1970, `resource` the number of the resource in the header. */
export type RecordingEntry = {
  readonly time: number;
  readonly resource: number;
} & (
  | { readonly kind: 'list'; readonly version: number; readonly count: number }
  | { readonly kind: 'item'; readonly object: RecordedObject }
  | { readonly kind: 'change'; readonly type: ChangeType; readonly object: RecordedObject }
  | { readonly kind: 'bookmark'; readonly version: number }
  | { readonly kind: 'failure'; readonly failure: RecordedFailure }
);

/** A recording cannot be read. The message says which file, where in it, and what to do. */
export class RecordingError extends Error {
  static {
    RecordingError.prototype.name = 'RecordingError';
  }
}
