import { getField, isJsonObject } from '../../meta/json-values.js';
import { apiVersionOf, type GroupVersionKind } from '../../meta/resource.js';
import type { Codec, DecodeOptions, DecoderOptions, ListDecoder, WatchDecoder } from '../codec.js';
import { DecodeError, UnknownFieldError } from '../decode-error.js';
import { type Raw, rawAccessorOf } from '../raw.js';
import { checkMessage } from './check-message.js';
import { decodeDocument } from './decode-message.js';
import { closeDocument, DOCUMENT_END, documentType, Envelope, readEnvelope } from './document.js';
import { MessageWriter, NotRepresentableError } from './encode-message.js';
import { ProtobufListDecoder } from './list-decoder.js';
import { noSchema, RawBuilder } from './raw-builder.js';
import { ProtobufWatchDecoder } from './watch-decoder.js';
import { MalformedError } from './wire.js';

/** Protobuf, the format of the built-in kinds: smaller than JSON and faster for both sides. */
export const protobufCodec: Codec = {
  mediaType: 'application/vnd.kubernetes.protobuf',
  watchMediaType: 'application/vnd.kubernetes.protobuf;stream=watch',
  schemaVersion: '1.36',
  knows: (kind: GroupVersionKind) => documentType(apiVersionOf(kind), kind.kind) !== undefined,
  listDecoder: <T>(options: DecoderOptions): ListDecoder<T> => new ProtobufListDecoder<T>(options),
  watchDecoder: <T>(options: DecoderOptions): WatchDecoder<T> => new ProtobufWatchDecoder<T>(options),
  raw: rawOf,
  decode,
  encode,
};

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The envelope of a document. @throws DecodeError */
function open(bytes: Buffer): Envelope {
  const envelope = new Envelope();
  try {
    readEnvelope(envelope, bytes, 0, bytes.length);
  } catch (error) {
    throw toDecodeError(error);
  }
  return envelope;
}

function toDecodeError(error: unknown): unknown {
  return error instanceof MalformedError
    ? new DecodeError('document', error.at, error.message, { cause: error })
    : error;
}

function decode<T>(bytes: Uint8Array, options?: DecodeOptions): T {
  const all = bufferOf(bytes);
  const { apiVersion, kind, start, end } = open(all);
  const type = documentType(apiVersion, kind);
  if (type === undefined) throw new DecodeError('document', 0, noSchema({ apiVersion, kind }));
  try {
    const unknown = checkMessage(all, start, end, type);
    if (unknown !== undefined && options?.isStrict?.() === true) {
      throw new UnknownFieldError('document', start, `the schema does not have ${unknown}`);
    }
    return decodeDocument(all, start, end, type, kind, apiVersion) as T;
  } catch (error) {
    throw toDecodeError(error);
  }
}

function rawOf<T>(bytes: Uint8Array, options: DecoderOptions): Raw<T> {
  const builder = new RawBuilder(options);
  const all = bufferOf(bytes);
  const envelope = open(all);
  const { start, end } = envelope;
  const origin = builder.origin(
    envelope.apiVersion || (options.typeMeta?.apiVersion ?? ''),
    envelope.kind || (options.typeMeta?.kind ?? ''),
  );
  const raw = builder.build<T>(all, start, end, origin, 0);
  const error = rawAccessorOf<T>().unreadable?.(raw);
  if (error !== undefined) throw error;
  return raw;
}

const writer = new MessageWriter(true);

function encode(value: unknown): Buffer | undefined {
  const apiVersion = isJsonObject(value) ? getField(value, 'apiVersion') : undefined;
  const kind = isJsonObject(value) ? getField(value, 'kind') : undefined;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const type = documentType(apiVersion, kind);
  if (type === undefined) return undefined;
  writer.clear();
  try {
    writer.raw(DOCUMENT_END);
    writer.document(value, type);
    closeDocument(writer, DOCUMENT_END.length, apiVersion, kind);
    return writer.take();
  } catch (error) {
    if (error instanceof NotRepresentableError) return undefined;
    throw error;
  }
}
