import type { ListerWatcher } from '../cache/source/list-watch.js';
import { ServerTraits } from '../cache/source/server-traits.js';
import type { ListHead } from '../codec/codec.js';
import type { BatchSink, Flow, WatchSink } from '../codec/watch-source.js';
import { type ObjectWithMeta, objectAccessor } from '../meta/accessor.js';
import { StatusError } from '../meta/errors.js';
import { checkOptions } from '../meta/known-options.js';
import { type DeepReadonly, mutableCopy } from '../meta/objects.js';
import type { ListParameters, WatchParameters } from '../meta/parameters.js';
import { compareResourceVersions, isOrderedResourceVersion } from '../meta/resource-version.js';
import { badRequest, expired, type Status, tooLargeResourceVersion } from '../meta/status.js';
import { requireOneOf } from '../meta/validate.js';
import { initialEventsEndAnnotation, type WireEvent } from '../meta/watch-event.js';

/** Options of a {@link FakeControllerSource}. */
export interface FakeControllerSourceOptions {
  /**
   * Whether a watch may begin with the whole collection: `yes`; `no`, which readers know beforehand; or `refuse`, which
   * they find out by asking, as from a server of old.
   * @default 'yes'
   */
  readonly watchList?: 'yes' | 'no' | 'refuse' | undefined;
  /** What the collection is of, in bookmarks and lists. @default 'v1' */
  readonly apiVersion?: string | undefined;
  /** @default 'List' for the list, and none for bookmarks */
  readonly kind?: string | undefined;
}

/** How a change is made. */
interface FakeChangeOptions {
  /** Whether those who watch miss it, as if their connection had swallowed it. @default false */
  readonly dropWatch?: boolean | undefined;
}

/**
 * A collection in memory that can be listed and watched, for tests of what reads one: no server, no HTTP, no bytes.
 *
 * Every change gets the next number as its resourceVersion, the first one is 1, and is kept in a history from which a
 * watch is served. What it gives out are copies. It knows no selectors and no pages: it always shows everything.
 *
 * @example
 * const source = new FakeControllerSource<Pod>();
 * source.add(pod);
 * const reflector = new Reflector({ listWatch: source, store, accessor: objectAccessor });
 * source.modify({ ...pod, spec }, { dropWatch: true });   // missed by the watch …
 * source.resetWatch();                                    // … and found by the next list
 */
export class FakeControllerSource<T extends ObjectWithMeta> implements ListerWatcher<T> {
  /** @internal */
  readonly traits: ServerTraits = new ServerTraits();
  readonly supportsWatchList: boolean;
  readonly #refusesWatchList: boolean;
  readonly #apiVersion: string;
  readonly #kind: string;
  readonly #items = new Map<string, T>();
  readonly #watches = new Set<FakeWatch<T>>();
  /** The last changes, up to the newest one: the version of `#history[i]` is `#version - #history.length + 1 + i`. */
  #history: WireEvent<T>[] = [];
  #version = 0;

  constructor(options: FakeControllerSourceOptions = {}) {
    checkOptions('new FakeControllerSource', options, { watchList: true, apiVersion: true, kind: true });
    const watchList = requireOneOf('watchList', options.watchList ?? 'yes', ['yes', 'no', 'refuse']);
    this.supportsWatchList = watchList !== 'no';
    this.#refusesWatchList = watchList !== 'yes';
    this.#apiVersion = options.apiVersion ?? 'v1';
    this.#kind = options.kind ?? '';
  }

  /** The version of the last change; `0` before the first. */
  get resourceVersion(): string {
    return String(this.#version);
  }

  /** How many watches are open. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** Adds the object, and returns it with its version. */
  add(object: T, options?: FakeChangeOptions): T {
    return this.#change('ADDED', object, options);
  }

  /** Changes the object of this name, and returns it with its version. */
  modify(object: T, options?: FakeChangeOptions): T {
    return this.#change('MODIFIED', object, options);
  }

  /** Removes the object of this name; what is told of it is this last state with the version of its end. */
  delete(lastState: T, options?: FakeChangeOptions): T {
    return this.#change('DELETED', lastState, options);
  }

  /** Tells those who watch, and want to hear it, how far they have come. */
  bookmark(): void {
    for (const watch of this.#watches) if (watch.wantsBookmarks) watch.push(this.#bookmarkEvent());
  }

  /** Ends every watch and forgets all history: whoever is behind has to list again. */
  resetWatch(): void {
    this.#history = [];
    for (const watch of this.#watches) watch.end();
    this.#watches.clear();
  }

  list(options: ListParameters, sink: BatchSink<T>, signal: AbortSignal): Flow<ListHead> {
    const read = async (): Promise<ListHead> => {
      // An answer never comes before the call has returned.
      await Promise.resolve();
      signal.throwIfAborted();
      this.#checkListVersion(options);
      const items = Array.from(this.#items.values(), copy);
      if (items.length > 0) sink.batch(items);
      const kind = this.#kind === '' ? 'List' : `${this.#kind}List`;
      return { kind, apiVersion: this.#apiVersion, metadata: { resourceVersion: this.resourceVersion } };
    };
    return { resume() {}, done: read() };
  }

  open(options: WatchParameters, sink: WatchSink<T>, signal: AbortSignal): Flow<void> {
    let backlog: WireEvent<T>[];
    try {
      signal.throwIfAborted();
      backlog = options.sendInitialEvents === true ? this.#initialEvents(options) : this.#eventsAfter(options);
    } catch (error) {
      return { resume() {}, done: Promise.reject(error) };
    }
    const watch = new FakeWatch<T>(sink, signal, options.allowWatchBookmarks === true, () =>
      this.#watches.delete(watch),
    );
    this.#watches.add(watch);
    for (const event of backlog) watch.push(event);
    return watch;
  }

  #change(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T, options: FakeChangeOptions = {}): T {
    const { dropWatch = false } = checkOptions('a change', options, { dropWatch: true });
    const key = objectAccessor.key(object);
    const resourceVersion = String(++this.#version);
    const given = copy(object);
    const stored: T = { ...given, metadata: { ...given.metadata, resourceVersion } };
    if (type === 'DELETED') this.#items.delete(key);
    else this.#items.set(key, stored);
    this.#history.push({ type, object: stored });
    if (!dropWatch) for (const watch of this.#watches) watch.push({ type, object: copy(stored) });
    return copy(stored);
  }

  #checkListVersion({ resourceVersion = '', resourceVersionMatch }: ListParameters): void {
    if (resourceVersion === '') return;
    this.#checkKnown('list', resourceVersion);
    if (resourceVersionMatch === 'Exact' && resourceVersion !== this.resourceVersion) {
      throw failure('list', expired(`only version ${this.resourceVersion} can be listed, not ${resourceVersion}`));
    }
  }

  #initialEvents({ resourceVersion = '' }: WatchParameters): WireEvent<T>[] {
    if (this.#refusesWatchList) {
      throw failure('watch', badRequest('sendInitialEvents is forbidden for watch unless the feature is enabled'));
    }
    if (resourceVersion !== '') this.#checkKnown('watch', resourceVersion);
    const all = Array.from(this.#items.values(), (object): WireEvent<T> => ({ type: 'ADDED', object: copy(object) }));
    return [...all, this.#bookmarkEvent({ [initialEventsEndAnnotation]: 'true' })];
  }

  #eventsAfter({ resourceVersion = '' }: WatchParameters): WireEvent<T>[] {
    this.#checkKnown('watch', resourceVersion);
    const missed = this.#version - Number(resourceVersion);
    if (missed > this.#history.length) {
      const oldest = this.#version - this.#history.length;
      throw failure('watch', expired(`too old resource version: ${resourceVersion} (${oldest})`));
    }
    return this.#history
      .slice(this.#history.length - missed)
      .map((event) => ({ type: event.type, object: copy(event.object as T) }) as WireEvent<T>);
  }

  #checkKnown(verb: string, resourceVersion: string): void {
    if (!isOrderedResourceVersion(resourceVersion)) {
      throw failure(verb, badRequest(`Invalid value: ${JSON.stringify(resourceVersion)}: must be a number`));
    }
    if (compareResourceVersions(resourceVersion, this.resourceVersion) === 1) {
      throw failure(verb, tooLargeResourceVersion(resourceVersion, this.resourceVersion));
    }
  }

  #bookmarkEvent(annotations?: Record<string, string>): WireEvent<T> {
    const metadata = { resourceVersion: this.resourceVersion, ...(annotations !== undefined && { annotations }) };
    return { type: 'BOOKMARK', object: { apiVersion: this.#apiVersion, kind: this.#kind, metadata } };
  }
}

/** One watch: hands events over in turns of its own, pauses when asked to, and ends when told. */
class FakeWatch<T> implements Flow<void> {
  readonly done: Promise<void>;
  readonly wantsBookmarks: boolean;
  readonly #sink: WatchSink<T>;
  #events: WireEvent<T>[] = [];
  #paused = false;
  #ending = false;
  #over = false;
  #scheduled = false;
  #finish!: (error?: unknown) => void;

  constructor(sink: WatchSink<T>, signal: AbortSignal, wantsBookmarks: boolean, onEnd: () => void) {
    this.#sink = sink;
    this.wantsBookmarks = wantsBookmarks;
    const abort = () => this.#finish(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.done = new Promise((resolve, reject) => {
      this.#finish = (error) => {
        this.#over = true;
        signal.removeEventListener('abort', abort);
        onEnd();
        if (error === undefined) resolve();
        else reject(error);
      };
    });
  }

  push(event: WireEvent<T>): void {
    this.#events.push(event);
    this.#schedule();
  }

  /** What was pushed before is still handed over. */
  end(): void {
    this.#ending = true;
    this.#schedule();
  }

  resume(): void {
    this.#paused = false;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    if (this.#over || this.#paused) return;
    if (this.#events.length > 0) {
      const events = this.#events;
      this.#events = [];
      try {
        this.#paused = !this.#sink.batch(events);
      } catch (error) {
        this.#finish(error);
        return;
      }
    }
    if (this.#ending && !this.#paused && !this.#over && this.#events.length === 0) this.#finish();
  }
}

function copy<T>(object: T): T {
  return mutableCopy<T>(object as DeepReadonly<T>);
}

function failure(verb: string, status: Status): StatusError {
  return new StatusError(status, { verb });
}
