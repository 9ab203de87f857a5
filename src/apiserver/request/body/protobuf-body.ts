import { protobufCodec } from '../../../codec/protobuf/protobuf-codec.js';
import { MAGIC, MalformedError } from '../../../codec/protobuf/wire.js';

/**
 * The object of a protobuf body as JSON shows it.
 *
 * @throws Error with the message of kube-apiserver
 */
export function readProtobuf(body: Uint8Array): unknown {
  if (body.length === 0) throw new Error('empty data');
  if (MAGIC.compare(body, 0, MAGIC.length) !== 0) {
    const prefix = MAGIC.join(' ');
    throw new Error(`provided data does not appear to be a protobuf message, expected prefix [${prefix}]`);
  }
  if (body.length === MAGIC.length) throw new Error('empty body');
  try {
    return protobufCodec.decode(body);
  } catch (error) {
    const { cause } = error as Error;
    if (cause instanceof MalformedError && cause.isTruncated) throw new Error('unexpected EOF');
    throw new Error(`proto: ${cause instanceof Error ? cause.message : (error as Error).message}`);
  }
}
