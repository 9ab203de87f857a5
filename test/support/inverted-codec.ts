import type { Codec, DecodeOptions, DecoderOptions, StreamDecoder } from '../../src/codec/codec.js';
import { UnknownFieldError } from '../../src/codec/decode-error.js';
import { jsonCodec } from '../../src/codec/json/json-codec.js';
import type { Raw } from '../../src/codec/raw.js';

/** A field that the schema of {@link invertedCodec} does not have. */
export const unknownField = 'fromTheFuture';

/** JSON with every bit inverted: a second wire format, for tests of what chooses between formats. */
export const invertedCodec: Codec = {
  mediaType: 'application/vnd.inverted',
  watchMediaType: 'application/vnd.inverted;stream=watch',
  schemaVersion: '1.36',
  knows: ({ kind }) => kind !== 'Secret',
  listDecoder: <T>(options: DecoderOptions) => inverting(jsonCodec.listDecoder<T>(options), options),
  watchDecoder: <T>(options: DecoderOptions) => inverting(jsonCodec.watchDecoder<T>(options), options),
  raw: <T>(bytes: Uint8Array, options: DecoderOptions) => checked(jsonCodec.raw<T>(inverted(bytes), options), options),
  decode: <T>(bytes: Uint8Array, options: DecodeOptions = {}) => {
    const text = inverted(bytes);
    check(text.toString(), options);
    return jsonCodec.decode<T>(text);
  },
  encode: (value) =>
    JSON.stringify(value).includes(unknownField) ? undefined : inverted(Buffer.from(JSON.stringify(value))),
};

/** The bytes of a value in the format of {@link invertedCodec}, or of such bytes in JSON. */
export function inverted(of: Uint8Array | string | object): Buffer {
  const json = of instanceof Uint8Array ? of : Buffer.from(typeof of === 'string' ? of : JSON.stringify(of));
  return Buffer.from(json.map((byte) => byte ^ 0xff));
}

function inverting<E extends object, D extends StreamDecoder<E>>(decoder: D, options: DecodeOptions): D {
  const push = decoder.push.bind(decoder);
  const read = decoder.read.bind(decoder);
  return Object.assign(decoder, {
    push: (chunk: Uint8Array) => push(inverted(chunk)),
    read: (into: E[], maxBytes?: number) => {
      const more = read(into, maxBytes);
      for (const entry of into) checked('object' in entry ? entry.object : entry, options);
      return more;
    },
  });
}

function checked<R>(raw: R, options: DecodeOptions): R {
  check(
    typeof raw === 'object' && raw !== null && 'json' in raw ? (raw as unknown as Raw<unknown>).json() : '',
    options,
  );
  return raw;
}

function check(json: string, { isStrict = () => false }: DecodeOptions): void {
  if (json.includes(unknownField) && isStrict())
    throw new UnknownFieldError('object', 0, `unknown field ${unknownField}`);
}
