import { isWatchEventType, type WireEvent } from '../../meta/watch-event.js';
import type { DecoderOptions, WatchDecoder } from '../codec.js';
import { UnknownFieldError } from '../decode-error.js';
import type { Raw } from '../raw.js';
import { checkMessage } from './check-message.js';
import { decodeDocument } from './decode-message.js';
import { documentType, Envelope, RAW_TAG, readEnvelope } from './document.js';
import { noSchema, type Origin, RawBuilder, tooLarge } from './raw-builder.js';
import { ProtobufStreamDecoder } from './stream-decoder.js';
import { equalsText, readText } from './text.js';
import { clippedField, cursor, MAGIC, MalformedError, readLength, readTag, skipValue } from './wire.js';

/** Fields of a WatchEvent, as tags: its type, and its object, which is a message with the document in field 1. */
const TYPE = 10;
const OBJECT = 18;
const DOCUMENT = 10;
/** What a document begins with, as a number. */
const DOCUMENT_START = MAGIC.readUInt32BE(0);
/** `MODIFIED` and `BOOKMARK`. */
const LONGEST_TYPE = 8;

/** What an event and an envelope may add to the size of an object. */
const OVERHEAD = 1024;
/** How much of an event that is too large is read, for its type and the key of its object. */
const PREFIX_BYTES = 65_536;

const objectEvents = ['MODIFIED', 'ADDED', 'DELETED'] as const;

/** Decodes the events of a watch: each is a message after its length in four bytes. */
export class ProtobufWatchDecoder<T> extends ProtobufStreamDecoder<WireEvent<Raw<T>>> implements WatchDecoder<T> {
  readonly #builder: RawBuilder;
  readonly #options: DecoderOptions;
  readonly #envelope = new Envelope();
  #origin: Origin;
  /** The length of the event that is being read; -1 before it is known. */
  #length = -1;
  /** The length of its type; -1 before it is known. */
  #typeLength = -1;
  /** Whether the start of an event that is too large was read, and the rest is to be skipped. */
  #isSkipping = false;
  #type = '';
  #start = 0;
  #end = 0;

  constructor(options: DecoderOptions) {
    super('watch event');
    this.#options = options;
    this.#builder = new RawBuilder(options);
    this.#origin = this.#builder.origin(options.typeMeta?.apiVersion ?? '', options.typeMeta?.kind ?? '');
  }

  protected get isComplete(): boolean {
    return this.#length < 0 && !this.reader.isInside;
  }

  protected next(into: WireEvent<Raw<T>>[]): boolean {
    const { reader } = this;
    if (this.#length < 0) {
      if (!reader.take(4)) return false;
      this.#length = reader.source.readUInt32BE(reader.start);
      if (this.#length === DOCUMENT_START) throw this.fail('this is one document, and not a watch');
    }
    if (!this.#takeType()) return false;
    const length = this.#length - 2 - this.#typeLength;
    const limit = this.#builder.maxObjectBytes + OVERHEAD;
    if (length > limit) {
      const prefix = Math.min(limit, PREFIX_BYTES);
      if (!this.#isSkipping) {
        if (!reader.take(prefix)) return false;
        this.#isSkipping = true;
        this.#emitTooLarge(into);
      }
      if (!reader.skip(length - prefix)) return false;
      this.#isSkipping = false;
    } else {
      if (!reader.take(length)) return false;
      this.#emit(into);
    }
    this.#length = -1;
    this.#typeLength = -1;
    return true;
  }

  /**
   * Reads the type, with which every event begins. It is checked before the rest has arrived: a stream that lost or repeated
   * bytes has wrong lengths, and waiting for the announced bytes could take for ever.
   */
  #takeType(): boolean {
    const { reader } = this;
    if (this.#typeLength < 0) {
      if (this.#length < 2) throw this.fail('it has no type; is this a watch?');
      if (!reader.take(2)) return false;
      const { source, start } = reader;
      const length = source[start + 1]!;
      if (source[start] !== TYPE || length > LONGEST_TYPE || length + 2 > this.#length) {
        throw this.fail('it does not begin with its type; is this a watch?');
      }
      this.#typeLength = length;
      this.#type = '';
    }
    if (this.#type !== '') return true;
    if (!reader.take(this.#typeLength)) return false;
    this.#type = eventType(reader.source, reader.start, reader.end);
    if (isWatchEventType(this.#type)) return true;
    throw this.fail(`its type is ${JSON.stringify(this.#type)}, which is not a type of watch events`);
  }

  #emit(into: WireEvent<Raw<T>>[]): void {
    const { source, start, end, sourceOffset } = this.reader;
    this.#locate(source, start, end);
    const type = this.#type;
    const envelope = this.#envelope;
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
      try {
        readEnvelope(envelope, source, this.#start, this.#end);
      } catch (error) {
        if (!(error instanceof MalformedError)) throw error;
        into.push({
          type,
          object: this.#builder.unreadable(source, 0, 0, this.#origin, sourceOffset + error.at, error.message),
        });
        return;
      }
      const origin = this.#originOf(envelope);
      if (envelope.end - envelope.start > this.#builder.maxObjectBytes) {
        const reason = tooLarge(this.#builder.maxObjectBytes);
        const object = this.#builder.unreadable<T>(
          source,
          envelope.start,
          envelope.end,
          origin,
          sourceOffset + envelope.start,
          reason,
        );
        into.push({ type, object });
      } else {
        const object = this.#builder.build<T>(source, envelope.start, envelope.end, origin, sourceOffset);
        into.push({ type, object });
      }
    } else {
      readEnvelope(envelope, source, this.#start, this.#end);
      into.push({ type, object: this.#decode(source, envelope) } as unknown as WireEvent<Raw<T>>);
    }
  }

  /** For an event that is too large: only its start was read. */
  #emitTooLarge(into: WireEvent<Raw<T>>[]): void {
    const { source, start, end, sourceOffset } = this.reader;
    const reason = tooLarge(this.#builder.maxObjectBytes);
    if (this.#type !== 'ADDED' && this.#type !== 'MODIFIED' && this.#type !== 'DELETED') throw this.fail(reason);
    const object = clippedField(source, start, end, OBJECT);
    const document = object && clippedField(source, object.start, object.end, DOCUMENT);
    const raw = document && clippedField(source, document.start + MAGIC.length, document.end, RAW_TAG);
    const at = raw ?? { start: 0, end: 0 };
    const unreadable = this.#builder.unreadable<T>(
      source,
      at.start,
      at.end,
      this.#origin,
      sourceOffset + start,
      reason,
    );
    into.push({ type: this.#type, object: unreadable });
  }

  /** The object of a BOOKMARK or ERROR. */
  #decode(source: Buffer, { start, end, apiVersion, kind }: Envelope): Record<string, unknown> {
    const type = documentType(apiVersion, kind);
    if (type === undefined) throw this.fail(noSchema({ apiVersion, kind }));
    const unknown = checkMessage(source, start, end, type);
    if (unknown !== undefined && this.#options.isStrict?.() === true) {
      throw new UnknownFieldError('object', this.reader.offset, `the schema does not have ${unknown}`);
    }
    return decodeDocument(source, start, end, type, kind, apiVersion);
  }

  /** Finds the document of the event. */
  #locate(source: Buffer, start: number, end: number): void {
    this.#start = this.#end = end;
    for (let at = start; at < end; ) {
      const tag = readTag(source, at, end);
      const from = cursor.at;
      const to = skipValue(source, from, end, tag);
      if (tag === OBJECT) {
        readLength(source, from, end);
        this.#locateDocument(source, cursor.at, to);
      }
      at = to;
    }
  }

  #locateDocument(source: Buffer, start: number, end: number): void {
    for (let at = start; at < end; ) {
      const tag = readTag(source, at, end);
      const from = cursor.at;
      const to = skipValue(source, from, end, tag);
      if (tag === DOCUMENT) {
        readLength(source, from, end);
        this.#start = cursor.at;
        this.#end = to;
      }
      at = to;
    }
  }

  #originOf({ apiVersion, kind }: Envelope): Origin {
    const last = this.#origin;
    if (last.kind !== kind || last.apiVersion !== apiVersion) this.#origin = this.#builder.origin(apiVersion, kind);
    return this.#origin;
  }
}

/** The type of an event; for the types of object events without making a string of it. */
function eventType(bytes: Buffer, from: number, to: number): string {
  for (const type of objectEvents) if (equalsText(type, bytes, from, to)) return type;
  return readText(bytes, from, to);
}
