const pageBits = 15;
const pageLength = 1 << pageBits;
/** `shrink` keeps an array up to this length: allocating it again costs more than it frees. */
const KEPT_LENGTH = 1024;

/**
 * An array in pages, for arrays that may become very long. A plain array copies all of its elements when it grows: three of
 * a million elements block the event loop for 25 ms.
 *
 * ```
 *   [ page 0, page 1, page 2, … ]     32,768 elements each; growing copies the last page only
 * ```
 *
 * Elements that were never set are undefined, and an array without elements takes no memory.
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

  /** Removes all elements. */
  clear(): void {
    this.#pages.length = 0;
  }

  /** Frees the memory of a long array. Call it when no element is needed any more. */
  shrink(): void {
    if (this.#pages.length > 1 || (this.#pages[0]?.length ?? 0) > KEPT_LENGTH) this.clear();
  }

  #extend(index: number, value: T): void {
    while (this.#pages.length <= index >> pageBits) this.#pages.push([]);
    const page = this.#pages[index >> pageBits] as (T | undefined)[];
    // V8 is slow on arrays with holes.
    while (page.length < (index & (pageLength - 1))) page.push(undefined);
    page.push(value);
  }
}
