import { compareResourceVersions } from '../../meta/resource-version.js';

/**
 * How far a watch has come, and which objects and shards the cache knows at a later version, because they were listed after that.
 * The watch brings their events up to that version once more; they are not news.
 */
export class KnownVersions {
  #version: string | undefined;
  readonly #shards = new Map<number, string>();
  readonly #keys = new Map<string, string>();
  /** The newest of these versions; undefined when the watch has reached it. */
  #newest: string | undefined;

  /** The version to watch from; undefined before the first list. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Whether the watch may bring events that are known. */
  get isCatchingUp(): boolean {
    return this.#newest !== undefined;
  }

  /** All shards were listed at this version. */
  reset(version: string | undefined): void {
    this.#version = version;
    this.#catchUp();
  }

  /** The watch has come to this version. */
  advance(version: string): void {
    if (version === '') return;
    this.#version = version;
    if (this.#newest !== undefined && isAtLeast(version, this.#newest)) this.#catchUp();
  }

  isKnown(key: string, shard: number, version: string): boolean {
    return isAtLeast(this.#keys.get(key), version) || isAtLeast(this.#shards.get(shard), version);
  }

  forget(shards: readonly number[]): void {
    for (const shard of shards) this.#shards.delete(shard);
  }

  /**
   * Further shards were listed. The watch of all continues at the older version.
   *
   * @param covered the shards of the watch
   * @param seen the versions of the objects that the watch has brought since the list began
   * @returns false if the versions have no order, so that no watch can continue
   */
  join(
    listed: { readonly shards: readonly number[]; readonly version: string },
    covered: readonly number[],
    seen: ReadonlyMap<string, string>,
  ): boolean {
    const watched = this.#version;
    if (watched === undefined) {
      this.#version = listed.version;
      return true;
    }
    const order = compareResourceVersions(listed.version, watched);
    if (order === undefined) return false;
    if (order > 0) {
      for (const shard of listed.shards) this.#shards.set(shard, listed.version);
      this.#expect(listed.version);
    } else if (order < 0) {
      for (const shard of covered) {
        if (!isAtLeast(this.#shards.get(shard), watched)) this.#shards.set(shard, watched);
      }
      for (const [key, version] of seen) this.#noteKey(key, version);
      this.#version = listed.version;
      this.#expect(watched);
    }
    return true;
  }

  /**
   * Notes an object of such a list. Returns false if the watch has brought a newer one of this name meanwhile, which is in another
   * shard.
   */
  noteListed(key: string, version: string, seen: ReadonlyMap<string, string>): boolean {
    if (isAtLeast(seen.get(key), version)) return false;
    if (this.isCatchingUp) this.#noteKey(key, version);
    return true;
  }

  #noteKey(key: string, version: string): void {
    if (!isAtLeast(this.#keys.get(key), version)) this.#keys.set(key, version);
  }

  #expect(version: string): void {
    if (!isAtLeast(this.#newest, version)) this.#newest = version;
  }

  #catchUp(): void {
    this.#newest = undefined;
    this.#shards.clear();
    this.#keys.clear();
  }
}

function isAtLeast(version: string | undefined, other: string): boolean {
  return version !== undefined && (compareResourceVersions(version, other) ?? -1) >= 0;
}
