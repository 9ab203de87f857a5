import { ListPager, type Page } from '../../client/list-pager.js';
import type { ListSource } from '../../codec/watch-source.js';
import type { Accessor } from '../../meta/accessor.js';
import { isExpired } from '../../meta/errors/error-predicates.js';
import { asError } from '../../meta/errors/errors.js';
import { isRefusal } from '../../meta/errors/refusal.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import type { ListParameters } from '../../meta/options/parameters.js';
import { requireNumber } from '../../meta/options/validate.js';
import type { Clock } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';
import { collectPage } from '../source/collect-page.js';

/** Options of {@link compareWithServer}. */
export interface ComparisonOptions<T> {
  /** Lists the collection on the server. A source of metadata only is enough, and cheaper. */
  readonly listWatch: ListSource<T>;
  readonly accessor: Accessor<T>;
  /** The resourceVersion of the store when the items were taken from it. */
  readonly resourceVersion: string;
  /** All items of the store. */
  readonly items: Iterable<T>;
  /** The parameters that the items were listed with. @default everything */
  readonly listOptions?: ListParameters | undefined;
  readonly signal: AbortSignal;
  /** How long to wait after a failed list. @default 1_000 */
  readonly retryMs?: number | undefined;
  /** Times the wait. @default realClock */
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

/** An object that the server has in another version, or with another uid. */
interface ItemDifference {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly serverUid: string;
  readonly serverResourceVersion: string;
}

/** The result of {@link compareWithServer}. */
export type Comparison =
  | { readonly outcome: 'consistent'; readonly compared: number }
  | {
      readonly outcome: 'inconsistent';
      readonly compared: number;
      /** Keys of objects that only the server has. */
      readonly missing: readonly string[];
      /** Keys of objects that only the store has. */
      readonly extra: readonly string[];
      readonly different: readonly ItemDifference[];
    }
  | { readonly outcome: 'skipped'; readonly reason: string };

/** What is compared of an object: a server changes the resourceVersion with every change of the contents. */
interface Facts {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Lists the collection at exactly the resourceVersion of the items, and compares keys, uids and resourceVersions. It parses
 * no object and keeps only these fields, so it is cheap enough to run regularly beside the cache.
 *
 * A failed list is retried until the signal aborts; then it rejects with the signal's reason. The comparison is skipped if
 * the server has compacted the resourceVersion (410 Gone), if that is `''` or `'0'`, and if the server refuses the list (4xx
 * but 408, 409, 425 and 429).
 */
export async function compareWithServer<T>(options: ComparisonOptions<T>): Promise<Comparison> {
  const { accessor, resourceVersion } = checkOptions('compareWithServer', options, comparisonNames);
  const retryMs = requireNumber('retryMs', options.retryMs ?? 1_000);
  const factsOf = (item: T): Facts => ({
    key: accessor.key(item),
    uid: accessor.uid(item),
    resourceVersion: accessor.resourceVersion(item),
  });
  // Read before the first `await`: the store changes.
  const ours = new Map<string, Facts>();
  for (const item of options.items) ours.set(accessor.key(item), factsOf(item));
  const request = exactListOptions(options.listOptions ?? {}, resourceVersion, ours.size);
  if ('reason' in request) return { outcome: 'skipped', reason: request.reason };
  const { listWatch, signal, clock = realClock } = options;
  // Called in a function of its own, so that the items can be collected while it waits for a server.
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
        return { outcome: 'skipped', reason: `the server no longer has resourceVersion ${truth.resourceVersion}` };
      }
      if (isRefusal(error))
        return { outcome: 'skipped', reason: `the server refuses the list: ${asError(error).message}` };
    }
    await truth.clock.sleep(truth.retryMs, { signal });
  }
}

/**
 * The parameters that list the same items again with `resourceVersionMatch: 'Exact'`, or why that is not possible. `limit`
 * stays, unless the server ignored it, as it may for resourceVersion `'0'`.
 *
 * @internal
 */
export function exactListOptions(
  asked: ListParameters,
  resourceVersion: string,
  received: number,
): ListParameters | { readonly reason: string } {
  if (asked.continue) return { reason: 'only the first page of a list can be requested again' };
  if (resourceVersion === '' || resourceVersion === '0') {
    return { reason: `the resourceVersion ${JSON.stringify(resourceVersion)} stands for no state of the server` };
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
  // With a limit the items are one page: further pages would be extra.
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
