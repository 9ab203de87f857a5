import type { ListMeta, TypeMeta } from '../meta/objects.js';
import type { WireEvent } from '../meta/watch-event.js';
import type { FieldPath, Raw } from './raw.js';
import type { SlabArena } from './slab.js';

/** What a decoder of many objects is told. */
export interface DecoderOptions {
  /** Where the bytes of objects are kept. One store, one arena. */
  readonly arena: SlabArena;
  /** Fields to cut out of each object before it is kept. @default [] */
  readonly drop?: readonly FieldPath[] | undefined;
  /** Paths of which {@link Raw.field} is wanted for every object: they are read on the way in. @default [] */
  readonly paths?: readonly FieldPath[] | undefined;
  /** The most bytes an object may have, event and all; a larger one cannot be read. At most 500000000. @default 134217728 */
  readonly maxObjectBytes?: number | undefined;
  /**
   * The apiVersion and kind of objects when neither they nor their list have them.
   * @default none: such objects stay as they are
   */
  readonly typeMeta?: TypeMeta | undefined;
}

/**
 * Decodes a stream in slices. `push` only keeps a copy of the chunk, so that a socket's callback is short; `read` does the
 * work, as much of it as its caller has time for.
 */
export interface StreamDecoder<E> {
  push(chunk: Uint8Array): void;
  /** No chunk will follow. What is left can still be read; ending in the middle of something is an error then. */
  end(): void;
  /** Nothing more will be read: gives back the memory of what was pushed. Needed unless all was read, or `read` threw. */
  close(): void;
  /** How many bytes were pushed and not yet read. */
  readonly buffered: number;
  /** Whether what waits here takes up memory that others are short of: better push nothing more until some was read. */
  readonly isCrowded: boolean;
  /**
   * Reads about `maxBytes` and appends what it found to `into`. Returns whether there is anything left to read.
   *
   * @throws DecodeError at bytes that are not acceptable, once everything before them has been handed over; then always.
   */
  read(into: E[], maxBytes?: number): boolean;
}

/** What a list says of itself, beside its items. */
export interface ListHead {
  /** The list's kind, such as `PodList`; empty until it has been read. */
  readonly kind: string;
  readonly apiVersion: string;
  /** Undefined until it has been read: it may come after the items. */
  readonly metadata: ListMeta | undefined;
}

/**
 * Cuts the items out of a list, one by one. An item that cannot be read, because it is too large, nested too deeply or no
 * object, comes as a handle that stands for it ({@link unreadableRaw}).
 */
export interface ListDecoder<T> extends StreamDecoder<Raw<T>> {
  readonly head: ListHead;
  /** Whether the list is complete. */
  readonly done: boolean;
}

/**
 * Cuts events out of a watch. Those about objects carry handles, which stand for objects that cannot be read as in a
 * {@link ListDecoder}; BOOKMARK and ERROR are decoded whole.
 */
export type WatchDecoder<T> = StreamDecoder<WireEvent<Raw<T>>>;

/**
 * Turns bytes into objects and back. Nothing outside of a codec knows what the bytes are: it asks for them by
 * `mediaType`, gives them to a decoder, and reads objects through {@link Raw}.
 */
export interface Codec {
  /** For `Accept` and `Content-Type` of single objects and lists. */
  readonly mediaType: string;
  /** For `Accept` of a watch. */
  readonly watchMediaType: string;
  listDecoder<T>(options: DecoderOptions): ListDecoder<T>;
  watchDecoder<T>(options: DecoderOptions): WatchDecoder<T>;
  /** A handle to one object given as bytes: an answer to a request, or the result of a transform. */
  raw<T>(bytes: Uint8Array, options: DecoderOptions): Raw<T>;
  /** One document as a plain object. */
  decode<T>(bytes: Uint8Array): T;
  /** The bytes of a request's body. */
  encode(value: unknown): Uint8Array;
}

const managedFields: FieldPath = ['metadata', 'managedFields'];

/** What a cache cuts out unless told to keep it: who owns which field takes a third of the bytes and is hardly ever read. */
export const droppedByDefault: readonly FieldPath[] = [managedFields];

/** A transform that cuts fields out of the bytes, without parsing them. */
export interface ByteTransform {
  readonly kind: 'byteTransform';
  readonly drop: readonly (readonly string[])[];
}

/**
 * A transform that leaves out what is at the given paths. It works on bytes and never parses. What is left out is missing
 * from the facts as well, but for key and resourceVersion.
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
