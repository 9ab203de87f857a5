import { abortableNames, checkOptions, type OptionNames } from '../meta/known-options.js';
import type { Abortable } from '../meta/objects.js';
import { requireFunction, requireInteger } from '../meta/validate.js';

/** Options of {@link parallelizeUntil}. */
export interface ParallelizeOptions extends Abortable {
  /** How many pieces are worked on at the same time. */
  readonly workers: number;
  /** How many there are; `work` gets numbers from 0 up to it. */
  readonly pieces: number;
  /** Pieces a worker takes at once: larger where a piece is small. @default 1 */
  readonly chunkSize?: number | undefined;
}

const parallelizeNames: OptionNames<ParallelizeOptions> = {
  ...abortableNames,
  workers: true,
  pieces: true,
  chunkSize: true,
};

/**
 * Works on numbered pieces, a few at a time, in order of their numbers. Resolves when every piece that was begun has ended;
 * after an abort no further one is begun. A piece that throws rejects, once the running ones have ended.
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
