import type { ListHead } from '../../codec/codec.js';
import type { ListSource } from '../../codec/watch-source.js';
import type { ListParameters } from '../../meta/options/parameters.js';
import { SilenceWatch } from '../../rest/http/silence.js';
import type { Clock } from '../../time/clock.js';
import { abortable, linkSignals, timeoutError } from '../../time/signals.js';

/** A list that receives nothing for this long is aborted. Servers limit requests to one minute themselves. */
const silentListMs = 90_000;

/** One page of a list, as a whole. */
interface CollectedPage<R> {
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

/** {@link collectPage} for a page that may stall: if it receives nothing for `silentListMs`, it is aborted. */
export async function collectLivePage<T, R>(
  source: ListSource<T>,
  options: ListParameters,
  signal: AbortSignal,
  pick: (item: T) => R | undefined,
  clock: Clock,
): Promise<CollectedPage<R>> {
  const link = linkSignals([signal]);
  let received = 0;
  const silence = new SilenceWatch(
    clock,
    () => silentListMs,
    () => received,
    (silentMs) =>
      link.abort(
        timeoutError(`received nothing for ${Math.round(silentMs / 1000)} s: the server or the network is stuck`),
      ),
  );
  const counted = (item: T): R | undefined => {
    received++;
    return pick(item);
  };
  try {
    return await abortable(collectPage(source, options, link.signal, counted), link.signal);
  } finally {
    silence.stop();
    link.release();
  }
}
