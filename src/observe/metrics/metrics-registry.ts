import { checkOptions } from '../../meta/options/known-options.js';
import { optionError, requireFunction } from '../../meta/options/validate.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import { Counter, Gauge, Histogram } from './instruments.js';
import { MetricFamily, type MetricOptions, type MetricType } from './metric-family.js';
import { familyText } from './text-format.js';

/** The declaration of a histogram. */
interface HistogramOptions extends MetricOptions {
  /** Upper bounds, ascending; a bucket for larger values is added. @default 5 ms to 10 s, in seconds */
  readonly buckets?: readonly number[] | undefined;
}

/** The default buckets of Prometheus' client libraries, in seconds. */
const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type AnyFamily = MetricFamily<Counter> | MetricFamily<Gauge> | MetricFamily<Histogram>;

/**
 * A set of metrics and their text. Declaring a metric again returns the existing family, so that two parts of a program can
 * share it; declaring it with another type, other labels or buckets throws.
 *
 * @example
 * const metrics = new MetricsRegistry();
 * const mails = metrics.counter({ name: 'mails_sent_total', help: 'Mails sent.', labels: ['kind'] });
 * const welcomes = mails.labels('welcome'); // keep it: an update takes some nanoseconds
 * welcomes.inc();
 * metrics.text();
 */
export class MetricsRegistry {
  readonly #families = new Map<string, { readonly family: AnyFamily; readonly shape: string }>();
  readonly #collectors = new Set<() => void>();

  counter(options: MetricOptions): MetricFamily<Counter> {
    return this.#declare('counter', options, '', () => new Counter());
  }

  gauge(options: MetricOptions): MetricFamily<Gauge> {
    return this.#declare('gauge', options, '', () => new Gauge());
  }

  histogram(options: HistogramOptions): MetricFamily<Histogram> {
    const { buckets = defaultBuckets, ...base } = options;
    const bounds = [...buckets];
    if (
      bounds.length === 0 ||
      !bounds.every((bound, i) => Number.isFinite(bound) && (i === 0 || bound > bounds[i - 1]!))
    )
      throw optionError('buckets', 'finite numbers in ascending order, at least one', options.buckets);
    return this.#declare('histogram', base, bounds.join(), () => new Histogram(bounds));
  }

  /** Calls back before each `text()`: for metrics that are computed only then. */
  onCollect(collect: () => void): Undo {
    requireFunction('collect', collect);
    // A new function per call, so that two calls with the same callback are undone one by one.
    const own = (): void => collect();
    this.#collectors.add(own);
    return undoOnce(() => void this.#collectors.delete(own));
  }

  /** All metrics in Prometheus' text format, ordered by name. */
  text(): string {
    for (const collect of this.#collectors) collect();
    const names = [...this.#families.keys()].sort();
    return names.map((name) => familyText(this.#families.get(name)!.family)).join('');
  }

  #declare<M extends Counter | Gauge | Histogram>(
    type: MetricType,
    options: MetricOptions,
    detail: string,
    make: () => M,
  ): MetricFamily<M> {
    checkOptions(`a ${type}`, options, { name: true, help: true, labels: true });
    const shape = `${type}(${(options.labels ?? []).join()})${detail}`;
    const known = this.#families.get(options.name);
    if (known === undefined) {
      const family = new MetricFamily(type, options, make);
      this.#families.set(family.name, { family: family as unknown as AnyFamily, shape });
      return family;
    }
    if (known.shape !== shape)
      throw new TypeError(`${options.name} is already declared as ${known.shape}, which differs from ${shape}`);
    return known.family as unknown as MetricFamily<M>;
  }
}

/** The default registry of `startMetrics`; a program can add its own metrics to it. */
export const metrics: MetricsRegistry = new MetricsRegistry();
