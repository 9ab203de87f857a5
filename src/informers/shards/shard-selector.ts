import type { ShardBits } from './shard-filter.js';

/** Proxies refuse URLs of some 8 KB; a range has about 80 bytes. */
const mostRanges = 48;

/** Consecutive shards, from `start` up to, but not including, `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The query parameter `shardSelector` for some shards; undefined if it would select everything. Of very many separate ranges the
 * closest ones are joined: the server then sends some objects of other shards, which the client leaves out.
 */
export function shardSelector(by: 'uid' | 'namespace', shards: ShardBits): string | undefined {
  const count = shards.length;
  const ranges = joined(rangesOf(shards));
  if (ranges.length === 1 && ranges[0]!.end - ranges[0]!.start === count) return undefined;
  return ranges
    .map(({ start, end }) => `shardRange(object.metadata.${by}, '${bound(start, count)}', '${bound(end, count)}')`)
    .join(' || ');
}

/** A selector of all objects, which servers echo if they have the feature gate. */
export const everyShard: string = `shardRange(object.metadata.uid, '${bound(0, 1)}', '${bound(1, 1)}')`;

function rangesOf(shards: ShardBits): Range[] {
  const ranges: Range[] = [];
  let start = -1;
  for (let shard = 0; shard <= shards.length; shard++) {
    if (shards[shard] === 1) {
      if (start < 0) start = shard;
    } else if (start >= 0) {
      ranges.push({ start, end: shard });
      start = -1;
    }
  }
  return ranges;
}

function joined(ranges: Range[]): Range[] {
  const kept = [...ranges];
  while (kept.length > mostRanges) {
    let closest = 1;
    for (let i = 2; i < kept.length; i++) {
      if (kept[i]!.start - kept[i - 1]!.end < kept[closest]!.start - kept[closest - 1]!.end) closest = i;
    }
    kept.splice(closest - 1, 2, { start: kept[closest - 1]!.start, end: kept[closest]!.end });
  }
  return kept;
}

/** The smallest hash of a shard: 16 hexadecimal digits, or 17 for 2^64. Servers refuse shorter ones. */
function bound(shard: number, count: number): string {
  const hash = ((BigInt(shard) << 64n) + BigInt(count) - 1n) / BigInt(count);
  return `0x${hash.toString(16).padStart(16, '0')}`;
}
