/**
 * Writes DER, the binary form of ASN.1 in certificates: each value is a tag, a length and its content. Only the types that
 * certificates need.
 */

/** A value with its tag and length. */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const length = bigEndian(content.length);
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, content]);
}

function bigEndian(value: number): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, ...parts);
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return der(0x31, ...parts);
}

/** A non-negative integer of any size; a leading zero byte keeps the first bit from being the sign. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  return (digits[0] ?? 0) & 0x80 ? der(0x02, Buffer.from([0]), digits) : der(0x02, digits);
}

export function boolean(value: boolean): Buffer {
  return der(0x01, Buffer.from([value ? 0xff : 0]));
}

/** A bit string of whole bytes, or with `unusedBits` at the end of the last byte. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return der(0x03, Buffer.from([unusedBits]), bytes);
}

export function octetString(bytes: Uint8Array): Buffer {
  return der(0x04, bytes);
}

export function utf8String(text: string): Buffer {
  return der(0x0c, Buffer.from(text));
}

/** An object identifier, as `1.2.840.10045`: two numbers in the first byte, the others in base 128. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const number of rest) {
    const digits = [number & 0x7f];
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128))
      digits.unshift(0x80 | (left & 0x7f));
    bytes.push(...digits);
  }
  return der(0x06, Buffer.from(bytes));
}

/** A time in UTC with seconds; until 2049 with a two-digit year, as RFC 5280 demands. */
export function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, '');
  const isShort = Number(digits.slice(0, 4)) < 2050;
  return der(isShort ? 0x17 : 0x18, Buffer.from(isShort ? digits.slice(2) : digits));
}

/** A value with a context-specific tag. `constructed` values contain other values. */
export function tagged(number: number, content: Uint8Array, constructed = true): Buffer {
  return der((constructed ? 0xa0 : 0x80) | number, content);
}
