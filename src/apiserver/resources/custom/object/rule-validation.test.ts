import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../meta/json-values.js';
import { compileRules } from '../definition/compiled-rules.js';
import { parseStructural } from '../definition/structural.js';
import { Correlation } from './correlation.js';
import { ruleCauses } from './rule-validation.js';

/** The causes of a value in an object as `field: message`, and the warnings. */
function check(schema: JsonObject, v: unknown, old?: unknown): { causes: string[]; warnings: string[] } {
  const parsed = parseStructural({ type: 'object', properties: { v: schema } });
  const value = { v };
  const former = old === undefined ? undefined : { v: old };
  const correlation = former && new Correlation(value, former, parsed);
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const found = [...ruleCauses(compileRules(parsed, true)!, { value, old: former, correlation, warn })];
  const causes = found.filter((cause) => cause !== undefined).map(({ field, message }) => `${field}: ${message}`);
  return { causes, warnings };
}

const rules = (...list: object[]): JsonObject => ({ 'x-kubernetes-validations': list });

describe('ruleCauses', () => {
  it('names the rule, its message or the text of its messageExpression', () => {
    const schema = {
      type: 'integer',
      ...rules(
        { rule: 'self > 1' },
        { rule: 'self > 2', message: ' too small ' },
        { rule: 'self > 3', messageExpression: "'no ' + string(self)" },
        { rule: 'self > 4', messageExpression: "' '", message: 'blank' },
      ),
    };
    expect(check(schema, 0).causes).toEqual([
      'v: Invalid value: 0: failed rule: self > 1',
      'v: Invalid value: 0: too small',
      'v: Invalid value: 0: no 0',
      'v: Invalid value: 0: blank',
    ]);
  });

  it('adds the fieldPath, takes the reason, and does not show objects', () => {
    const rule = { rule: 'self.a > self.b', fieldPath: '.a', reason: 'FieldValueForbidden', message: 'no' };
    const properties = { a: { type: 'integer' }, b: { type: 'integer' } };
    const schema = { type: 'object', properties, ...rules(rule, { rule: 'self.a > self.b' }) };
    expect(check(schema, { a: 1, b: 2 }).causes).toEqual([
      'v.a: Forbidden: no',
      'v: Invalid value: failed rule: self.a > self.b',
    ]);
    expect(check(schema, { a: 1 }).causes).toEqual([
      'v: Invalid value: "object": no such key: b evaluating rule: no',
      'v: Invalid value: "object": no such key: b evaluating rule: self.a > self.b',
    ]);
  });

  it('evaluates transition rules only with a former value, unless it is optional', () => {
    const schema = { type: 'integer', ...rules({ rule: 'self >= oldSelf' }) };
    expect(check(schema, 1).causes).toEqual([]);
    expect(check(schema, 1, 2).causes).toHaveLength(1);
    const optional = {
      type: 'integer',
      ...rules({ rule: 'oldSelf.hasValue() || self == 1', optionalOldSelf: true }),
    };
    expect(check(optional, 2).causes).toHaveLength(1);
    expect(check(optional, 2, 3).causes).toEqual([]);
  });

  it('warns of what has not changed, and finds the former items of lists by their keys', () => {
    const items = {
      type: 'object',
      properties: { k: { type: 'string' }, n: { type: 'integer', ...rules({ rule: 'self < 3' }) } },
    };
    const byKey = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], maxItems: 5 };
    const schema = { type: 'array', items, ...byKey };
    const old = [{ k: 'a', n: 9 }];
    const result = check(schema, [{ k: 'b', n: 8 }, ...old], old);
    expect(result.causes).toEqual(['v[0].n: Invalid value: 8: failed rule: self < 3']);
    expect(result.warnings).toEqual(['v[1].n: Invalid value: 9: failed rule: self < 3']);
  });

  it('ends when the budget is used up', () => {
    const rule = { rule: 'self.all(x, self.all(y, x == y || x != y))' };
    const schema = { type: 'array', items: { type: 'integer' }, maxItems: 1000, ...rules(rule, rule) };
    const { causes } = check(
      schema,
      Array.from({ length: 1000 }, (_, n) => n),
    );
    expect(causes).toHaveLength(1);
    expect(causes[0]).toMatch(/no further validation rules will be run/);
  });
});
