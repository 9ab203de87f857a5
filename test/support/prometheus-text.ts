import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** A family of metrics as the parser reads it; values are texts. */
export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly metrics: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value?: string }[];
}

/** An independent parser of Prometheus' text format, a package without types. */
export const parsePrometheusText = require('parse-prometheus-text-format') as (text: string) => ParsedFamily[];

/**
 * Every line by itself, with all its labels, the `_bucket`, `_sum` and `_count` of histograms too: put together as
 * histograms the parser keeps nothing of them but the bounds.
 */
export function parsePrometheusSamples(text: string): ParsedFamily[] {
  return parsePrometheusText(text.replaceAll(/^#.*\n/gm, ''));
}
