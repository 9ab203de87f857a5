import type { Json } from './part.js';

/**
 * The fields of a protobuf message by number, read without a schema, with placeholders for what differs from run to run.
 * A length-delimited field is a message if its bytes can be read as one, else text.
 */
export function protobufTree(bytes: Buffer): Json {
  const prefix = bytes.subarray(0, 4).toString('latin1') === 'k8s\0';
  return prefix ? { envelope: fields(bytes.subarray(4)) ?? bytes.toString('hex') } : bytes.toString('hex');
}

function fields(bytes: Buffer): Json[] | undefined {
  const result: Json[] = [];
  let at = 0;
  const varint = (): number | undefined => {
    let value = 0;
    for (let shift = 0; shift < 50; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) return undefined;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return undefined;
  };
  while (at < bytes.length) {
    const tag = varint();
    if (tag === undefined || tag < 8 || tag >> 3 > 100) return undefined;
    const number = tag >> 3;
    if ((tag & 7) === 0) {
      const value = varint();
      if (value === undefined) return undefined;
      result.push({ [number]: value > 1_000_000_000 ? '<time>' : value });
    } else if ((tag & 7) === 2) {
      const length = varint();
      if (length === undefined || at + length > bytes.length) return undefined;
      result.push({ [number]: content(bytes.subarray(at, at + length)) });
      at += length;
    } else {
      return undefined;
    }
  }
  return result;
}

function content(bytes: Buffer): Json {
  const text = bytes.toString('utf8');
  if (/^\d+$/.test(text)) return '<version>';
  if (bytes.length > 0 && /^[\x20-\x7e\n]*$/.test(text)) return text;
  return bytes.length === 0 ? '' : (fields(bytes) ?? text);
}
