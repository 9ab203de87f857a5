import type { Steps } from '../../time/steps.js';

/** Arrays of this length are edited in chunks: an insertion into a plain array moves everything behind it. */
export const LONG_LIST: number = 4096;
const CHUNK = 2048;

/**
 * The items of a long array while it is edited, in chunks, so that an insertion moves one chunk only.
 */
export class EditableList {
  readonly #chunks: unknown[][] = [];
  #length = 0;

  /** The items of an array. */
  static *of(items: readonly unknown[]): Steps<EditableList> {
    const list = new EditableList();
    for (let at = 0; at < items.length; at += CHUNK) {
      list.#chunks.push(items.slice(at, at + CHUNK));
      yield;
    }
    list.#length = items.length;
    return list;
  }

  get length(): number {
    return this.#length;
  }

  get(index: number): unknown {
    const [chunk, at] = this.#find(index);
    return chunk[at];
  }

  set(index: number, value: unknown): void {
    const [chunk, at] = this.#find(index);
    chunk[at] = value;
  }

  insert(index: number, value: unknown): void {
    const [chunk, at, number] = this.#find(index);
    chunk.splice(at, 0, value);
    this.#length++;
    if (chunk.length > 2 * CHUNK) this.#chunks.splice(number + 1, 0, chunk.splice(CHUNK));
  }

  remove(index: number): void {
    const [chunk, at, number] = this.#find(index);
    chunk.splice(at, 1);
    this.#length--;
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(number, 1);
  }

  /** Replaces the items of an array by these. */
  *copyTo(array: unknown[]): Steps<void> {
    array.length = 0;
    for (const chunk of this.#chunks) {
      for (const item of chunk) array.push(item);
      yield;
    }
  }

  /** The chunk of an index and the offset in it; the end of the last chunk for the index after the last item. */
  #find(index: number): [chunk: unknown[], at: number, number: number] {
    let start = 0;
    for (let number = 0; ; number++) {
      const chunk = this.#chunks[number]!;
      if (index < start + chunk.length || number === this.#chunks.length - 1) return [chunk, index - start, number];
      start += chunk.length;
    }
  }
}
