import { checkOptions } from '../meta/known-options.js';
import { requireString } from '../meta/validate.js';

/** What every metric is declared with. */
export interface MetricOptions {
  /** As Prometheus will know it: letters, digits, underscores. Counters end in `_total`, times are in seconds. */
  readonly name: string;
  /** One sentence that says what is measured. */
  readonly help: string;
  /** @default none: the family has one member */
  readonly labels?: readonly string[] | undefined;
}

/** How Prometheus calls what a family consists of. */
export type MetricType = 'counter' | 'gauge' | 'histogram';

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelName = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

/** All metrics of one name: one member for each combination of label values that was ever asked for. */
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
        throw new TypeError(`labels of ${name}: ${JSON.stringify(label)} is no name for a label of a ${type}`);
    }
    if (new Set(labels).size < labels.length) throw new TypeError(`labels of ${name} must differ from each other`);
    this.name = name;
    this.help = requireString('help', help);
    this.type = type;
    this.labelNames = [...labels];
    this.#make = make;
    // Something without labels is there from the start, with zero; "no data" and "none yet" are not the same.
    if (labels.length === 0) this.labels();
  }

  /** The member with these values, in the order of the label names; made on first use and the same one from then on. */
  labels(...values: string[]): M {
    const key = this.#keyOf(values);
    const known = this.#members.get(key);
    if (known !== undefined) return known.metric;
    const metric = this.#make();
    this.#members.set(key, { values: values.map(String), metric });
    return metric;
  }

  /** Forgets the member with these values: what it was about is gone. Whoever still holds it counts for nobody. */
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
