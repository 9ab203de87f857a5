import { ListPager, type Page } from '../../client/list-pager.js';
import type { ListParameters } from '../../meta/options/parameters.js';
import { messageOf } from '../../rest/http/request-errors.js';
import type { Clock } from '../../time/clock.js';
import { collectLivePage } from '../source/collect-page.js';
import type { ListerWatcher } from '../source/list-watch.js';
import type { FailureRecord } from './failure-record.js';
import {
  type Expectation,
  isTable,
  UnexpectedObjectError,
  UnreadableObjectError,
  whyUnexpected,
} from './object-check.js';
import { ListError } from './reflector-errors.js';
import type { Listing } from './reflector-state.js';
import type { StoreWriter } from './store-writer.js';
import { UnreadKeys } from './unread-keys.js';

const defaultPageSize = 500;

/** Options of a {@link ListPhase}. */
interface ListPhaseOptions<T> extends Omit<Expectation<T>, 'expected'> {
  readonly clock: Clock;
  readonly listWatch: ListerWatcher<T>;
  readonly writer: StoreWriter<T>;
  readonly failures: FailureRecord;
  /** 0: chosen for each list. */
  readonly pageSize: number;
}

/** How one list ended. */
export type ListResult =
  | { readonly type: 'synced'; readonly items: number; readonly resourceVersion: string }
  | { readonly type: 'listFailed'; readonly error: ListError; readonly pageSize: number };

/** Lists the whole collection and replaces the contents of the store. */
export class ListPhase<T> {
  readonly #options: ListPhaseOptions<T>;
  /** A list at `'0'` came in pages: the server's watch cache is off, and a list of any version may be paged. */
  #isPaginated = false;

  constructor(options: ListPhaseOptions<T>) {
    this.#options = options;
  }

  /** Never rejects. After an abort it has written nothing, and returns `listFailed`. */
  async run({ history, retriedPageSize }: Listing, signal: AbortSignal): Promise<ListResult> {
    const { what, writer } = this.#options;
    // "0" accepts any state that the server has cached: the watch adds newer changes.
    const resourceVersion = history.versionUnavailable ? '' : writer.resourceVersion || '0';
    const pageSize = retriedPageSize ?? this.#pageSize(resourceVersion);
    let unread = new UnreadKeys();
    const listPage = (options: ListParameters, pageSignal: AbortSignal): Promise<Page<T>> => {
      if (!options.continue) {
        writer.listed = 0;
        unread = new UnreadKeys();
      }
      return this.#listPage(options, unread, pageSignal);
    };
    try {
      const { items, metadata, paginated } = await new ListPager(listPage, { pageSize }).list(
        { resourceVersion },
        { signal },
      );
      signal.throwIfAborted();
      if (resourceVersion === '0' && paginated) this.#isPaginated = true;
      const { length } = items;
      writer.replace(items, metadata.resourceVersion, unread);
      return { type: 'synced', items: length, resourceVersion: metadata.resourceVersion };
    } catch (cause) {
      const error =
        cause instanceof ListError ? cause : new ListError(`failed to list ${what}: ${messageOf(cause)}`, cause);
      return { type: 'listFailed', error, pageSize };
    }
  }

  #pageSize(resourceVersion: string): number {
    if (this.#options.pageSize > 0) return this.#options.pageSize;
    if (this.#isPaginated) return defaultPageSize;
    // The server's watch cache answers a list of a known resourceVersion, but not in pages.
    return resourceVersion === '' || resourceVersion === '0' ? defaultPageSize : 0;
  }

  async #listPage(options: ListParameters, unread: UnreadKeys, signal: AbortSignal): Promise<Page<T>> {
    const { what, accessor, clock, failures, listWatch, writer } = this.#options;
    // The items of a list need not have `kind`; the list has.
    const expectation: Expectation<T> = { what, accessor, expected: undefined };
    const pick = (item: T): T | undefined => {
      writer.listed++;
      const problem = whyUnexpected(item, expectation);
      if (problem === undefined) return item;
      failures.skip(problem);
      if (problem instanceof UnreadableObjectError) unread.add(problem.key);
      return undefined;
    };
    const { items, head } = await collectLivePage(listWatch, options, signal, pick, clock);
    const { kind, apiVersion, metadata } = head;
    if (isTable(kind, apiVersion)) {
      throw new UnexpectedObjectError(`unsupported list gvk: ${what} came as a ${apiVersion} Table`);
    }
    if (metadata === undefined)
      throw new UnexpectedObjectError(`the list of ${what} has no metadata, so no resourceVersion to watch from`);
    return { items, metadata: { ...metadata, resourceVersion: metadata.resourceVersion ?? '' } };
  }
}
