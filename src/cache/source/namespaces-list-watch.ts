import { ListPager } from '../../client/pager.js';
import type { ListHead } from '../../codec/codec.js';
import type { BatchSink, Flow, WatchSink } from '../../codec/watch-source.js';
import type { Accessor } from '../../meta/accessor.js';
import type { ListParameters, WatchParameters } from '../../meta/parameters.js';
import { requireString } from '../../meta/validate.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { initialEventsEndAnnotation, isInitialEventsEnd } from '../../meta/watch-event.js';
import type { Clock } from '../../time/clock.js';
import { linkSignals } from '../../time/signals.js';
import { collectPage } from './collect-page.js';
import type { ListerWatcher } from './list-watch.js';
import { openWatch } from './open-watch.js';
import type { ServerTraits } from './server-traits.js';

/**
 * Several namespaces as one collection: a list and a watch of each, told as if they were one.
 *
 * Each watch has come to a version of its own, which no single resourceVersion can say. So this remembers how far each has
 * come, and goes on from there; what the reflector asks for only decides between going on and starting anew. One watch that
 * ends or fails ends all of them.
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
        // A version that some namespace has come to may be unknown to the list of another: only "0" and "" mean the same to
        // all, and who asks for one exactly wants no other.
        const isExact = rest.resourceVersionMatch === 'Exact';
        const resourceVersion = asked === '0' || !asked || isExact ? asked : (this.#versions.get(namespace) ?? '');
        const { items, metadata } = await pager.list({ ...rest, resourceVersion }, { signal });
        // What was is no place to go on from.
        if (!isExact) this.#versions.set(namespace, metadata.resourceVersion);
        if (items.length > 0) sink.batch(items);
      }
      return {
        kind: head?.kind ?? '',
        apiVersion: head?.apiVersion ?? '',
        metadata: { resourceVersion: rest.resourceVersionMatch === 'Exact' && asked ? asked : this.#together() },
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
        // The end: what follows an error is not taken.
        passed.push(event);
        break;
      }
      // Only what names a version is progress; what does not is for the reflector to leave out.
      const version = this.#versionOf(event);
      if (version === '') {
        passed.push(event);
      } else if (event.type === 'BOOKMARK') {
        this.#versions.set(namespace, version);
        // The initial events are complete when those of every namespace are; a bookmark of one says nothing of the others.
        if (isInitialEventsEnd(event.object) && waiting.delete(namespace)) {
          if (waiting.size === 0) passed.push(this.#endOfInitialEvents(event.object));
        } else if (waiting.size === 0 && unmarked.delete(namespace) && unmarked.size === 0) {
          for (const each of this.#sources.keys()) unmarked.add(each);
          passed.push(withVersion(event.object, this.#together()));
        }
      } else {
        if (!waiting.has(namespace)) this.#versions.set(namespace, version);
        passed.push(event);
      }
    }
    return passed.length === 0 || sink.batch(passed);
  }

  /** The version that an event names; empty if there is none to be read. */
  #versionOf(event: Exclude<WireEvent<T>, { readonly type: 'ERROR' }>): string {
    try {
      if (event.type === 'BOOKMARK') return event.object.metadata.resourceVersion ?? '';
      return this.#accessor.resourceVersion(event.object);
    } catch {
      return '';
    }
  }

  #endOfInitialEvents(object: { readonly apiVersion: string; readonly kind: string }): WireEvent<T> {
    const metadata = { resourceVersion: this.#together(), annotations: { [initialEventsEndAnnotation]: 'true' } };
    return { type: 'BOOKMARK', object: { apiVersion: object.apiVersion, kind: object.kind, metadata } };
  }

  /** The version that all namespaces have come to at least: the oldest. */
  #together(): string {
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

/** How far the namespaces of one watch are. */
interface Marks {
  /** Those whose initial events are not complete. */
  readonly waiting: Set<string>;
  /** Those without a bookmark since the last one that was passed on: one of each is one of the whole, and as frequent. */
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
