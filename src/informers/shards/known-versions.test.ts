import { describe, expect, it } from 'vitest';
import { KnownVersions } from './known-versions.js';

const nothing = new Map<string, string>();

/** A watch of shard 1 that has come to version 10. */
function watching(): KnownVersions {
  const versions = new KnownVersions();
  versions.reset('5');
  versions.advance('10');
  return versions;
}

describe('KnownVersions', () => {
  it('a first list is where the watch begins', () => {
    const versions = new KnownVersions();
    expect(versions.join({ shards: [1], version: '7' }, [], nothing)).toBe(true);
    expect(versions.version).toBe('7');
    expect(versions.isCatchingUp).toBe(false);
  });

  it('after a list that is newer than the watch, events of the listed shards are known up to its version', () => {
    const versions = watching();
    expect(versions.join({ shards: [7], version: '12' }, [1], nothing)).toBe(true);
    expect(versions.version).toBe('10');
    expect(versions.isKnown('a/x', 7, '12')).toBe(true);
    expect(versions.isKnown('a/x', 7, '13')).toBe(false);
    expect(versions.isKnown('a/y', 1, '11')).toBe(false);
    versions.advance('11');
    expect(versions.isCatchingUp).toBe(true);
    versions.advance('12');
    expect(versions.isCatchingUp).toBe(false);
    expect(versions.isKnown('a/x', 7, '12')).toBe(false);
  });

  it('after a list that is older than the watch, the watch goes back to it, and events of its own shards are known', () => {
    const versions = watching();
    expect(versions.join({ shards: [7], version: '8' }, [1], new Map([['a/moved', '9']]))).toBe(true);
    expect(versions.version).toBe('8');
    expect(versions.isCatchingUp).toBe(true);
    expect(versions.isKnown('a/y', 1, '10')).toBe(true);
    expect(versions.isKnown('a/y', 1, '11')).toBe(false);
    // A change of a gained shard between the two versions is news.
    expect(versions.isKnown('a/x', 7, '9')).toBe(false);
    // Except of an object that the watch has brought in another shard.
    expect(versions.isKnown('a/moved', 7, '9')).toBe(true);
    versions.advance('10');
    expect(versions.isCatchingUp).toBe(false);
  });

  it('after a list of the same version nothing is known', () => {
    const versions = watching();
    expect(versions.join({ shards: [7], version: '10' }, [1], nothing)).toBe(true);
    expect(versions.version).toBe('10');
    expect(versions.isCatchingUp).toBe(false);
    expect(versions.isKnown('a/x', 7, '10')).toBe(false);
  });

  it('versions without an order cannot be joined', () => {
    const versions = new KnownVersions();
    versions.reset('abc');
    expect(versions.join({ shards: [7], version: 'abd' }, [1], nothing)).toBe(false);
  });

  it('a listed object is left out if the watch has brought it at least as new', () => {
    const versions = watching();
    versions.join({ shards: [7], version: '12' }, [1], nothing);
    expect(versions.noteListed('a/x', '9', new Map([['a/x', '9']]))).toBe(false);
    expect(versions.noteListed('a/x', '9', new Map([['a/x', '8']]))).toBe(true);
    expect(versions.isKnown('a/x', 1, '9')).toBe(true);
    expect(versions.isKnown('a/x', 1, '10')).toBe(false);
  });

  it('a shard that is released is forgotten, and a new list of all shards forgets everything', () => {
    const versions = watching();
    versions.join({ shards: [7, 8], version: '12' }, [1], nothing);
    versions.forget([7]);
    expect(versions.isKnown('a/x', 7, '12')).toBe(false);
    expect(versions.isKnown('a/x', 8, '12')).toBe(true);
    versions.reset('20');
    expect(versions.version).toBe('20');
    expect(versions.isCatchingUp).toBe(false);
    expect(versions.isKnown('a/x', 8, '12')).toBe(false);
  });
});
