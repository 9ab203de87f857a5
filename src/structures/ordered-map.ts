/** A block with more keys is split in two. Small enough for cheap insertions, large enough for few blocks. */
const BLOCK_LIMIT = 256;

interface Block<V> {
  readonly keys: string[];
  readonly values: V[];
}

/**
 * A map that can be iterated in the order of its keys, starting at any key.
 *
 * ```
 *   blocks   [ a … f ] [ g … k ] [ m … z ]      sorted; no block is empty, none holds more than BLOCK_LIMIT keys
 *              └ keys and values in two arrays, sorted
 * ```
 *
 * A look-up takes two binary searches; an insertion shifts at most one block. Keys are compared by UTF-16 units, which for
 * the ASCII names of Kubernetes is the byte order of etcd, and so the order of lists of a real server.
 */
export class OrderedMap<V> {
  readonly #blocks: Block<V>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    const block = this.#blocks[this.#blockOf(key)];
    if (block === undefined) return undefined;
    const at = lowerBound(block.keys, key);
    return block.keys[at] === key ? block.values[at] : undefined;
  }

  set(key: string, value: V): void {
    const index = this.#blockOf(key);
    const block = this.#blocks[index];
    if (block === undefined) {
      this.#blocks.push({ keys: [key], values: [value] });
      this.#size++;
      return;
    }
    const at = lowerBound(block.keys, key);
    if (block.keys[at] === key) {
      block.values[at] = value;
      return;
    }
    block.keys.splice(at, 0, key);
    block.values.splice(at, 0, value);
    this.#size++;
    if (block.keys.length > BLOCK_LIMIT) {
      const half = block.keys.length >> 1;
      this.#blocks.splice(index + 1, 0, { keys: block.keys.splice(half), values: block.values.splice(half) });
    }
  }

  delete(key: string): boolean {
    const index = this.#blockOf(key);
    const block = this.#blocks[index];
    if (block === undefined) return false;
    const at = lowerBound(block.keys, key);
    if (block.keys[at] !== key) return false;
    block.keys.splice(at, 1);
    block.values.splice(at, 1);
    if (block.keys.length === 0) this.#blocks.splice(index, 1);
    this.#size--;
    return true;
  }

  /** Calls `visit` for the keys from `from` on, in order, until it returns false. The map must not change meanwhile. */
  scan(from: string, visit: (key: string, value: V) => boolean): void {
    let index = this.#blockOf(from);
    let at = lowerBound(this.#blocks[index]?.keys ?? [], from);
    for (; index < this.#blocks.length; index++, at = 0) {
      const { keys, values } = this.#blocks[index]!;
      for (; at < keys.length; at++) if (!visit(keys[at]!, values[at]!)) return;
    }
  }

  /** The index of the block that holds `key` or would hold it: the last one that starts at or before it. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#blocks[middle]!.keys[0]! <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** The index of the first key that is not less than `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
