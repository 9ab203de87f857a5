const pageBits = 15;
const pageLength = 1 << pageBits;
/** An array up to this length is not worth the trouble of making it again. */
const alwaysKept = 1024;

/**
 * An array in pages, for columns that may become very long: a plain array that is full moves all of itself, and three with a
 * million elements hold the event loop for 25 ms.
 *
 * ```
 *   [ page 0, page 1, page 2, … ]     32,768 elements each; only the last one moves when it grows
 * ```
 *
 * What was never set is undefined, and a column in which nothing was set takes no memory.
 */
export class PagedArray<T> {
  readonly #pages: (T | undefined)[][] = [];

  get(index: number): T | undefined {
    return this.#pages[index >> pageBits]?.[index & (pageLength - 1)];
  }

  set(index: number, value: T): void {
    const page = this.#pages[index >> pageBits];
    const at = index & (pageLength - 1);
    if (page !== undefined && at < page.length) page[at] = value;
    else this.#extend(index, value);
  }

  unset(index: number): void {
    const page = this.#pages[index >> pageBits];
    const at = index & (pageLength - 1);
    if (page !== undefined && at < page.length) page[at] = undefined;
  }

  /** Unsets all. */
  clear(): void {
    this.#pages.length = 0;
  }

  /** For when nothing in it is needed any more: gives the memory back, if it is much. */
  shrink(): void {
    if (this.#pages.length > 1 || (this.#pages[0]?.length ?? 0) > alwaysKept) this.clear();
  }

  #extend(index: number, value: T): void {
    while (this.#pages.length <= index >> pageBits) this.#pages.push([]);
    const page = this.#pages[index >> pageBits] as (T | undefined)[];
    // Arrays with gaps are slow.
    while (page.length < (index & (pageLength - 1))) page.push(undefined);
    page.push(value);
  }
}
