import type { Abortable } from '../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { requireFunction, requireInteger } from '../meta/options/validate.js';

/** Options of {@link parallelizeUntil}. */
export interface ParallelizeOptions extends Abortable {
  /** How many pieces are processed at the same time. */
  readonly workers: number;
  /** How many pieces there are: `work` is called with 0 to `pieces - 1`. */
  readonly pieces: number;
  /** Pieces that a worker takes at once; use more for small pieces. @default 1 */
  readonly chunkSize?: number | undefined;
}

const parallelizeNames: OptionNames<ParallelizeOptions> = {
  ...abortableNames,
  workers: true,
  pieces: true,
  chunkSize: true,
};

/**
 * Calls `work` for numbered pieces, `workers` at a time, in the order of their numbers. Resolves when every started piece has
 * ended; an abort starts no further piece. If `work` throws, no further piece starts, and the promise rejects with that error
 * after the running ones have ended.
 */
export async function parallelizeUntil(options: ParallelizeOptions, work: (piece: number) => unknown): Promise<void> {
  checkOptions('parallelizeUntil', options, parallelizeNames);
  const workers = requireInteger('workers', options.workers, 1);
  const pieces = requireInteger('pieces', options.pieces);
  const chunkSize = requireInteger('chunkSize', options.chunkSize ?? 1, 1);
  requireFunction('work', work);
  const { signal } = options;
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    while (next < pieces) {
      const from = next;
      const to = Math.min(from + chunkSize, pieces);
      next = to;
      for (let piece = from; piece < to; piece++) {
        if (signal?.aborted || failure !== undefined) return;
        try {
          await work(piece);
        } catch (error) {
          failure ??= { error };
        }
      }
    }
  };
  const chunks = Math.ceil(pieces / chunkSize);
  await Promise.all(Array.from({ length: Math.min(workers, chunks) }, worker));
  if (failure !== undefined) throw failure.error;
}
