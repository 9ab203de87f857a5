import { isReason } from '../meta/error-predicates.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/known-options.js';
import type { Abortable, ListMeta } from '../meta/objects.js';
import type { ListParameters } from '../meta/parameters.js';
import { requireFunction, requireInteger } from '../meta/validate.js';
import { linkSignals } from '../time/signals.js';

/** One answer to a list request: all of the list, or one page of it. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly metadata: ListMeta;
}

/** Asks the server for one page. */
type ListPage<T> = (options: ListParameters, signal: AbortSignal) => Promise<Page<T>>;

/** Options of a {@link ListPager}. */
export interface ListPagerOptions {
  /** Items per page unless the list options say otherwise; 0 asks for everything at once. @default 500 */
  readonly pageSize?: number | undefined;
  /** How many pages are fetched ahead of the one being walked through. @default 10 */
  readonly pageBufferSize?: number | undefined;
  /** Whether `list` starts over with one full list when a later page has expired. @default true */
  readonly fullListIfPageExpired?: boolean | undefined;
}

const pageNames: OptionNames<ListParameters> = {
  labelSelector: true,
  fieldSelector: true,
  resourceVersion: true,
  resourceVersionMatch: true,
  limit: true,
  continue: true,
  timeoutSeconds: true,
};

const pagerNames: OptionNames<ListPagerOptions> = { pageSize: true, pageBufferSize: true, fullListIfPageExpired: true };

/** What `list` brings: the items of all pages, and the metadata of the first, which is the version they all show. */
export interface PagedList<T> {
  readonly items: T[];
  readonly metadata: ListMeta;
  /** Whether more than one page was asked for. */
  readonly paginated: boolean;
}

/**
 * Reads a collection page by page, so that neither server nor client holds all of its text at once.
 *
 * The pages show one version of the collection. When that version is too old for a later page, `list` starts over without
 * pages; `eachItem` cannot, because items have been handed over, and rejects.
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
   * Calls `visit` for each item, in order, while further pages are fetched. What `visit` throws ends it at once; an error
   * of a fetch, after the pages before it have been walked through; an abort, after the page under way.
   */
  async eachItem(visit: (item: T) => unknown, options: ListParameters = {}, context: Abortable = {}): Promise<void> {
    for await (const page of this.pages(options, context)) {
      for (const item of page.items) await visit(item);
      context.signal?.throwIfAborted();
    }
  }

  /** The pages, one after the other, fetched ahead of whoever reads them. */
  async *pages(options: ListParameters = {}, context: Abortable = {}): AsyncGenerator<Page<T>, void, void> {
    checkOptions('ListPager.pages', options, pageNames);
    const fetching = linkSignals([checkOptions('ListPager.pages', context, abortableNames).signal]);
    // Each promise is one page, or undefined behind the last one. At most buffer + 1 of them are ahead of the reader.
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
        // Nobody may be reading when it fails; the reader gets the error when it comes to it.
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

/** A continue token holds the version: the server refuses a request that names one besides. */
function nextPage(request: ListParameters, token: string): ListParameters {
  return { ...request, continue: token, resourceVersion: undefined, resourceVersionMatch: undefined };
}
