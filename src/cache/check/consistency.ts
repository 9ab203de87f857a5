import { ListPager, type Page } from '../../client/pager.js';
import type { ListSource } from '../../codec/watch-source.js';
import type { Accessor } from '../../meta/accessor.js';
import { isExpired } from '../../meta/error-predicates.js';
import { asError } from '../../meta/errors.js';
import { checkOptions, type OptionNames } from '../../meta/known-options.js';
import type { ListParameters } from '../../meta/parameters.js';
import { isRefusal } from '../../meta/refusal.js';
import { requireNumber } from '../../meta/validate.js';
import type { Clock } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';
import { collectPage } from '../source/collect-page.js';

/** Options of {@link compareWithServer}. */
export interface ComparisonOptions<T> {
  /** Where the truth is. A list of metadata alone will do, and is cheaper. */
  readonly listWatch: ListSource<T>;
  readonly accessor: Accessor<T>;
  /** The version that the items are of: that of the store when they were taken from it. */
  readonly resourceVersion: string;
  /** What is believed to be everything: all that a store holds. */
  readonly items: Iterable<T>;
  /** How the items were asked for, so that the same is asked for again. @default everything */
  readonly listOptions?: ListParameters | undefined;
  readonly signal: AbortSignal;
  /** How long to wait before asking again after a failure. @default 1_000 */
  readonly retryMs?: number | undefined;
  /** Times the wait before a retry. @default realClock */
  readonly clock?: Clock | undefined;
}

const comparisonNames: OptionNames<ComparisonOptions<never>> = {
  listWatch: true,
  accessor: true,
  resourceVersion: true,
  items: true,
  listOptions: true,
  signal: true,
  retryMs: true,
  clock: true,
};

/** An object that is here as it is not there. */
interface ItemDifference {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly serverUid: string;
  readonly serverResourceVersion: string;
}

/** What came of a comparison. */
export type Comparison =
  | { readonly outcome: 'consistent'; readonly compared: number }
  | {
      readonly outcome: 'inconsistent';
      readonly compared: number;
      /** Keys of what the server has and the items have not. */
      readonly missing: readonly string[];
      /** Keys of what the items have and the server has not. */
      readonly extra: readonly string[];
      readonly different: readonly ItemDifference[];
    }
  | { readonly outcome: 'skipped'; readonly reason: string };

/** What is compared of an object. Versions stand for contents: a server never changes one without the other. */
interface Facts {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Asks the server for exactly the version that the items claim to be of, and compares keys, uids and versions. Nothing is
 * parsed and nothing but these is kept, so it can be run now and then beside the cache it checks.
 *
 * Failures are retried until the signal aborts, which rejects with its reason. A version that the server no longer has is
 * skipped, as is one that names no state at all, and a request that the server refuses for good (4xx but 408, 409, 425 and 429).
 */
export async function compareWithServer<T>(options: ComparisonOptions<T>): Promise<Comparison> {
  const { accessor, resourceVersion } = checkOptions('compareWithServer', options, comparisonNames);
  const retryMs = requireNumber('retryMs', options.retryMs ?? 1_000);
  const factsOf = (item: T): Facts => ({
    key: accessor.key(item),
    uid: accessor.uid(item),
    resourceVersion: accessor.resourceVersion(item),
  });
  // Taken before the first wait: the caller's store goes on changing.
  const ours = new Map<string, Facts>();
  for (const item of options.items) ours.set(accessor.key(item), factsOf(item));
  const request = exactListOptions(options.listOptions ?? {}, resourceVersion, ours.size);
  if ('reason' in request) return { outcome: 'skipped', reason: request.reason };
  const { listWatch, signal, clock = realClock } = options;
  // Not awaited: while it waits for a server that is away, nothing here holds the items.
  const list = () => listFacts(listWatch, request, factsOf, signal);
  return compareWhenPossible(ours, { resourceVersion, list, retryMs, signal, clock });
}

async function compareWhenPossible(
  ours: ReadonlyMap<string, Facts>,
  truth: {
    readonly resourceVersion: string;
    list(): Promise<Facts[]>;
    readonly retryMs: number;
    readonly signal: AbortSignal;
    readonly clock: Clock;
  },
): Promise<Comparison> {
  const { signal } = truth;
  for (;;) {
    signal.throwIfAborted();
    try {
      return compare(ours, await truth.list());
    } catch (error) {
      signal.throwIfAborted();
      if (isExpired(error)) {
        return { outcome: 'skipped', reason: `the server no longer has version ${truth.resourceVersion}` };
      }
      if (isRefusal(error)) return { outcome: 'skipped', reason: `the server refuses: ${asError(error).message}` };
    }
    await truth.clock.sleep(truth.retryMs, { signal });
  }
}

/**
 * How to ask once more, and exactly, for what a list brought; or why that is not possible. A limit stays, unless the
 * server did not heed it, as it may for version `'0'`.
 *
 * @internal
 */
export function exactListOptions(
  asked: ListParameters,
  resourceVersion: string,
  received: number,
): ListParameters | { readonly reason: string } {
  if (asked.continue) return { reason: 'a page that is not the first cannot be asked for again' };
  if (resourceVersion === '' || resourceVersion === '0') {
    return { reason: `the version ${JSON.stringify(resourceVersion)} names no state of the server` };
  }
  const { limit = 0 } = asked;
  const wasIgnored = asked.resourceVersion === '0' && received > limit;
  return { ...asked, limit: wasIgnored ? 0 : limit, resourceVersion, resourceVersionMatch: 'Exact' };
}

async function listFacts<T>(
  listWatch: ListSource<T>,
  request: ListParameters,
  factsOf: (item: T) => Facts,
  signal: AbortSignal,
): Promise<Facts[]> {
  const listPage = async (page: ListParameters, pageSignal: AbortSignal): Promise<Page<Facts>> => {
    const { items, head } = await collectPage(listWatch, page, pageSignal, (item) => {
      try {
        return factsOf(item);
      } catch {
        // An object that cannot be read is left out of every cache, too.
        return undefined;
      }
    });
    return { items, metadata: head.metadata ?? { resourceVersion: '' } };
  };
  // With a limit the items are one page, and more pages would be more than was asked for.
  if (request.limit) return [...(await listPage(request, signal)).items];
  return (await new ListPager(listPage).list(request, { signal })).items;
}

function compare(ours: ReadonlyMap<string, Facts>, theirs: readonly Facts[]): Comparison {
  const missing: string[] = [];
  const different: ItemDifference[] = [];
  const extra = new Set(ours.keys());
  for (const { key, uid: serverUid, resourceVersion: serverResourceVersion } of theirs) {
    const own = ours.get(key);
    extra.delete(key);
    if (own === undefined) missing.push(key);
    else if (own.uid !== serverUid || own.resourceVersion !== serverResourceVersion) {
      different.push({ ...own, serverUid, serverResourceVersion });
    }
  }
  const compared = theirs.length;
  if (missing.length === 0 && extra.size === 0 && different.length === 0) return { outcome: 'consistent', compared };
  return { outcome: 'inconsistent', compared, missing, extra: [...extra], different };
}
