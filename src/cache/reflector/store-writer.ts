import type { Accessor } from '../../meta/accessor.js';
import { asError } from '../../meta/errors/errors.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { messageOf } from '../../rest/http/request-errors.js';
import type { Clock } from '../../time/clock.js';
import type { ReflectorStore } from '../store/store.js';
import type { FailureRecord } from './failure-record.js';
import { ListError } from './reflector-errors.js';
import { UnreadKeys } from './unread-keys.js';

/** An event about an object. */
export type ObjectEvent<T> = Extract<WireEvent<T>, { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' }>;

/** Options of a {@link StoreWriter}. */
interface StoreWriterOptions<T> {
  readonly store: ReflectorStore<T>;
  readonly accessor: Accessor<T>;
  readonly clock: Clock;
  /** Names the collection in messages. */
  readonly what: string;
  readonly failures: FailureRecord;
}

/**
 * Writes lists and watch events to the store of a reflector, and tracks how far they go: resourceVersion, timestamps and
 * the objects that could not be read.
 */
export class StoreWriter<T> {
  readonly #options: StoreWriterOptions<T>;
  readonly #unread = new UnreadKeys();
  #resourceVersion = '';
  #lastEventAt: number | undefined;
  #lastBookmarkAt: number | undefined;
  /** Objects that the list or watch-list under way, or the last one, has brought. */
  listed = 0;

  constructor(options: StoreWriterOptions<T>) {
    this.#options = options;
  }

  get store(): ReflectorStore<T> {
    return this.#options.store;
  }

  /** The resourceVersion to watch from; empty before the first list. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** In ms since 1970. */
  get lastEventAt(): number | undefined {
    return this.#lastEventAt;
  }

  /** In ms since 1970. */
  get lastBookmarkAt(): number | undefined {
    return this.#lastBookmarkAt;
  }

  /** Objects of the collection whose newest version could not be read. */
  get unread(): Pick<UnreadKeys, 'keys' | 'withoutKey'> {
    return this.#unread;
  }

  /** @throws ListError if the store rejects the items. */
  replace(items: T[], resourceVersion: string, unread: UnreadKeys): void {
    const { store, clock, what } = this.#options;
    try {
      store.replace(items, resourceVersion, unread.isEmpty ? undefined : (key) => unread.mayInclude(key));
    } catch (error) {
      throw new ListError(`unable to sync list result of ${what}: ${messageOf(error)}`, error);
    }
    this.#unread.replaceWith(unread);
    this.#lastEventAt = clock.now();
    this.advance(resourceVersion);
  }

  write({ type, object }: ObjectEvent<T>): void {
    const { store, accessor } = this.#options;
    if (!this.#unread.isEmpty) this.#unread.delete(accessor.key(object));
    if (type === 'ADDED') store.add(object);
    else if (type === 'MODIFIED') store.update(object);
    else store.delete(object);
  }

  /** An object cannot be read. The store keeps its last version, unless the object was deleted. */
  writeUnreadable(type: ObjectEvent<T>['type'], key: string | undefined, resourceVersion: string): void {
    const { store } = this.#options;
    if (type === 'DELETED' && key !== undefined) {
      this.#unread.delete(key);
      store.delete(new DeletedFinalStateUnknown<T>(key, undefined));
      return;
    }
    this.#unread.add(key);
    // A caller that waits for this resourceVersion would otherwise wait for the next change.
    if (resourceVersion !== '') store.progress?.(resourceVersion);
  }

  /** An event about an object was received. */
  noteEvent(now: number): void {
    this.#lastEventAt = now;
    this.#options.failures.clear();
  }

  bookmark(resourceVersion: string, now: number): void {
    const { store, failures } = this.#options;
    try {
      store.progress?.(resourceVersion);
    } catch (error) {
      failures.skip(asError(error));
    }
    this.#lastBookmarkAt = now;
    failures.clear();
  }

  /** The next watch begins at this resourceVersion. */
  advance(resourceVersion: string): void {
    const { store, failures } = this.#options;
    this.#resourceVersion = resourceVersion;
    try {
      store.updateResourceVersion?.(resourceVersion);
    } catch (error) {
      failures.skip(asError(error));
    }
  }
}
