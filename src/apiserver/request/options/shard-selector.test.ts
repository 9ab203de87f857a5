import { describe, expect, it } from 'vitest';
import type { Revision } from '../../storage/storage.js';
import { parseShardSelector } from './shard-selector.js';

const low = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
const high = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";

describe('shard selectors', () => {
  it('select by the FNV-1a hash of the uid', () => {
    // The hashes of FNV's test vectors: of nothing cbf29ce484222325, of `a` af63dc4c8601ec8c, of `foobar` 85944171f73967e8.
    const selects = (start: string, end: string, uid: string): boolean =>
      parseShardSelector(`shardRange(object.metadata.uid, '${start}', '${end}')`).selects({ uid } as Revision);
    expect(selects('0xcbf29ce484222325', '0xcbf29ce484222326', '')).toBe(true);
    expect(selects('0xaf63dc4c8601ec8c', '0xaf63dc4c8601ec8d', 'a')).toBe(true);
    expect(selects('0x85944171f73967e8', '0x85944171f73967e9', 'foobar')).toBe(true);
    expect(selects('0x85944171f73967e9', '0x10000000000000000', 'foobar')).toBe(false);
  });

  it('are normalised, and joined by ||', () => {
    const text = ` ( ${low.replaceAll("'", '"')}||(${high}) )`;
    expect(parseShardSelector(text).text).toBe(`${low} || ${high}`);
  });

  it.each([
    [`${low} && ${high}`, 'unsupported function "_&&_"'],
    ['object.metadata.uid', 'unexpected expression kind 3'],
    ["'x'", 'unexpected expression kind 5'],
    ['shardRange(object.metadata.uid, x, y)', "hexStart must be a string literal (e.g. '0xff'), got expression kind 3"],
    ['('.repeat(1000), 'CEL parse error'],
    [`${low} ${high}`, 'CEL parse error'],
  ])('%s is refused with a 500', (text, message) => {
    expect(() => parseShardSelector(text)).toThrow(message);
  });
});
