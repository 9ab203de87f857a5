import { channels, type InformerSource, listen } from './channels.js';
import type { Gauge } from './instruments.js';
import type { MetricFamily } from './metric-family.js';
import type { MetricsRegistry } from './metrics-registry.js';

const processingBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const listSecondsBuckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60];
const watchSecondsBuckets = [1, 10, 60, 300, 600, 1200, 1800, 3600];
const itemBuckets = [1, 10, 100, 1000, 10_000, 100_000];
/** A watch that ends sooner, and without a single event, was most likely refused in a polite way. */
const SHORT_WATCH_MS = 1000;

/** Counts what informers and their reflectors tell. Returns the undos. */
export function feedInformerMetrics(registry: MetricsRegistry): (() => void)[] {
  const informers = new SourceSeries(declareInformer(registry), ({ name, group, version, resource }) => [
    name,
    group,
    version,
    resource,
  ]);
  const reflectors = new SourceSeries(declareReflector(registry), ({ name }) => [name]);
  return [
    listen(channels.queueDepth, ({ source, length }) => informers.of(source).queued.set(length)),
    listen(channels.queueProcess, ({ source, durationMs }) =>
      informers.of(source).processing.observe(durationMs / 1000),
    ),
    listen(channels.storeVersion, ({ source, resourceVersion }) => {
      setVersion(informers.of(source).storeVersion, resourceVersion);
      setVersion(reflectors.of(source).lastVersion, resourceVersion);
    }),
    listen(channels.reflectorList, ({ source, items, durationMs, resourceVersion, error }) => {
      const series = reflectors.of(source);
      series.lists.inc();
      series.listDuration.observe(durationMs / 1000);
      if (error !== undefined) return;
      series.itemsPerList.observe(items);
      setVersion(series.lastVersion, resourceVersion);
    }),
    listen(channels.reflectorWatch, ({ source, events, durationMs }) => {
      const series = reflectors.of(source);
      series.watches.inc();
      if (events === 0 && durationMs < SHORT_WATCH_MS) series.shortWatches.inc();
      series.watchDuration.observe(durationMs / 1000);
      series.itemsPerWatch.observe(events);
    }),
    listen(channels.reflectorSkipped, ({ source }) => reflectors.of(source).skipped.inc()),
    listen(channels.reflectorStatus, ({ source, state }) => {
      if (state !== 'stopped') return;
      informers.forget(source);
      reflectors.forget(source);
    }),
  ];
}

type SeriesOf<F> = { readonly [K in keyof F]: F[K] extends MetricFamily<infer M> ? M : never };

/**
 * The members of some families that are about one source, found by its identity: an informer has one object for all its
 * messages. They go when the last source with these labels has stopped: a program that makes informers as it goes, with a
 * selector in each name, would otherwise collect them for ever.
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
    return this.#known.get(source) ?? this.#meet(source);
  }

  /** What a stopped source still tells counts for nobody. */
  forget(source: InformerSource): void {
    const labels = this.#labelsOf(source);
    const key = JSON.stringify(labels);
    const sources = this.#live.get(key);
    if (sources?.delete(source) !== true || sources.size > 0) return;
    this.#live.delete(key);
    for (const family of Object.values(this.#families)) family.remove(...labels);
  }

  #meet(source: InformerSource): SeriesOf<F> {
    const labels = this.#labelsOf(source);
    const key = JSON.stringify(labels);
    this.#live.set(key, (this.#live.get(key) ?? new Set()).add(source));
    const members = Object.entries(this.#families).map(([name, family]) => [name, family.labels(...labels)]);
    const series = Object.fromEntries(members) as SeriesOf<F>;
    this.#known.set(source, series);
    return series;
  }
}

/** A double holds fifteen digits exactly; the first ones of a longer version hardly ever change. */
function setVersion(gauge: Gauge, resourceVersion: string): void {
  const digits = resourceVersion.slice(-15);
  if (/^\d+$/.test(digits)) gauge.set(Number(digits));
}

function declareInformer(registry: MetricsRegistry) {
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
  return { queued, processing, storeVersion };
}

function declareReflector(registry: MetricsRegistry) {
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
  const skipped = registry.counter({
    name: 'reflector_skipped_objects_total',
    help: 'Objects and events that could not be read and were left out.',
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
