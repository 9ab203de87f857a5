import { PagedArray } from '../structures/paged-array.js';

export const noCauses: readonly string[] = Object.freeze([]);
/** More reasons than this help nobody, and a hot key would collect them for ever. */
const kept = 8;

/** Why items were added, by their numbers: each reason once. Almost always there is one, and no array for it. */
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
    else if (causes.length < kept && !causes.includes(cause)) causes.push(cause);
  }

  forget(number: number): void {
    this.#causes.unset(number);
  }

  clear(): void {
    this.#causes.clear();
  }
}
