import type { ListMeta, TypeMeta } from '../../meta/objects.js';
import { typeSchema } from '../../resources/schema.js';
import type { DecoderOptions, ListDecoder, ListHead } from '../codec.js';
import { UnknownFieldError } from '../decode-error.js';
import type { Raw } from '../raw.js';
import { checkMessage } from './check-message.js';
import { decodeMessage } from './decode-message.js';
import { Envelope, RAW_TAG, readTypeMeta, TYPE_META_TAG } from './document.js';
import { messageTypeOf } from './message-type.js';
import { type Origin, RawBuilder, tooLarge } from './raw-builder.js';
import { ProtobufStreamDecoder } from './stream-decoder.js';
import { BYTES, FIXED32, FIXED64, MAGIC } from './wire.js';

/** Fields of a list, as tags. */
const METADATA = 10;
const ITEM = 18;

/** How much of an item that is too large is read, for its key. */
const PREFIX_BYTES = 65_536;
/** Larger metadata or type information of a list is refused. */
const MAX_HEAD_BYTES = 1_048_576;

/**
 * Decodes the items of a list while it arrives: `k8s\0`, and an envelope whose field 2 is the list.
 *
 * ```
 *   k8s\0 │ 1: apiVersion, kind │ 2: ┌ 1: metadata │ 2: item │ 2: item │ … ┐ │ …
 * ```
 */
export class ProtobufListDecoder<T> extends ProtobufStreamDecoder<Raw<T>> implements ListDecoder<T> {
  readonly #builder: RawBuilder;
  readonly #isStrict: () => boolean;
  readonly #typeMeta: TypeMeta | undefined;
  readonly #envelope = new Envelope();
  readonly #head: { kind: string; apiVersion: string; metadata: ListMeta | undefined } = {
    kind: '',
    apiVersion: '',
    metadata: undefined,
  };
  #origin: Origin | undefined;
  #hasMagic = false;
  /** The tag and the length of the field that is being read; -1 before they are known. */
  #tag = -1;
  #length = -1;
  /** The position in the stream where the list ends; -1 outside of it. */
  #listEnd = -1;
  #hasList = false;
  /** Whether the start of an item that is too large was read, and the rest is to be skipped. */
  #isSkipping = false;

  constructor(options: DecoderOptions) {
    super('list');
    this.#builder = new RawBuilder(options);
    this.#isStrict = options.isStrict ?? (() => false);
    this.#typeMeta = options.typeMeta;
  }

  get head(): ListHead {
    return this.#head;
  }

  get done(): boolean {
    return this.isComplete;
  }

  protected get isComplete(): boolean {
    return this.#hasList && this.#listEnd < 0 && this.#tag < 0 && !this.reader.isInside;
  }

  protected next(into: Raw<T>[]): boolean {
    const { reader } = this;
    if (!this.#hasMagic) {
      if (!reader.take(MAGIC.length)) return false;
      if (reader.source.compare(MAGIC, 0, MAGIC.length, reader.start, reader.end) !== 0) {
        throw this.fail("it does not begin with 'k8s' and a zero byte");
      }
      this.#hasMagic = true;
    }
    if (this.#listEnd >= 0 && this.#tag < 0 && reader.offset >= this.#listEnd) {
      if (reader.offset > this.#listEnd) throw this.fail('a field is longer than its message');
      this.#listEnd = -1;
    }
    if (this.#tag < 0) {
      const tag = reader.varint();
      if (tag < 0) return false;
      if (tag < 8) throw this.fail('a field has an illegal number');
      this.#tag = tag;
    }
    if (!(this.#tag & 7 ? this.#field(into) : this.#number())) return false;
    this.#tag = this.#length = -1;
    return true;
  }

  /** Skips a number, which has no meaning in a list. */
  #number(): boolean {
    return this.reader.varint() >= 0;
  }

  #field(into: Raw<T>[]): boolean {
    const { reader } = this;
    if ((this.#tag & 7) !== BYTES) {
      if ((this.#tag & 7) === FIXED64) return reader.skip(8);
      if ((this.#tag & 7) === FIXED32) return reader.skip(4);
      throw this.fail(`a field has the wire type ${this.#tag & 7}`);
    }
    if (this.#length < 0) {
      this.#length = reader.varint();
      if (this.#length < 0) return false;
      if (this.#listEnd >= 0 && this.#length > this.#listEnd - reader.offset) {
        throw this.fail('a field is longer than its message');
      }
    }
    if (this.#listEnd < 0) return this.#envelopeField();
    if (this.#tag === ITEM) return this.#item(into);
    return this.#tag === METADATA ? this.#metadata() : reader.skip(this.#length);
  }

  #envelopeField(): boolean {
    const { reader } = this;
    if (this.#tag === RAW_TAG) {
      if (this.#hasList) throw this.fail('the document has two objects');
      this.#hasList = true;
      this.#listEnd = reader.offset + this.#length;
      return true;
    }
    if (this.#tag !== TYPE_META_TAG) return reader.skip(this.#length);
    if (!this.#takeHead()) return false;
    readTypeMeta(this.#envelope, reader.source, reader.start, reader.end);
    const { kind, apiVersion } = this.#envelope;
    if (this.#hasList) throw this.fail('its kind comes after its items');
    this.#head.kind = kind;
    this.#head.apiVersion = apiVersion;
    return true;
  }

  #takeHead(): boolean {
    if (this.#length > MAX_HEAD_BYTES) throw this.fail('its kind or metadata is too large');
    return this.reader.take(this.#length);
  }

  #metadata(): boolean {
    if (!this.#takeHead()) return false;
    const { source, start, end, offset } = this.reader;
    const listMeta = messageTypeOf(typeSchema('meta/v1.ListMeta')!);
    const unknown = checkMessage(source, start, end, listMeta);
    if (unknown !== undefined && this.#isStrict()) {
      throw new UnknownFieldError('list', offset, `the schema does not have ${unknown}`);
    }
    this.#head.metadata = {
      ...this.#head.metadata,
      ...(decodeMessage(source, start, end, listMeta) as unknown as ListMeta),
    };
    return true;
  }

  #item(into: Raw<T>[]): boolean {
    const { reader } = this;
    const builder = this.#builder;
    const length = this.#length;
    this.#origin ??= this.#itemOrigin();
    if (length <= builder.maxObjectBytes) {
      if (!reader.take(length)) return false;
      into.push(builder.build(reader.source, reader.start, reader.end, this.#origin, reader.sourceOffset));
      return true;
    }
    const prefix = Math.min(builder.maxObjectBytes, PREFIX_BYTES);
    if (!this.#isSkipping) {
      if (!reader.take(prefix)) return false;
      const { source, start, end, sourceOffset } = reader;
      const reason = tooLarge(builder.maxObjectBytes);
      into.push(builder.unreadable(source, start, end, this.#origin, sourceOffset + start, reason));
      this.#isSkipping = true;
    }
    if (!reader.skip(length - prefix)) return false;
    this.#isSkipping = false;
    return true;
  }

  /** The kind of the items: `Pod` for a `PodList`; a `List` does not tell. */
  #itemOrigin(): Origin {
    const { kind, apiVersion } = this.#head;
    const isTyped = kind.endsWith('List') && kind !== 'List' && apiVersion !== '';
    return isTyped
      ? this.#builder.origin(apiVersion, kind.slice(0, -'List'.length))
      : this.#builder.origin(this.#typeMeta?.apiVersion ?? '', this.#typeMeta?.kind ?? '');
  }
}
