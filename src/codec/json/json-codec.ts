import type { Codec, DecoderOptions, ListDecoder, WatchDecoder } from '../codec.js';
import { DecodeError } from '../decode-error.js';
import type { Raw } from '../raw.js';
import { jsonFormat } from './json-format.js';
import { JsonListDecoder } from './list-decoder.js';
import { RawBuilder } from './raw-builder.js';
import { utf8 } from './read-json.js';
import { MAX_CHUNK, Scanner } from './scanner.js';
import { JsonWatchDecoder } from './watch-decoder.js';

/** JSON represents every value. */
interface JsonCodec extends Codec {
  encode(value: unknown): Uint8Array;
}

/** JSON, the format that every server supports. */
export const jsonCodec: JsonCodec = {
  mediaType: 'application/json',
  watchMediaType: 'application/json;stream=watch',
  schemaVersion: undefined,
  knows: () => true,
  listDecoder: <T>(options: DecoderOptions): ListDecoder<T> => new JsonListDecoder<T>(options),
  watchDecoder: <T>(options: DecoderOptions): WatchDecoder<T> => new JsonWatchDecoder<T>(options),
  raw: rawOf,
  decode,
  encode: (value) => Buffer.from(JSON.stringify(value)),
};

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function decode<T>(bytes: Uint8Array): T {
  try {
    return JSON.parse(utf8(bufferOf(bytes), 0, bytes.length)) as T;
  } catch (cause) {
    // JSON.parse reports no byte offset; its message may contain a position.
    throw new DecodeError('document', 0, cause instanceof Error ? cause.message : 'this is not JSON', { cause });
  }
}

function rawOf<T>(bytes: Uint8Array, options: DecoderOptions): Raw<T> {
  const builder = new RawBuilder('object', options);
  const scanner = new Scanner('object', builder.program, builder.maxObjectBytes);
  const all = bufferOf(bytes);
  const origin = {
    format: jsonFormat,
    kind: options.typeMeta?.kind ?? '',
    apiVersion: options.typeMeta?.apiVersion ?? '',
    paths: options.paths ?? [],
  };
  const found: Raw<T>[] = [];
  for (let at = 0; at < all.length; at += MAX_CHUNK) {
    scanner.put(all.subarray(at, at + MAX_CHUNK));
    while (scanner.next() !== 0) {
      if (scanner.unreadable !== undefined) throw new DecodeError('object', scanner.offset, scanner.unreadable);
      found.push(builder.build(scanner, scanner.start, scanner.end, origin));
    }
  }
  // Throws unless there was exactly one object.
  scanner.finish();
  return found[0] as Raw<T>;
}
