/** What a server writes: documents, and the parts of lists and watch events around objects that are encoded once. */
import { closeDocument, DOCUMENT_END, documentType, writeDocumentStart } from './document.js';
import { MessageWriter } from './encode-message.js';
import type { MessageType } from './message-type.js';
import { BYTES } from './wire.js';

const writer = new MessageWriter(false);

/** A document of a built-in kind, such as a Status. */
export function encodeDocument(value: { readonly kind: string; readonly apiVersion?: string }): Buffer {
  const { kind, apiVersion = '' } = value;
  writer.clear();
  writer.raw(DOCUMENT_END);
  writer.document(value, builtInType(apiVersion, kind));
  closeDocument(writer, DOCUMENT_END.length, apiVersion, kind);
  return writer.take();
}

/** The message of a built-in kind. */
export function builtInType(apiVersion: string, kind: string): MessageType {
  const type = documentType(apiVersion, kind);
  if (type === undefined) throw new Error(`${kind} of ${apiVersion} is not a built-in kind`);
  return type;
}

/** The message of an object, without its kind and apiVersion. */
export function encodeObject(object: object, type: MessageType): Buffer {
  writer.clear();
  writer.document(object, type);
  return writer.take();
}

/** What comes before a message of this length in a document; {@link DOCUMENT_END} comes after it. */
export function documentStart(apiVersion: string, kind: string, length: number): Buffer {
  writer.clear();
  writer.varint(length);
  writer.tag(2, BYTES);
  writeDocumentStart(writer, apiVersion, kind);
  return writer.take();
}

/** What comes before a message of this length as field `number` of another one. */
export function fieldStart(number: number, length: number): Buffer {
  writer.clear();
  writer.varint(length);
  writer.tag(number, BYTES);
  return writer.take();
}

/** What comes before a document of this length in a watch event: the length of the event, its type, and the start of its object. */
export function eventStart(type: string, length: number): Buffer {
  writer.clear();
  writer.varint(length);
  writer.tag(1, BYTES);
  writer.varint(length + writer.length);
  writer.tag(2, BYTES);
  const before = writer.length;
  writer.text(type);
  writer.close(1, before);
  const frame = Buffer.alloc(4);
  frame.writeUInt32BE(length + writer.length);
  writer.raw(frame);
  return writer.take();
}
