import { Histogram } from './instruments.js';
import type { MetricFamily } from './metric-family.js';

/** The media type of {@link familyText}. */
export const textContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** One family in Prometheus' text format, with its HELP and TYPE lines. */
export function familyText(family: MetricFamily<{ readonly value: number } | Histogram>): string {
  const { name, help, type, labelNames } = family;
  const lines = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`];
  for (const { values, metric } of family.members()) {
    const labels = labelNames.map((label, i) => `${label}="${escapeLabel(values[i] as string)}"`);
    if (metric instanceof Histogram) {
      for (const { bound, count } of metric.cumulative())
        lines.push(`${name}_bucket${braced([...labels, `le="${numberText(bound)}"`])} ${count}`);
      lines.push(`${name}_sum${braced(labels)} ${numberText(metric.sum)}`);
      lines.push(`${name}_count${braced(labels)} ${metric.count}`);
    } else lines.push(`${name}${braced(labels)} ${numberText(metric.value)}`);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * A number in Go's format. Bounds of buckets are labels, which Prometheus compares as text, so they must be the same as those of
 * client-go: `1e-05`, where JavaScript writes `0.00001`.
 *
 * @internal
 */
export function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  const size = Math.abs(value);
  const text = size !== 0 && size < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

function braced(labels: readonly string[]): string {
  return labels.length === 0 ? '' : `{${labels.join(',')}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
