import { channels, type InformerSource, listen } from './channels.js';
import type { Counter, Gauge, Histogram } from './instruments.js';
import type { MetricsRegistry } from './metrics-registry.js';

/** Everything about one informer. */
interface InformerSeries {
  readonly queued: Gauge;
  readonly processing: Histogram;
  readonly storeVersion: Gauge;
}

/** Everything about the reflectors of one name. */
interface ReflectorSeries {
  readonly lists: Counter;
  readonly listDuration: Histogram;
  readonly itemsPerList: Histogram;
  readonly watches: Counter;
  readonly shortWatches: Counter;
  readonly watchDuration: Histogram;
  readonly itemsPerWatch: Histogram;
  readonly lastVersion: Gauge;
}

const processingBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const listSecondsBuckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60];
const watchSecondsBuckets = [1, 10, 60, 300, 600, 1200, 1800, 3600];
const itemBuckets = [1, 10, 100, 1000, 10_000, 100_000];
/** A watch that ends sooner, and without a single event, was most likely refused in a polite way. */
const SHORT_WATCH_MS = 1000;

/** Counts what informers and their reflectors tell. Returns the undos. */
export function feedInformerMetrics(registry: MetricsRegistry): (() => void)[] {
  const informers = bySource(declareInformer(registry));
  const reflectors = bySource(declareReflector(registry));
  return [
    listen(channels.queueDepth, ({ source, length }) => informers(source).queued.set(length)),
    listen(channels.queueProcess, ({ source, durationMs }) => informers(source).processing.observe(durationMs / 1000)),
    listen(channels.storeVersion, ({ source, resourceVersion }) => {
      setVersion(informers(source).storeVersion, resourceVersion);
      setVersion(reflectors(source).lastVersion, resourceVersion);
    }),
    listen(channels.reflectorList, ({ source, items, durationMs, resourceVersion, error }) => {
      const series = reflectors(source);
      series.lists.inc();
      series.listDuration.observe(durationMs / 1000);
      if (error !== undefined) return;
      series.itemsPerList.observe(items);
      setVersion(series.lastVersion, resourceVersion);
    }),
    listen(channels.reflectorWatch, ({ source, events, durationMs }) => {
      const series = reflectors(source);
      series.watches.inc();
      if (events === 0 && durationMs < SHORT_WATCH_MS) series.shortWatches.inc();
      series.watchDuration.observe(durationMs / 1000);
      series.itemsPerWatch.observe(events);
    }),
  ];
}

/** Finds the series of a source by its identity: an informer has one object for all its messages. */
function bySource<S>(make: (source: InformerSource) => S): (source: InformerSource) => S {
  const known = new WeakMap<InformerSource, S>();
  return (source) => {
    let series = known.get(source);
    if (series === undefined) known.set(source, (series = make(source)));
    return series;
  };
}

/** A double holds fifteen digits exactly; the first ones of a longer version hardly ever change. */
function setVersion(gauge: Gauge, resourceVersion: string): void {
  const digits = resourceVersion.slice(-15);
  if (/^\d+$/.test(digits)) gauge.set(Number(digits));
}

function declareInformer(registry: MetricsRegistry): (source: InformerSource) => InformerSeries {
  const labels = ['name', 'group', 'version', 'resource'];
  const queued = registry.gauge({
    name: 'informer_queued_items',
    help: 'Deltas that wait in front of the store.',
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
  return ({ name, group, version, resource }) => ({
    queued: queued.labels(name, group, version, resource),
    processing: processing.labels(name, group, version, resource),
    storeVersion: storeVersion.labels(name, group, version, resource),
  });
}

function declareReflector(registry: MetricsRegistry): (source: InformerSource) => ReflectorSeries {
  const labels = ['name'];
  const lists = registry.counter({ name: 'reflector_lists_total', help: 'Lists, failed ones included.', labels });
  const listDuration = registry.histogram({
    name: 'reflector_list_duration_seconds',
    help: 'How long a list took.',
    labels,
    buckets: listSecondsBuckets,
  });
  const itemsPerList = registry.histogram({
    name: 'reflector_items_per_list',
    help: 'How many objects a list brought.',
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
    help: 'How many events a watch brought.',
    labels,
    buckets: itemBuckets,
  });
  const lastVersion = registry.gauge({
    name: 'reflector_last_resource_version',
    help: 'The last resource version read, its last 15 digits.',
    labels,
  });
  return ({ name }) => ({
    lists: lists.labels(name),
    listDuration: listDuration.labels(name),
    itemsPerList: itemsPerList.labels(name),
    watches: watches.labels(name),
    shortWatches: shortWatches.labels(name),
    watchDuration: watchDuration.labels(name),
    itemsPerWatch: itemsPerWatch.labels(name),
    lastVersion: lastVersion.labels(name),
  });
}
