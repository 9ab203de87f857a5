import type { Status } from '../../../meta/errors/status.js';
import type { JsonObject } from '../../../meta/json-values.js';
import type { Steps } from '../../../time/steps.js';
import type { ChangeType, Revision } from '../../storage/storage.js';

/** The metadata of a list. */
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
  readonly shardInfo?: { readonly selector: string } | undefined;
}

/** The form in which the objects of a resource are sent: in JSON as stored, as PartialObjectMetadata, as a Table … */
export interface Shape {
  /** The Content-Type of the answer. */
  readonly contentType: string;
  /** The Content-Type of a watch. @default `contentType` */
  readonly watchContentType?: string | undefined;
  /** Watch events are sent as the lines that are stored. */
  readonly isStored: boolean;
  /** A watch in this form ends with its first event, which cannot be sent: an object as PartialObjectMetadataList. */
  readonly isListOnly: boolean;
  /** The answer with one object. */
  body(revision: Revision): Uint8Array;
  /** The answer with an object that is not stored, as a Scale. */
  documentBody(document: JsonObject): Uint8Array;
  /** Converts the objects of a list, if that must happen before its first piece. @default nothing */
  prepare?(revisions: readonly Revision[]): Steps<void>;
  /** The answer with a list, in pieces. */
  list(metadata: ListMetadata, revisions: readonly Revision[]): Iterable<Uint8Array>;
  /** The watch event of a revision, in pieces, with `type` as its type: a selector can turn a MODIFIED into an ADDED. */
  event(type: ChangeType, revision: Revision): readonly Uint8Array[];
  /** The DELETED event for a watch whose selector no longer selects the object. */
  departure(revision: Revision): Uint8Array;
  /** A BOOKMARK event. */
  bookmark(version: number, annotations?: Readonly<Record<string, string>>): Uint8Array;
  /** An ERROR event. */
  error(status: Status): Uint8Array;
}
