import { ListPager } from '../../client/list-pager.js';
import type { ListHead } from '../../codec/codec.js';
import type { BatchSink, Flow, WatchSink } from '../../codec/watch-source.js';
import type { Accessor } from '../../meta/accessor.js';
import type { ListParameters, WatchParameters } from '../../meta/options/parameters.js';
import { requireString } from '../../meta/options/validate.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { initialEventsEndAnnotation, isInitialEventsEnd } from '../../meta/watch-event.js';
import type { Clock } from '../../time/clock.js';
import { linkSignals } from '../../time/signals.js';
import { collectPage } from './collect-page.js';
import type { ListerWatcher } from './list-watch.js';
import { openWatch } from './open-watch.js';
import type { ServerTraits } from './server-traits.js';

/**
 * Several namespaces as one collection: one list and one watch per namespace.
 *
 * It tracks the resourceVersion of each namespace and continues each watch there; no single resourceVersion could stand for
 * all. Of the resourceVersion that the reflector asks for, only `''` and `'0'` matter: they begin anew. When the watch of one
 * namespace ends or fails, the others are aborted.
 */
export class NamespacesListWatch<T> implements ListerWatcher<T> {
  readonly #sources: ReadonlyMap<string, ListerWatcher<T>>;
  readonly #accessor: Accessor<T>;
  readonly #clock: Clock;
  readonly #versions = new Map<string, string>();

  constructor(
    namespaces: readonly string[],
    accessor: Accessor<T>,
    clock: Clock,
    sourceOf: (namespace: string) => ListerWatcher<T>,
  ) {
    if (namespaces.length === 0) throw new TypeError('namespaces must name at least one namespace');
    this.#accessor = accessor;
    this.#clock = clock;
    this.#sources = new Map(
      namespaces.map((namespace) => [requireString('namespace', namespace), sourceOf(namespace)]),
    );
  }

  get traits(): ServerTraits {
    return (this.#sources.values().next().value as ListerWatcher<T>).traits;
  }

  get supportsWatchList(): boolean {
    return [...this.#sources.values()].every((source) => source.supportsWatchList);
  }

  list(options: ListParameters, sink: BatchSink<T>, signal: AbortSignal): Flow<ListHead> {
    const read = async (): Promise<ListHead> => {
      const { resourceVersion: asked, limit, ...rest } = options;
      let head: ListHead | undefined;
      for (const [namespace, source] of this.#sources) {
        const pager = new ListPager<T>(
          async (page, pageSignal) => {
            const collected = await collectPage(source, page, pageSignal, (item) => item);
            head = collected.head;
            if (head.metadata === undefined) throw new TypeError(`the list of ${namespace} has no metadata`);
            return { items: collected.items, metadata: head.metadata };
          },
          { pageSize: limit ?? 0 },
        );
        // The resourceVersion of one namespace may be unknown to the list of another. Only '0', '' and `Exact` apply to all.
        const isExact = rest.resourceVersionMatch === 'Exact';
        const resourceVersion = asked === '0' || !asked || isExact ? asked : (this.#versions.get(namespace) ?? '');
        const { items, metadata } = await pager.list({ ...rest, resourceVersion }, { signal });
        // An `Exact` list shows the past: watches do not continue there.
        if (!isExact) this.#versions.set(namespace, metadata.resourceVersion);
        if (items.length > 0) sink.batch(items);
      }
      return {
        kind: head?.kind ?? '',
        apiVersion: head?.apiVersion ?? '',
        metadata: { resourceVersion: rest.resourceVersionMatch === 'Exact' && asked ? asked : this.#oldestVersion() },
      };
    };
    return { resume() {}, done: read() };
  }

  open(options: WatchParameters, sink: WatchSink<T>, signal: AbortSignal): Flow<void> {
    const link = linkSignals([signal]);
    const marks: Marks = {
      waiting: new Set(options.sendInitialEvents === true ? this.#sources.keys() : []),
      unmarked: new Set(this.#sources.keys()),
    };
    const fresh = options.resourceVersion === '' || options.resourceVersion === '0';
    let isPaused = false;
    const flows = [...this.#sources].map(([namespace, source]) => {
      const resourceVersion = fresh ? options.resourceVersion : (this.#versions.get(namespace) ?? '');
      const inner: WatchSink<T> = {
        batch: (events) => {
          // The sink takes nothing after an abort: the resourceVersions of such events must not be recorded.
          if (link.signal.aborted) return false;
          const hasRoom = this.#pass(namespace, events, marks, sink);
          if (!hasRoom) isPaused = true;
          return hasRoom;
        },
      };
      // The session sees one watch: events of other namespaces would hide that one of them is silent.
      const onSilent = (error: Error) => {
        if (!isPaused) link.abort(error);
      };
      const silence = { clock: this.#clock, what: namespace, onSilent };
      return openWatch(source, { ...options, resourceVersion }, inner, link.signal, silence);
    });
    const done = Promise.race(flows.map(({ done }) => done)).finally(async () => {
      link.abort();
      await Promise.allSettled(flows.map(({ done }) => done));
    });
    return {
      resume: () => {
        isPaused = false;
        for (const flow of flows) flow.resume();
      },
      done,
      get received() {
        return flows.reduce((sum, { received = 0 }) => sum + received, 0);
      },
    };
  }

  #pass(namespace: string, events: readonly WireEvent<T>[], { waiting, unmarked }: Marks, sink: WatchSink<T>): boolean {
    const passed: WireEvent<T>[] = [];
    for (const event of events) {
      if (event.type === 'ERROR') {
        // The watch ends here: the session takes nothing after an ERROR event.
        passed.push(event);
        break;
      }
      // An event without a resourceVersion is no progress; the reflector leaves it out.
      const version = this.#versionOf(event);
      if (version === '') {
        passed.push(event);
      } else if (event.type === 'BOOKMARK') {
        this.#versions.set(namespace, version);
        // The initial events are complete when those of every namespace are. A bookmark is sent when each namespace had one.
        if (isInitialEventsEnd(event.object) && waiting.delete(namespace)) {
          if (waiting.size === 0) passed.push(this.#endOfInitialEvents(event.object));
        } else if (waiting.size === 0 && unmarked.delete(namespace) && unmarked.size === 0) {
          for (const each of this.#sources.keys()) unmarked.add(each);
          passed.push(withVersion(event.object, this.#oldestVersion()));
        }
      } else {
        if (!waiting.has(namespace)) this.#versions.set(namespace, version);
        passed.push(event);
      }
    }
    return passed.length === 0 || sink.batch(passed);
  }

  /** The resourceVersion of an event; empty if it has none or cannot be read. */
  #versionOf(event: Exclude<WireEvent<T>, { readonly type: 'ERROR' }>): string {
    try {
      if (event.type === 'BOOKMARK') return event.object.metadata.resourceVersion ?? '';
      return this.#accessor.resourceVersion(event.object);
    } catch {
      return '';
    }
  }

  #endOfInitialEvents(object: { readonly apiVersion: string; readonly kind: string }): WireEvent<T> {
    const metadata = { resourceVersion: this.#oldestVersion(), annotations: { [initialEventsEndAnnotation]: 'true' } };
    return { type: 'BOOKMARK', object: { apiVersion: object.apiVersion, kind: object.kind, metadata } };
  }

  /** The oldest resourceVersion: every namespace has reached it. */
  #oldestVersion(): string {
    let oldest: string | undefined;
    for (const version of this.#versions.values()) {
      if (
        oldest === undefined ||
        version.length < oldest.length ||
        (version.length === oldest.length && version < oldest)
      )
        oldest = version;
    }
    return oldest ?? '';
  }
}

/** The bookmarks of one watch. */
interface Marks {
  /** Namespaces whose initial events are not complete. */
  readonly waiting: Set<string>;
  /** Namespaces without a bookmark since the last one that was passed on. */
  readonly unmarked: Set<string>;
}

function withVersion<T>(
  object: { readonly apiVersion: string; readonly kind: string },
  resourceVersion: string,
): WireEvent<T> {
  return {
    type: 'BOOKMARK',
    object: { apiVersion: object.apiVersion, kind: object.kind, metadata: { resourceVersion } },
  };
}
