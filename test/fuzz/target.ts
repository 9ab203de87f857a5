import type { Random } from './random.js';

/**
 * A parser of foreign bytes, and what must hold for every input. An input is plain data (texts, numbers, bytes, arrays and objects of
 * them), so that a failing one can be made smaller and printed; everything that happens to it is a function of it.
 */
export interface Target {
  /** The name for `--only`. */
  readonly name: string;
  /** What is checked, in a few words. */
  readonly holds: string;
  generate(random: Random): unknown;
  /**
   * Parses the input. Returns whether the parser accepted it: most inputs of a target that accepts none would end at the first byte.
   *
   * @throws anything if the parser did what it must not do
   */
  check(input: unknown): boolean | Promise<boolean>;
}

/** Declares a target with the type of its inputs. */
export function target<Input>(
  name: string,
  holds: string,
  generate: (random: Random) => Input,
  check: (input: Input) => boolean | Promise<boolean>,
): Target {
  return { name, holds, generate, check: (input) => check(input as Input) };
}

/** The value of a parser; undefined if it refused the input with one of the errors that it documents. */
export function accepted<T>(parse: () => T, refusals: readonly (new (...args: never[]) => Error)[]): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return undefined;
    throw error;
  }
}

/** Calls `put` with the pieces of the bytes, whose lengths repeat `cuts`. The memory of a piece is used again for the next. */
export function inPieces(bytes: Uint8Array, cuts: readonly number[], put: (piece: Buffer) => void): void {
  // A smaller input may have lost its cuts.
  const lengths = cuts.length === 0 ? [bytes.length] : cuts.map((length) => Math.max(1, length));
  const shared = Buffer.allocUnsafe(Math.max(...lengths));
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const length = Math.min(lengths[n % lengths.length] as number, bytes.length - at);
    shared.set(bytes.subarray(at, at + length));
    put(shared.subarray(0, length));
    at += length;
  }
}
