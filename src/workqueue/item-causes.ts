import { PagedArray } from '../structures/paged-array.js';

export const noCauses: readonly string[] = Object.freeze([]);
/** Bounds the memory of a key that is added all the time. */
const maxCauses = 8;

/** Why items were added, by item number, each cause once. A single cause, the common case, is stored without an array. */
export class ItemCauses {
  readonly #causes = new PagedArray<string | string[]>();

  of(number: number): readonly string[] {
    const causes = this.#causes.get(number);
    return typeof causes === 'string' ? [causes] : (causes ?? noCauses);
  }

  add(number: number, cause: string): void {
    const causes = this.#causes.get(number);
    if (causes === undefined) this.#causes.set(number, cause);
    else if (typeof causes === 'string') this.#causes.set(number, causes === cause ? cause : [causes, cause]);
    else if (causes.length < maxCauses && !causes.includes(cause)) causes.push(cause);
  }

  forget(number: number): void {
    this.#causes.unset(number);
  }

  clear(): void {
    this.#causes.clear();
  }
}
