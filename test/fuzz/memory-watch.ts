/** The first slices of a target fill caches and compile code. */
const WARM_UP_SLICES = 3;
/** More than caches and pools of the targets keep. */
const GROWTH_LIMIT = 32 * 1024 * 1024;

/** Notices memory that is used after the slices of a target, and was not after earlier ones. */
export class MemoryWatch {
  readonly #slices = new Map<string, number>();
  readonly #least = new Map<string, number>();

  /** Returns the problem, if there is one. @param usedBytes what is in use after a slice and a garbage collection */
  see(target: string, usedBytes: number): string | undefined {
    const slices = (this.#slices.get(target) ?? 0) + 1;
    this.#slices.set(target, slices);
    if (slices <= WARM_UP_SLICES) return undefined;
    const least = this.#least.get(target) ?? usedBytes;
    this.#least.set(target, Math.min(least, usedBytes));
    const grown = usedBytes - least;
    if (grown <= GROWTH_LIMIT) return undefined;
    this.#least.set(target, usedBytes);
    return `memory grew by ${Math.round(grown / 1024 / 1024)} MB before this input`;
  }
}
