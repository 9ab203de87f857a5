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
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let i = start; i < end; i++) {
    // The prime is 2^40 + 0x1b3. The product of `low` and 0x1b3 has at most 41 bits.
    low = (low ^ bytes[i]!) >>> 0;
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 0x1_0000_0000) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  last.high = high;
  last.low = low;
  return last;
}
