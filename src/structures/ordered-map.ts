/** How many keys a block holds before it is cut in two. Small enough to shift cheaply, large enough to need few blocks. */
const BLOCK_LIMIT = 256;

interface Block<V> {
  readonly keys: string[];
  readonly values: V[];
}

/**
 * A map that can be walked in the order of its keys, from any key on.
 *
 * ```
 *   blocks   [ a … f ] [ g … k ] [ m … z ]      sorted; no block is empty, none holds more than BLOCK_LIMIT keys
 *              └ keys and values in two arrays, sorted
 * ```
 *
 * A look-up is two binary searches; an insertion shifts at most one block. Keys compare by their UTF-16 units, which for
 * the ASCII names of Kubernetes is the byte order in which etcd, and so every list of a real server, sorts them.
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

  /** Visits what is at or after `from`, in order, until `visit` answers false. The map must not change meanwhile. */
  scan(from: string, visit: (key: string, value: V) => boolean): void {
    let index = this.#blockOf(from);
    let at = lowerBound(this.#blocks[index]?.keys ?? [], from);
    for (; index < this.#blocks.length; index++, at = 0) {
      const { keys, values } = this.#blocks[index]!;
      for (; at < keys.length; at++) if (!visit(keys[at]!, values[at]!)) return;
    }
  }

  /** The block in which `key` is, or belongs: the last one that begins at or before it. */
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

/** The first place whose key is not before `key`. */
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
