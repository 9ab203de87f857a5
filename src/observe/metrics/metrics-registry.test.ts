import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.js';
import { parsePrometheusText } from '../../../test/support/prometheus-text.js';
import { MetricsRegistry } from './metrics-registry.js';
import { numberText } from './text-format.js';

describe('MetricsRegistry', () => {
  it('returns the same member for the same labels, and the same family for the same declaration', () => {
    const registry = new MetricsRegistry();
    const options = { name: 'a_total', help: 'A.', labels: ['x', 'y'] };
    const family = registry.counter(options);
    expect(registry.counter(options)).toBe(family);
    expect(family.labels('1', '2')).toBe(family.labels('1', '2'));
    expect(family.labels('1', '2')).not.toBe(family.labels('12', ''));
    expect(() => registry.gauge(options)).toThrow(/a_total is already declared as counter\(x,y\)/);
    expect(() => registry.counter({ ...options, labels: ['x'] })).toThrow(TypeError);
    expect(() => family.labels('1')).toThrow(/a_total has the labels x, y, got 1 values/);
  });

  it('rejects names that Prometheus rejects', () => {
    const registry = new MetricsRegistry();
    expect(() => registry.counter({ name: 'a-b', help: 'A.' })).toThrow(/name must be .* got "a-b"/);
    expect(() => registry.counter({ name: 'a', help: 'A.', labels: ['__a'] })).toThrow(
      /"__a" is not a valid label name/,
    );
    expect(() => registry.counter({ name: 'a', help: 'A.', labels: ['b', 'b'] })).toThrow(/must differ/);
    expect(() => registry.histogram({ name: 'a', help: 'A.', labels: ['le'] })).toThrow(
      /"le" is not a valid label name/,
    );
    expect(() => registry.histogram({ name: 'a', help: 'A.', buckets: [2, 1] })).toThrow(/buckets must be/);
    expect(() => registry.counter({ name: 'a', help: '' })).toThrow(/help must be/);
  });

  it('does not decrease counters', () => {
    const counter = new MetricsRegistry().counter({ name: 'a_total', help: 'A.' }).labels();
    counter.inc();
    counter.inc(2.5);
    expect(() => counter.inc(-1)).toThrow(RangeError);
    expect(() => counter.inc(Number.NaN)).toThrow(RangeError);
    expect(counter.value).toBe(3.5);
  });

  it('writes all metrics ordered by name, after calling the onCollect callbacks', () => {
    const registry = new MetricsRegistry();
    const histogram = registry.histogram({ name: 'size', help: 'Si\\ze\nof it.', labels: ['of'], buckets: [1e-5, 1] });
    for (const value of [1e-5, 0.5, 2]) histogram.labels('a"b').observe(value);
    const gauge = registry.gauge({ name: 'depth', help: 'Depth.' }).labels();
    const undo = registry.onCollect(() => gauge.inc(2));
    expect(registry.text()).toBe(
      [
        '# HELP depth Depth.',
        '# TYPE depth gauge',
        'depth 2',
        '# HELP size Si\\\\ze\\nof it.',
        '# TYPE size histogram',
        'size_bucket{of="a\\"b",le="1e-05"} 1',
        'size_bucket{of="a\\"b",le="1"} 2',
        'size_bucket{of="a\\"b",le="+Inf"} 3',
        'size_sum{of="a\\"b"} 2.50001',
        'size_count{of="a\\"b"} 3',
        '',
      ].join('\n'),
    );
    undo();
    gauge.dec(5);
    histogram.remove('a"b');
    expect(registry.text()).toContain('depth -3\n');
    expect(registry.text()).not.toContain('size_count');
  });

  it('writes numbers as Go does', () => {
    const expected: [number, string][] = [
      [0, '0'],
      [1e-8, '1e-08'],
      [-2.5e-5, '-2.5e-05'],
      [1e-4, '0.0001'],
      [1e21, '1e+21'],
      [1.5e-300, '1.5e-300'],
      [Number.NEGATIVE_INFINITY, '-Inf'],
      [Number.NaN, 'NaN'],
    ];
    for (const [value, text] of expected) expect(numberText(value)).toBe(text);
  });

  it('writes text that a parser reads back, for any labels and values', () => {
    const label = fc.string({ unit: anyCharacter, maxLength: 12 }).filter((text) => !/[\r]/.test(text));
    fc.assert(
      fc.property(fc.dictionary(label, fc.double({ noNaN: true }), { maxKeys: 8 }), label, (values, help) => {
        const registry = new MetricsRegistry();
        const gauge = registry.gauge({ name: 'g', help: `${help}.`, labels: ['a', 'b'] });
        for (const [text, value] of Object.entries(values)) gauge.labels(text, 'x').set(value);
        const [family] = parsePrometheusText(registry.text());
        const read = (family?.metrics ?? []).map(({ labels, value = '' }) => [
          labels?.['a'],
          Number(value.replace('Inf', 'Infinity')),
        ]);
        const zero = (value: number): number => (value === 0 ? 0 : value);
        expect(Object.fromEntries(read)).toEqual(
          Object.fromEntries(Object.entries(values).map(([text, value]) => [text, zero(value)])),
        );
      }),
    );
  });
});
