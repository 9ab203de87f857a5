import { checkOptions } from '../../meta/options/known-options.js';
import { requireString } from '../../meta/options/validate.js';

/** The declaration of a metric. */
export interface MetricOptions {
  /** The name in Prometheus: letters, digits, underscores. Counters end in `_total`, times are in seconds. */
  readonly name: string;
  /** One sentence that says what is measured. */
  readonly help: string;
  /** @default none: the family has one member */
  readonly labels?: readonly string[] | undefined;
}

/** The TYPE of a family in Prometheus' text. */
export type MetricType = 'counter' | 'gauge' | 'histogram';

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelName = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

/** The metrics of one name: one member for each combination of label values. */
export class MetricFamily<M> {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
  readonly #make: () => M;
  readonly #members = new Map<string, { readonly values: readonly string[]; readonly metric: M }>();

  /** @internal Made by a MetricsRegistry. */
  constructor(type: MetricType, options: MetricOptions, make: () => M) {
    const { name, help, labels = [] } = checkOptions(`a ${type}`, options, { name: true, help: true, labels: true });
    if (!metricName.test(requireString('name', name)))
      throw new TypeError(`name must be letters, digits, underscores and colons, got ${JSON.stringify(name)}`);
    for (const label of labels) {
      if (!labelName.test(label) || (type === 'histogram' && label === 'le'))
        throw new TypeError(`labels of ${name}: ${JSON.stringify(label)} is not a valid label name of a ${type}`);
    }
    if (new Set(labels).size < labels.length) throw new TypeError(`labels of ${name} must differ from each other`);
    this.name = name;
    this.help = requireString('help', help);
    this.type = type;
    this.labelNames = [...labels];
    this.#make = make;
    // A metric without labels starts as 0, not as missing.
    if (labels.length === 0) this.labels();
  }

  /**
   * The member with these values, in the order of the label names; it is created by the first call. Keep it if you update it
   * often: the lookup costs more than the update.
   */
  labels(...values: string[]): M {
    const key = this.#keyOf(values);
    const known = this.#members.get(key);
    if (known !== undefined) return known.metric;
    const metric = this.#make();
    this.#members.set(key, { values: values.map(String), metric });
    return metric;
  }

  /** Removes the member with these values from the text. Updates of a member that was kept have no effect any more. */
  remove(...values: string[]): void {
    this.#members.delete(this.#keyOf(values));
  }

  /** Every member with the values of its labels. */
  members(): Iterable<{ readonly values: readonly string[]; readonly metric: M }> {
    return this.#members.values();
  }

  #keyOf(values: readonly string[]): string {
    if (values.length !== this.labelNames.length) {
      const wanted = this.labelNames.length === 0 ? 'no labels' : `the labels ${this.labelNames.join(', ')}`;
      throw new TypeError(`${this.name} has ${wanted}, got ${values.length} values`);
    }
    return values.length === 1 ? String(values[0]) : JSON.stringify(values);
  }
}
