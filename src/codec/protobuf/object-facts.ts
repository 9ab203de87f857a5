import { BYTES, cursor, readLength, readTag, skipValue } from './wire.js';

/** Where the facts of an object are in its bytes. They are noted while the object is checked, so that it is read once. */

/** Numbers of fields: `metadata` of every kind, and fields of ObjectMeta. */
export const METADATA = 1;
const NAME = 1;
const NAMESPACE = 3;
const UID = 5;
const RESOURCE_VERSION = 6;
export const MANAGED_FIELDS = 17;

/** Positions of what was found; -1 if it was not. Metadata in several parts is merged: of each field the last one counts. */
export class ObjectFacts {
  /** The number of parts of the metadata. */
  parts = 0;
  /** The last part: its field, and its content. */
  fieldStart = -1;
  start = -1;
  end = -1;
  nameStart = -1;
  nameEnd = -1;
  namespaceStart = -1;
  namespaceEnd = -1;
  uidStart = -1;
  uidEnd = -1;
  versionStart = -1;
  versionEnd = -1;
  /** From the first to the last field of managedFields. */
  managedStart = -1;
  managedEnd = -1;
  /** Whether nothing else is between them. */
  isManagedWhole = true;
}

/** The facts of the object that was checked last. */
export const facts: ObjectFacts = new ObjectFacts();

export function beginFacts(): void {
  facts.parts = 0;
  facts.nameStart = facts.namespaceStart = facts.uidStart = facts.versionStart = facts.managedStart = -1;
  facts.isManagedWhole = true;
}

/** Notes a part of the metadata: where its field and its content start, and where both end. */
export function noteMetadata(fieldStart: number, start: number, end: number): void {
  facts.parts++;
  facts.fieldStart = fieldStart;
  facts.start = start;
  facts.end = end;
}

/** Notes a field of the metadata whose value is bytes. */
export function noteMetadataField(number: number, fieldStart: number, start: number, end: number): void {
  if (number === NAME) {
    facts.nameStart = start;
    facts.nameEnd = end;
  } else if (number === NAMESPACE) {
    facts.namespaceStart = start;
    facts.namespaceEnd = end;
  } else if (number === UID) {
    facts.uidStart = start;
    facts.uidEnd = end;
  } else if (number === RESOURCE_VERSION) {
    facts.versionStart = start;
    facts.versionEnd = end;
  } else if (number === MANAGED_FIELDS) {
    if (facts.managedStart < 0) facts.managedStart = fieldStart;
    else if (facts.managedEnd !== fieldStart) facts.isManagedWhole = false;
    facts.managedEnd = end;
  }
}

/**
 * Finds the facts of an object that was not checked.
 *
 * @throws MalformedError, with what was found before noted
 */
export function findFacts(bytes: Buffer, start: number, end: number): void {
  beginFacts();
  findIn(bytes, start, end, (number, fieldStart, from, to) => {
    if (number !== METADATA) return;
    noteMetadata(fieldStart, from, to);
    findIn(bytes, from, to, noteMetadataField);
  });
}

function findIn(
  bytes: Buffer,
  start: number,
  end: number,
  found: (number: number, fieldStart: number, start: number, end: number) => void,
): void {
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    const from = cursor.at;
    const to = skipValue(bytes, from, end, tag);
    if ((tag & 7) === BYTES) {
      readLength(bytes, from, end);
      found(tag >>> 3, at, cursor.at, to);
    }
    at = to;
  }
}
