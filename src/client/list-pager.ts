import { isReason } from '../meta/errors/error-predicates.js';
import type { Abortable, ListMeta } from '../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/options/known-options.js';
import type { ListParameters } from '../meta/options/parameters.js';
import { requireFunction, requireInteger } from '../meta/options/validate.js';
import { linkSignals } from '../time/signals.js';

/** The answer to one list request: the whole list, or one page of it. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly metadata: ListMeta;
}

/** Requests one page. */
type ListPage<T> = (options: ListParameters, signal: AbortSignal) => Promise<Page<T>>;

/** Options of a {@link ListPager}. */
export interface ListPagerOptions {
  /** Items per page, unless the list options have a `limit`; 0 requests all items at once. @default 500 */
  readonly pageSize?: number | undefined;
  /** How many pages are fetched ahead of the one being read. @default 10 */
  readonly pageBufferSize?: number | undefined;
  /** Whether `list` requests the whole list at once when a later page fails with 410 Expired. @default true */
  readonly fullListIfPageExpired?: boolean | undefined;
}

const pageNames: OptionNames<ListParameters> = {
  labelSelector: true,
  fieldSelector: true,
  shardSelector: true,
  resourceVersion: true,
  resourceVersionMatch: true,
  limit: true,
  continue: true,
  timeoutSeconds: true,
};

const pagerNames: OptionNames<ListPagerOptions> = { pageSize: true, pageBufferSize: true, fullListIfPageExpired: true };

/** The result of `list`: the items of all pages, and the resourceVersion of the first page, which they all show. */
export interface PagedList<T> {
  readonly items: T[];
  readonly metadata: ListMeta;
  /** Whether more than one request was sent. */
  readonly paginated: boolean;
}

/**
 * Reads a collection page by page, so that neither server nor client holds all of its bytes at once.
 *
 * All pages show one resourceVersion. When the server has compacted that version before the last page (410 Expired), `list`
 * starts again with one request for everything; `eachItem` has already passed items on, so it rejects.
 */
export class ListPager<T> {
  readonly #listPage: ListPage<T>;
  readonly #pageSize: number;
  readonly #bufferSize: number;
  readonly #fullListIfPageExpired: boolean;

  constructor(listPage: ListPage<T>, options: ListPagerOptions = {}) {
    requireFunction('listPage', listPage);
    checkOptions('new ListPager', options, pagerNames);
    this.#listPage = listPage;
    this.#pageSize = requireInteger('pageSize', options.pageSize ?? 500);
    this.#bufferSize = requireInteger('pageBufferSize', options.pageBufferSize ?? 10);
    this.#fullListIfPageExpired = options.fullListIfPageExpired ?? true;
  }

  async list(options: ListParameters = {}, context: Abortable = {}): Promise<PagedList<T>> {
    checkOptions('ListPager.list', options, pageNames);
    const { signal = never } = checkOptions('ListPager.list', context, abortableNames);
    const items: T[] = [];
    let first: ListMeta | undefined;
    let request = this.#firstRequest(options);
    for (;;) {
      signal.throwIfAborted();
      let page: Page<T>;
      try {
        page = await this.#listPage(request, signal);
      } catch (error) {
        if (first === undefined || !this.#fullListIfPageExpired || !isReason(error, 'Expired')) throw error;
        signal.throwIfAborted();
        const whole = await this.#listPage({ ...options, limit: 0, continue: undefined }, signal);
        return { items: [...whole.items], metadata: whole.metadata, paginated: true };
      }
      for (const item of page.items) items.push(item);
      const more = page.metadata.continue;
      if (!more) {
        const metadata = first === undefined ? page.metadata : { resourceVersion: first.resourceVersion };
        return { items, metadata, paginated: first !== undefined };
      }
      first ??= page.metadata;
      request = nextPage(request, more);
    }
  }

  /**
   * Calls `visit` for each item, in order, while further pages are fetched. Rejects at once if `visit` throws; after the
   * pages before it if a request fails; after the current page on abort.
   */
  async eachItem(visit: (item: T) => unknown, options: ListParameters = {}, context: Abortable = {}): Promise<void> {
    for await (const page of this.pages(options, context)) {
      for (const item of page.items) await visit(item);
      context.signal?.throwIfAborted();
    }
  }

  /** Yields the pages in order, and fetches up to `pageBufferSize` further ones ahead. */
  async *pages(options: ListParameters = {}, context: Abortable = {}): AsyncGenerator<Page<T>, void, void> {
    checkOptions('ListPager.pages', options, pageNames);
    const fetching = linkSignals([checkOptions('ListPager.pages', context, abortableNames).signal]);
    // Each promise is one page, or undefined after the last one. At most `pageBufferSize` + 1 are ahead of the loop.
    const ahead: Promise<Page<T> | undefined>[] = [];
    let request: ListParameters | undefined = this.#firstRequest(options);
    const fetchNext = async (before: Promise<unknown>): Promise<Page<T> | undefined> => {
      await before;
      if (request === undefined) return undefined;
      fetching.signal.throwIfAborted();
      const page = await this.#listPage(request, fetching.signal);
      request = page.metadata.continue ? nextPage(request, page.metadata.continue) : undefined;
      return page;
    };
    let last: Promise<unknown> = Promise.resolve();
    const fetchAhead = () => {
      while (ahead.length <= this.#bufferSize) {
        const next = fetchNext(last);
        // The loop awaits it later and throws its error then; until then it must not count as unhandled.
        next.catch(() => {});
        ahead.push(next);
        last = next;
      }
    };
    try {
      fetchAhead();
      for (;;) {
        const page = await (ahead.shift() as Promise<Page<T> | undefined>);
        if (page === undefined) return;
        fetchAhead();
        yield page;
      }
    } finally {
      fetching.abort();
    }
  }

  #firstRequest(options: ListParameters): ListParameters {
    return { ...options, limit: options.limit || this.#pageSize };
  }
}

const never: AbortSignal = new AbortController().signal;

/** A continue token contains the resourceVersion: the server refuses a request that has both. */
function nextPage(request: ListParameters, token: string): ListParameters {
  return { ...request, continue: token, resourceVersion: undefined, resourceVersionMatch: undefined };
}
