/**
 * Documents: `k8s\0` and an envelope, a message with apiVersion and kind in field 1 and the bytes of the object in field 2.
 */
import { parseApiVersion } from '../../meta/resource.js';
import { type ObjectSchema, schemaOf, typeSchema } from '../../resources/schema.js';
import type { MessageWriter } from './encode-message.js';
import { Field, Kind, MessageType, messageTypeOf, Shape } from './message-type.js';
import { readText } from './text.js';
import { cursor, MAGIC, MalformedError, readLength, readTag, skipValue } from './wire.js';

const known = new Map<string, MessageType>();

/** The message of a kind, of a list of a kind, or of a type of meta/v1 such as Status; undefined if it is not built in. */
export function documentType(apiVersion: string, kind: string): MessageType | undefined {
  const name = `${apiVersion} ${kind}`;
  const present = known.get(name);
  if (present !== undefined) return present;
  const type = findType(apiVersion, kind);
  if (type !== undefined) known.set(name, type);
  return type;
}

function findType(apiVersion: string, kind: string): MessageType | undefined {
  // Both come from the network.
  if (!/^(?:(?:[a-z0-9.-]+\/)?[a-z0-9]+)?$/.test(apiVersion) || !/^[A-Za-z]+$/.test(kind)) return undefined;
  const schema = findSchema(apiVersion, kind);
  if (schema !== undefined) return messageTypeOf(schema);
  if (!kind.endsWith('List')) return undefined;
  const item = findSchema(apiVersion, kind.slice(0, -'List'.length));
  return item?.fields.get('metadata') === undefined ? undefined : listType(`${apiVersion} ${kind}`, item);
}

function findSchema(apiVersion: string, kind: string): ObjectSchema | undefined {
  // Some discovery documents have none.
  if (apiVersion === '') return typeSchema(`meta/v1.${kind}`);
  const { group, version } = parseApiVersion(apiVersion);
  // Status, DeleteOptions and others belong to every group.
  return schemaOf({ group, version, kind }) ?? typeSchema(`meta/v1.${kind}`);
}

function listType(name: string, item: ObjectSchema): MessageType {
  const text = new Shape(Kind.String);
  const metadata = new Shape(Kind.Message, messageTypeOf(typeSchema('meta/v1.ListMeta')!));
  const items = new Shape(Kind.List, undefined, new Shape(Kind.Message, messageTypeOf(item)));
  const type = new MessageType(name);
  type.addField(new Field('kind', 0, 0, text, false, false));
  type.addField(new Field('apiVersion', 0, 1, text, false, false));
  type.addField(new Field('metadata', 1, 2, metadata, false, true));
  type.addField(new Field('items', 2, 3, items, false, true));
  return type.finish();
}

/** Where the parts of an envelope are. */
export class Envelope {
  apiVersion = '';
  kind = '';
  /** The bytes of the object. */
  start = 0;
  end = 0;
}

/**
 * Reads the envelope between `start` and `end`, which begins with `k8s\0`.
 *
 * @throws MalformedError
 */
export function readEnvelope(into: Envelope, bytes: Buffer, start: number, end: number): void {
  for (let i = 0; i < MAGIC.length; i++) {
    if (start + i >= end || bytes[start + i] !== MAGIC[i]) {
      throw new MalformedError("it does not begin with 'k8s' and a zero byte", start);
    }
  }
  into.apiVersion = into.kind = '';
  into.start = into.end = end;
  for (let at = start + MAGIC.length; at < end; ) {
    const tag = readTag(bytes, at, end);
    const from = cursor.at;
    const to = skipValue(bytes, from, end, tag);
    if (tag === TYPE_META_TAG || tag === RAW_TAG) {
      readLength(bytes, from, end);
      if (tag === TYPE_META_TAG) readTypeMeta(into, bytes, cursor.at, to);
      else {
        into.start = cursor.at;
        into.end = to;
      }
    }
    at = to;
  }
}

/** Field 1 of an envelope: apiVersion and kind. */
export const TYPE_META_TAG = 10;
/** Field 2 of an envelope: the bytes of the object. */
export const RAW_TAG = 18;

/** Reads the message with apiVersion in field 1 and kind in field 2. */
export function readTypeMeta(into: Envelope, bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    const from = cursor.at;
    const to = skipValue(bytes, from, end, tag);
    if (tag === 10 || tag === 18) {
      readLength(bytes, from, end);
      const text = readText(bytes, cursor.at, to);
      if (tag === 10) into.apiVersion = text;
      else into.kind = text;
    }
    at = to;
  }
}

/** The end of a document: fields 3 and 4 of the envelope, which are empty. */
export const DOCUMENT_END: Buffer = Buffer.from([0x1a, 0, 0x22, 0]);

/** Writes the envelope around what was written since the writer's length was `before`, except for {@link DOCUMENT_END}. */
export function closeDocument(writer: MessageWriter, before: number, apiVersion: string, kind: string): void {
  writer.close(2, before);
  writeDocumentStart(writer, apiVersion, kind);
}

/** Writes what comes before field 2: `k8s\0`, apiVersion and kind. */
export function writeDocumentStart(writer: MessageWriter, apiVersion: string, kind: string): void {
  const before = writer.length;
  writer.text(kind);
  writer.close(2, before);
  const beforeVersion = writer.length;
  writer.text(apiVersion);
  writer.close(1, beforeVersion);
  writer.close(1, before);
  writer.raw(MAGIC);
}
