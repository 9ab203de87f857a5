import type { ListHead } from '../../codec/codec.js';
import type { ListSource } from '../../codec/watch-source.js';
import type { ListParameters } from '../../meta/options/parameters.js';

/** One page of a list, as a whole. */
export interface CollectedPage<R> {
  readonly items: R[];
  readonly head: ListHead;
}

/** Lists one page and collects what `pick` returns for each item; an item for which it returns undefined is left out. */
export async function collectPage<T, R>(
  source: ListSource<T>,
  options: ListParameters,
  signal: AbortSignal,
  pick: (item: T) => R | undefined,
): Promise<CollectedPage<R>> {
  const items: R[] = [];
  const batch = (entries: readonly T[]): boolean => {
    for (const entry of entries) {
      const picked = pick(entry);
      if (picked !== undefined) items.push(picked);
    }
    return true;
  };
  const head = await source.list(options, { batch }, signal).done;
  return { items, head };
}
