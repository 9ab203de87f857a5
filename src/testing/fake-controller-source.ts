import type { ListerWatcher } from '../cache/source/list-watch.js';
import { ServerTraits } from '../cache/source/server-traits.js';
import type { ListHead } from '../codec/codec.js';
import type { BatchSink, Flow, WatchSink } from '../codec/watch-source.js';
import { type ObjectWithMeta, objectAccessor } from '../meta/accessor.js';
import { StatusError } from '../meta/errors/errors.js';
import { badRequest, expired, type Status, tooLargeResourceVersion } from '../meta/errors/status.js';
import { type DeepReadonly, mutableCopy } from '../meta/objects.js';
import { checkOptions } from '../meta/options/known-options.js';
import type { ListParameters, WatchParameters } from '../meta/options/parameters.js';
import { requireOneOf } from '../meta/options/validate.js';
import { compareResourceVersions, isOrderedResourceVersion } from '../meta/resource-version.js';
import { initialEventsEndAnnotation, type WireEvent } from '../meta/watch-event.js';

/** Options of a {@link FakeControllerSource}. */
export interface FakeControllerSourceOptions {
  /**
   * Support of watch-list: `yes`; `no`, so that `supportsWatchList` is false; or `refuse`, which rejects `sendInitialEvents` with
   * 400 as an old server does.
   * @default 'yes'
   */
  readonly watchList?: 'yes' | 'no' | 'refuse' | undefined;
  /** `apiVersion` of lists and bookmarks. @default 'v1' */
  readonly apiVersion?: string | undefined;
  /** `kind` of the objects. @default '': a list has the kind `List` */
  readonly kind?: string | undefined;
}

/** Options of a change. */
interface FakeChangeOptions {
  /** Whether open watches miss the change, as if their connection had lost it. @default false */
  readonly dropWatch?: boolean | undefined;
}

/**
 * A collection in memory that can be listed and watched, for tests of reflectors and informers without a server.
 *
 * Changes are numbered from 1; the number is the resourceVersion. A watch is served from the history of changes. Lists and
 * watches return copies. Selectors and paging are not supported: a list always has every object.
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

  /** The resourceVersion of the last change; `0` before the first. */
  get resourceVersion(): string {
    return String(this.#version);
  }

  /** The number of open watches. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** Adds the object; returns it with its resourceVersion. */
  add(object: T, options?: FakeChangeOptions): T {
    return this.#change('ADDED', object, options);
  }

  /** Replaces the object with this key; returns it with its resourceVersion. */
  modify(object: T, options?: FakeChangeOptions): T {
    return this.#change('MODIFIED', object, options);
  }

  /** Deletes the object with this key. The DELETED event has `lastState`, with the resourceVersion of the deletion. */
  delete(lastState: T, options?: FakeChangeOptions): T {
    return this.#change('DELETED', lastState, options);
  }

  /** Sends a bookmark to each watch with `allowWatchBookmarks`. */
  bookmark(): void {
    for (const watch of this.#watches) if (watch.wantsBookmarks) watch.push(this.#bookmarkEvent());
  }

  /** Ends every watch and drops the history: a watch from an older resourceVersion gets 410 Gone and has to relist. */
  resetWatch(): void {
    this.#history = [];
    for (const watch of this.#watches) watch.end();
    this.#watches.clear();
  }

  list(options: ListParameters, sink: BatchSink<T>, signal: AbortSignal): Flow<ListHead> {
    const read = async (): Promise<ListHead> => {
      // The result never comes before `list` has returned.
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
      throw failure(
        'list',
        expired(`only resourceVersion ${this.resourceVersion} can be listed, not ${resourceVersion}`),
      );
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

/** One watch: passes events to the sink in microtasks, and pauses while the sink asks for it. */
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

  /** Ends the watch after the events that were pushed before. */
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
