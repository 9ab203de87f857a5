import type { ListMeta, TypeMeta } from '../meta/objects.js';
import type { GroupVersionKind } from '../meta/resource.js';
import type { WireEvent } from '../meta/watch-event.js';
import type { FieldPath, Raw } from './raw.js';
import type { SlabArena } from './slab.js';

/** Options of whatever turns bytes into objects. */
export interface DecodeOptions {
  /**
   * Whether an object with a field that the codec does not know throws an `UnknownFieldError` instead of losing the field. A
   * codec with {@link Codec.schemaVersion} calls it for each object, since the version of the server may become known during
   * a watch, and then walks all fields of the object; other codecs ignore it.
   * @default `() => false`
   */
  readonly isStrict?: (() => boolean) | undefined;
}

/**
 * Decides by one text of its metadata whether an object is stored. One that is not becomes a `Raw` without bytes, which has only
 * key and resourceVersion; `isLeftOut` tells it apart.
 */
export interface ObjectFilter {
  /** The text: the uid, the namespace, or the uid of the owner reference with `controller: true`. */
  readonly by: 'uid' | 'namespace' | 'controllerUid';
  /**
   * Whether the object with this key and this text, in UTF-8, is stored. An object that lacks it has an empty text. Called once for
   * each object, in the order of the stream, before the next one is decoded.
   */
  keeps(key: string, bytes: Uint8Array, start: number, end: number): boolean;
  /**
   * Whether the bytes of an object that is left out are needed all the same, because an earlier version of it was stored.
   * @default `() => false`
   */
  needs?(key: string): boolean;
}

/** Options of a decoder. */
export interface DecoderOptions extends DecodeOptions {
  /** Holds the bytes of the objects. Each store has its own arena. */
  readonly arena: SlabArena;
  /** Fields to remove from each object before it is stored. @default [] */
  readonly drop?: readonly FieldPath[] | undefined;
  /** Paths that are read when an object is decoded, so that {@link Raw.field} for them is free. @default [] */
  readonly paths?: readonly FieldPath[] | undefined;
  /** Leaves out objects before they are stored. @default none: every object is stored */
  readonly filter?: ObjectFilter | undefined;
  /** The largest object or watch event in bytes; a larger one is unreadable. At most 500000000. @default 134217728 */
  readonly maxObjectBytes?: number | undefined;
  /**
   * The apiVersion and kind of objects if neither they nor their list have them.
   * @default none: such objects have no apiVersion and kind
   */
  readonly typeMeta?: TypeMeta | undefined;
}

/**
 * Decodes a stream in slices. `push` only copies the chunk, so that the socket's callback is short; `read` decodes up to
 * `maxBytes`.
 */
export interface StreamDecoder<E> {
  push(chunk: Uint8Array): void;
  /** No chunk will follow. The rest can still be read; if the stream ends in the middle of an object, `read` throws. */
  end(): void;
  /** Frees the memory of chunks that were not read. Required unless everything was read, or `read` threw. */
  close(): void;
  /** Bytes that were pushed and not yet read. */
  readonly buffered: number;
  /** Whether the memory that all decoders share is used up: the source should pause until some was read. */
  readonly isCrowded: boolean;
  /**
   * Decodes about `maxBytes` and appends the entries to `into`. Returns whether there is more to read.
   *
   * @throws DecodeError at invalid bytes, after the entries before them have been returned; every further call throws too.
   */
  read(into: E[], maxBytes?: number): boolean;
}

/** The fields of a list other than its items. */
export interface ListHead {
  /** The list's kind, such as `PodList`; empty until it has been read. */
  readonly kind: string;
  readonly apiVersion: string;
  /** Undefined until it has been read: it may come after the items. */
  readonly metadata: ListMeta | undefined;
}

/**
 * Decodes the items of a list one by one. An item that is too large, nested too deeply or not an object becomes an
 * {@link unreadableRaw}.
 */
export interface ListDecoder<T> extends StreamDecoder<Raw<T>> {
  readonly head: ListHead;
  /** Whether the whole list has been read. */
  readonly done: boolean;
}

/**
 * Decodes the events of a watch. ADDED, MODIFIED and DELETED have a `Raw`, which may be unreadable as in a
 * {@link ListDecoder}; BOOKMARK and ERROR are parsed.
 */
export type WatchDecoder<T> = StreamDecoder<WireEvent<Raw<T>>>;

/**
 * Converts between bytes and objects. Only the codec knows the wire format: other code sends its `mediaType`, passes bytes
 * to a decoder, and reads objects through {@link Raw}.
 *
 * The bytes name the kind of their objects, so that one codec decodes all kinds. It is chosen by the `Content-Type` of a
 * response, which is not always what was asked for.
 */
export interface Codec {
  /** `Accept` and `Content-Type` of single objects and lists, without parameters. */
  readonly mediaType: string;
  /** `Accept` of a watch. */
  readonly watchMediaType: string;
  /**
   * The Kubernetes version whose fields the codec knows, such as `1.36`: fields of later versions are lost unless decoding is
   * strict. Undefined if it keeps every field.
   */
  readonly schemaVersion: string | undefined;
  /** Whether it can represent objects of this kind. */
  knows(kind: GroupVersionKind): boolean;
  listDecoder<T>(options: DecoderOptions): ListDecoder<T>;
  watchDecoder<T>(options: DecoderOptions): WatchDecoder<T>;
  /** A `Raw` of one object: the body of a response, or the result of a transform. */
  raw<T>(bytes: Uint8Array, options: DecoderOptions): Raw<T>;
  /** Parses one document: an object, a list or a Status. */
  decode<T>(bytes: Uint8Array, options?: DecodeOptions): T;
  /**
   * Encodes the body of a request, an object with `apiVersion` and `kind`. Undefined if the format cannot represent it
   * exactly, as with a kind, a field or a type of value that the schema does not have: it is then sent as JSON, and the
   * server says what is wrong with it.
   */
  encode(value: unknown): Uint8Array | undefined;
}

const managedFields: FieldPath = ['metadata', 'managedFields'];

/** Fields that caches drop by default: managedFields are a third of the bytes and hardly ever read. */
export const droppedByDefault: readonly FieldPath[] = [managedFields];

/** A transform that removes fields from the bytes of an object without parsing it. */
export interface ByteTransform {
  readonly kind: 'byteTransform';
  readonly drop: readonly (readonly string[])[];
}

/**
 * A transform that removes the given paths from each object. It works on the bytes and never parses. Removed fields are
 * missing from the facts as well, except for the key and resourceVersion.
 *
 * @example
 * factory.core.v1.pods({ transform: drop(['metadata', 'annotations'], ['spec', 'volumes']) });
 */
export function drop(...paths: readonly (readonly string[])[]): ByteTransform {
  for (const path of paths) {
    if (path.length === 0 || path.some((part) => typeof part !== 'string')) {
      throw new TypeError(`drop takes paths of one or more names, got ${JSON.stringify(path)}`);
    }
  }
  return { kind: 'byteTransform', drop: paths };
}
