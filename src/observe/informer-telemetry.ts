import type { Undo } from '../meta/undo.js';
import { type DiagnosticsChannel, listen, openChannel } from './diagnostics-channel.js';
import type { Gauge } from './metrics/instruments.js';
import type { MetricFamily } from './metrics/metric-family.js';
import type { MetricsRegistry } from './metrics/metrics-registry.js';

/** Names the informer that a message is about. All messages of one informer share one object. */
export interface InformerSource {
  /** The informer's name, as given or as derived from what it watches. */
  readonly name: string;
  /** Host and port of its server, and the path of the server's URL if it has one; '' if its source is no server. */
  readonly host: string;
  /** The API group, '' for the core one. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

interface FromInformer {
  readonly source: InformerSource;
}

interface ReflectorListMessage extends FromInformer {
  /** A paginated list, or the initial events of a watch. */
  readonly how: 'list' | 'watchList';
  readonly items: number;
  /** The resourceVersion of the list; '' if it failed. */
  readonly resourceVersion: string;
  readonly durationMs: number;
  readonly error?: unknown;
}

interface ReflectorWatchMessage extends FromInformer {
  /** The resourceVersion that the watch started from. */
  readonly resourceVersion: string;
  /** Events received, bookmarks included. */
  readonly events: number;
  readonly durationMs: number;
  /** Missing if the server or the informer closed the watch normally. */
  readonly error?: unknown;
}

interface ReflectorRelistMessage extends FromInformer {
  readonly reason: string;
  /** The last resourceVersion known before. */
  readonly resourceVersion: string;
}

interface ReflectorBackoffMessage extends FromInformer {
  readonly delayMs: number;
  /** Failures in a row, this one included. */
  readonly failures: number;
  readonly error?: unknown;
}

interface ReflectorStatusMessage extends FromInformer {
  readonly state: string;
  readonly previous: string;
}

interface ReflectorSkippedMessage extends FromInformer {
  /** The object's key; undefined if it cannot be read. */
  readonly key: string | undefined;
  readonly error: unknown;
}

interface QueueDepthMessage extends FromInformer {
  readonly length: number;
}

interface QueueProcessMessage extends FromInformer {
  readonly items: number;
  readonly durationMs: number;
}

interface StoreVersionMessage extends FromInformer {
  readonly resourceVersion: string;
}

/** The event that handlers get, an `InformerEvent`. Reading its object parses it. */
interface ObjectEvent {
  readonly type: 'add' | 'update' | 'delete';
  readonly key: string;
  readonly facts: { readonly uid: string; readonly resourceVersion: string };
  readonly object: unknown;
}

interface StoreChangeMessage extends FromInformer {
  readonly event: ObjectEvent;
}

interface FromHandler extends FromInformer {
  /** The subscription's name. */
  readonly handler: string;
}

interface HandlerPendingMessage extends FromHandler {
  readonly pending: number;
}

interface HandlerLagMessage extends FromHandler {
  /** The age of the event when the handler was called. */
  readonly lagMs: number;
}

interface HandlerCallMessage extends FromHandler {
  /** The subscription itself: several may have the same name. */
  readonly subscription: object;
  readonly event: ObjectEvent;
  /** When the call began, in ms since 1970. */
  readonly startedAt: number;
  /** The age of the event when the call began; undefined if the event is older than the listener, or was replayed. */
  readonly lagMs: number | undefined;
  /** How long the call held the event loop. */
  readonly busyMs: number;
  /** Until the handler returned, or the promise that it returned was settled. */
  readonly durationMs: number;
  readonly error?: unknown;
}

interface HandlerErrorMessage extends FromHandler {
  readonly key: string;
  readonly error: unknown;
}

interface HandlerSlowMessage extends FromHandler {
  readonly key: string;
  readonly durationMs: number;
}

export interface InformerChannels {
  /** A list, or the initial part of a watch-list, ended. */
  readonly reflectorList: DiagnosticsChannel<ReflectorListMessage>;
  /** A watch ended. */
  readonly reflectorWatch: DiagnosticsChannel<ReflectorWatchMessage>;
  /** A reflector is about to relist. */
  readonly reflectorRelist: DiagnosticsChannel<ReflectorRelistMessage>;
  /** A reflector begins to wait before its next attempt. */
  readonly reflectorBackoff: DiagnosticsChannel<ReflectorBackoffMessage>;
  /** The state of an informer changed. */
  readonly reflectorStatus: DiagnosticsChannel<ReflectorStatusMessage>;
  /** A reflector skipped an object or event that it could not read. */
  readonly reflectorSkipped: DiagnosticsChannel<ReflectorSkippedMessage>;
  /** The length of a delta queue changed. */
  readonly queueDepth: DiagnosticsChannel<QueueDepthMessage>;
  /** A batch of deltas was applied to the store. */
  readonly queueProcess: DiagnosticsChannel<QueueProcessMessage>;
  /** The resourceVersion of a store changed. */
  readonly storeVersion: DiagnosticsChannel<StoreVersionMessage>;
  /** An object in the store changed; not published for resyncs. */
  readonly storeChange: DiagnosticsChannel<StoreChangeMessage>;
  /** The number of events that wait for a handler changed. */
  readonly handlerPending: DiagnosticsChannel<HandlerPendingMessage>;
  /** A handler is called with an event. */
  readonly handlerLag: DiagnosticsChannel<HandlerLagMessage>;
  /** A handler has returned, or the promise that it returned was settled. */
  readonly handlerCall: DiagnosticsChannel<HandlerCallMessage>;
  /** A handler threw or rejected. */
  readonly handlerError: DiagnosticsChannel<HandlerErrorMessage>;
  /** A synchronous handler held the event loop for too long. */
  readonly handlerSlow: DiagnosticsChannel<HandlerSlowMessage>;
}

export const informerChannels: InformerChannels = {
  reflectorList: openChannel('reflector:list'),
  reflectorWatch: openChannel('reflector:watch'),
  reflectorRelist: openChannel('reflector:relist'),
  reflectorBackoff: openChannel('reflector:backoff'),
  reflectorStatus: openChannel('reflector:status'),
  reflectorSkipped: openChannel('reflector:skipped'),
  queueDepth: openChannel('queue:depth'),
  queueProcess: openChannel('queue:process'),
  storeVersion: openChannel('store:version'),
  storeChange: openChannel('store:change'),
  handlerPending: openChannel('handler:pending'),
  handlerLag: openChannel('handler:lag'),
  handlerCall: openChannel('handler:call'),
  handlerError: openChannel('handler:error'),
  handlerSlow: openChannel('handler:slow'),
};

const processingBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const listSecondsBuckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60];
const watchSecondsBuckets = [1, 10, 60, 300, 600, 1200, 1800, 3600];
const itemBuckets = [1, 10, 100, 1000, 10_000, 100_000];
/** A watch that ends sooner without an event counts as short: the server most likely refused it. */
const SHORT_WATCH_MS = 1000;

export function feedInformerMetrics(registry: MetricsRegistry): Undo[] {
  const informers = new SourceSeries(declareInformer(registry), ({ name, host, group, version, resource }) => [
    name,
    host,
    group,
    version,
    resource,
  ]);
  const reflectors = new SourceSeries(declareReflector(registry), ({ name, host }) => [name, host]);
  return [
    listen(informerChannels.queueDepth, ({ source, length }) => informers.of(source).queued.set(length)),
    listen(informerChannels.queueProcess, ({ source, durationMs }) =>
      informers.of(source).processing.observe(durationMs / 1000),
    ),
    listen(informerChannels.storeVersion, ({ source, resourceVersion }) => {
      setVersion(informers.of(source).storeVersion, resourceVersion);
      setVersion(reflectors.of(source).lastVersion, resourceVersion);
    }),
    listen(informerChannels.reflectorList, ({ source, items, durationMs, resourceVersion, error }) => {
      const series = reflectors.of(source);
      series.lists.inc();
      series.listDuration.observe(durationMs / 1000);
      if (error !== undefined) return;
      series.itemsPerList.observe(items);
      setVersion(series.lastVersion, resourceVersion);
    }),
    listen(informerChannels.reflectorWatch, ({ source, events, durationMs }) => {
      const series = reflectors.of(source);
      series.watches.inc();
      if (events === 0 && durationMs < SHORT_WATCH_MS) series.shortWatches.inc();
      series.watchDuration.observe(durationMs / 1000);
      series.itemsPerWatch.observe(events);
    }),
    listen(informerChannels.reflectorSkipped, ({ source }) => reflectors.of(source).skipped.inc()),
    listen(informerChannels.reflectorStatus, ({ source, state }) => {
      if (state !== 'stopped') return;
      informers.forget(source);
      reflectors.forget(source);
    }),
  ];
}

type SeriesOf<F> = { readonly [K in keyof F]: F[K] extends MetricFamily<infer M> ? M : never };

/**
 * The members of some families that have the labels of one source. They are removed when the last source with these labels
 * has stopped, so that a program that makes informers all the time, with a selector in each name, does not collect them.
 */
class SourceSeries<F extends Readonly<Record<string, MetricFamily<unknown>>>> {
  readonly #families: F;
  readonly #labelsOf: (source: InformerSource) => string[];
  readonly #known = new WeakMap<InformerSource, SeriesOf<F>>();
  readonly #live = new Map<string, Set<InformerSource>>();

  constructor(families: F, labelsOf: (source: InformerSource) => string[]) {
    this.#families = families;
    this.#labelsOf = labelsOf;
  }

  of(source: InformerSource): SeriesOf<F> {
    return this.#known.get(source) ?? this.#add(source);
  }

  /** The members are removed from their families: later messages of the source have no effect. */
  forget(source: InformerSource): void {
    const labels = this.#labelsOf(source);
    const key = JSON.stringify(labels);
    const sources = this.#live.get(key);
    if (sources?.delete(source) !== true || sources.size > 0) return;
    this.#live.delete(key);
    for (const family of Object.values(this.#families)) family.remove(...labels);
  }

  #add(source: InformerSource): SeriesOf<F> {
    const labels = this.#labelsOf(source);
    const key = JSON.stringify(labels);
    this.#live.set(key, (this.#live.get(key) ?? new Set()).add(source));
    const members = Object.entries(this.#families).map(([name, family]) => [name, family.labels(...labels)]);
    const series = Object.fromEntries(members) as SeriesOf<F>;
    this.#known.set(source, series);
    return series;
  }
}

/** Sets the last 15 digits, which is what a double holds exactly; the first digits of a longer version hardly change. */
function setVersion(gauge: Gauge, resourceVersion: string): void {
  const digits = resourceVersion.slice(-15);
  if (/^\d+$/.test(digits)) gauge.set(Number(digits));
}

function declareInformer(registry: MetricsRegistry) {
  const labels = ['name', 'host', 'group', 'version', 'resource'];
  const queued = registry.gauge({
    name: 'informer_queued_items',
    help: 'Deltas that wait to be applied to the store.',
    labels,
  });
  const processing = registry.histogram({
    name: 'informer_processing_latency_seconds',
    help: 'How long it took to apply a batch of deltas.',
    labels,
    buckets: processingBuckets,
  });
  const storeVersion = registry.gauge({
    name: 'informer_store_resource_version',
    help: 'The resource version of the store, its last 15 digits.',
    labels,
  });
  return { queued, processing, storeVersion };
}

function declareReflector(registry: MetricsRegistry) {
  const labels = ['name', 'host'];
  const lists = registry.counter({ name: 'reflector_lists_total', help: 'Lists, failed ones included.', labels });
  const listDuration = registry.histogram({
    name: 'reflector_list_duration_seconds',
    help: 'How long a list took.',
    labels,
    buckets: listSecondsBuckets,
  });
  const itemsPerList = registry.histogram({
    name: 'reflector_items_per_list',
    help: 'Objects per list.',
    labels,
    buckets: itemBuckets,
  });
  const watches = registry.counter({ name: 'reflector_watches_total', help: 'Watches that have ended.', labels });
  const shortWatches = registry.counter({
    name: 'reflector_short_watches_total',
    help: 'Watches that ended within a second without an event.',
    labels,
  });
  const watchDuration = registry.histogram({
    name: 'reflector_watch_duration_seconds',
    help: 'How long a watch lasted.',
    labels,
    buckets: watchSecondsBuckets,
  });
  const itemsPerWatch = registry.histogram({
    name: 'reflector_items_per_watch',
    help: 'Events per watch.',
    labels,
    buckets: itemBuckets,
  });
  const lastVersion = registry.gauge({
    name: 'reflector_last_resource_version',
    help: 'The last resource version read, its last 15 digits.',
    labels,
  });
  const skipped = registry.counter({
    name: 'reflector_skipped_objects_total',
    help: 'Objects and events that could not be read and were skipped.',
    labels,
  });
  return {
    lists,
    listDuration,
    itemsPerList,
    watches,
    shortWatches,
    watchDuration,
    itemsPerWatch,
    lastVersion,
    skipped,
  };
}
