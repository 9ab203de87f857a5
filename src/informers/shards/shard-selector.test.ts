import { describe, expect, it } from 'vitest';
import { parseShardSelector } from '../../apiserver/request/options/shard-selector.js';
import type { Revision } from '../../apiserver/storage/storage.js';
import { bitsOf } from './shard-filter.js';
import { everyShard, shardSelector } from './shard-selector.js';
import { shardOf } from './sharded-source.js';

describe('shardSelector', () => {
  it('has bounds of 16 digits, and joins neighbours', () => {
    expect(shardSelector('uid', bitsOf(4, [0, 1, 3]))).toBe(
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || " +
        "shardRange(object.metadata.uid, '0xc000000000000000', '0x10000000000000000')",
    );
    expect(shardSelector('namespace', bitsOf(3, [1]))).toBe(
      "shardRange(object.metadata.namespace, '0x5555555555555556', '0xaaaaaaaaaaaaaaab')",
    );
    expect(everyShard).toBe("shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')");
  });

  it('is not sent for all shards', () => {
    expect(shardSelector('uid', bitsOf(5, [0, 1, 2, 3, 4]))).toBeUndefined();
  });

  it('selects what shardOf says, for every number of shards', () => {
    const uids = Array.from({ length: 40 }, (_, i) => `uid-${i}-${i * 7919}`);
    for (let count = 2; count <= 256; count++) {
      for (const uid of uids) {
        const shard = shardOf({ count }, uid);
        expect(shard >= 0 && shard < count).toBe(true);
        const selects = (other: number) =>
          parseShardSelector(shardSelector('uid', bitsOf(count, [other]))!).selects({ uid } as Revision);
        expect(selects(shard)).toBe(true);
        expect(selects((shard + 1) % count)).toBe(false);
      }
    }
  });

  it('joins the closest of very many ranges, and still selects all shards', () => {
    const shards = Array.from({ length: 100 }, (_, i) => 2 * i + (i > 50 ? 3 : 0));
    const text = shardSelector('uid', bitsOf(256, shards))!;
    expect(text.split(' || ')).toHaveLength(48);
    const selector = parseShardSelector(text);
    for (let i = 0; i < 500; i++) {
      const uid = `uid-${i}`;
      if (shards.includes(shardOf({ count: 256 }, uid))) expect(selector.selects({ uid } as Revision)).toBe(true);
    }
  });
});
