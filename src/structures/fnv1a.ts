/**
 * The 64-bit FNV-1a hash of a text in UTF-8, as kube-apiserver computes it for shards. It consists of two 32-bit halves, because
 * numbers have 53 bits and BigInt is slow.
 */
export interface Hash64 {
  high: number;
  low: number;
}

const last: Hash64 = { high: 0, low: 0 };

/** Hashes bytes. The result is overwritten by the next call, so that hashing allocates nothing. */
export function fnv1a(bytes: Uint8Array, start = 0, end: number = bytes.length): Readonly<Hash64> {
  let high = 0xcbf29ce4 | 0;
  let low = 0x84222325 | 0;
  for (let i = start; i < end; i++) {
    low ^= bytes[i]!;
    // The prime is 2^40 + 0x1b3. The lower half is multiplied in 16-bit parts, so that everything stays a 32-bit integer.
    const first = (low & 0xffff) * 0x1b3;
    const second = (low >>> 16) * 0x1b3 + (first >>> 16);
    high = (Math.imul(high, 0x1b3) + (second >>> 16) + (low << 8)) | 0;
    low = (second << 16) | (first & 0xffff);
  }
  last.high = high >>> 0;
  last.low = low >>> 0;
  return last;
}
