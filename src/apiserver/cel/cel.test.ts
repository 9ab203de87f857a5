import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { finish } from '../../time/steps.js';
import { compileRule, declTypeOf, evaluateRule, type RuleOptions } from './cel.js';
import type { CelSchema } from './schema.js';

const schema: CelSchema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    items: { type: 'array', maxItems: 10, items: { type: 'integer' } },
    'a-b': { type: 'string' },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    unknown: { 'x-kubernetes-preserve-unknown-fields': true },
    port: { 'x-kubernetes-int-or-string': true },
  },
};
const object = {
  metadata: { name: 'n' },
  text: 'abc',
  count: 5,
  items: [1, 2, 3],
  'a-b': 'x',
  set: ['p', 'q'],
  port: '80%',
};

function declared(): NonNullable<ReturnType<typeof declTypeOf>> {
  return declTypeOf(schema, true) as NonNullable<ReturnType<typeof declTypeOf>>;
}

function evaluate(rule: string, self: unknown = object, options?: RuleOptions & { oldSelf?: unknown }): unknown {
  const compiled = compileRule(rule, declared(), options);
  if (compiled.error !== undefined) return compiled.error;
  const result = finish(evaluateRule(compiled.program, { self, oldSelf: options?.oldSelf }));
  return result.error ?? result.value;
}

describe('compileRule', () => {
  it.each([
    ['self.b > 1', "ERROR: <input>:1:5: undefined field 'b'\n | self.b > 1\n | ....^"],
    ['x', "ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^"],
    [
      "self.count > 'a'",
      "ERROR: <input>:1:12: found no matching overload for '_>_' applied to '(int, string)'\n | self.count > 'a'\n | ...........^",
    ],
    ['self.unknown == 1', "ERROR: <input>:1:5: undefined field 'unknown'\n | self.unknown == 1\n | ....^"],
    // A macro needs a target; this is a function.
    [
      '.filter(1, true)',
      "ERROR: <input>:1:8: undeclared reference to '.filter' (in container '')\n | .filter(1, true)\n | .......^",
    ],
    [
      "self.text.matches('(')",
      "ERROR: <input>:1:19: invalid matches argument\n | self.text.matches('(')\n | ..................^",
    ],
  ])('refuses %s with the message of cel-go', (rule, message) => {
    expect(evaluate(rule)).toBe(`compilation failed: ${message}`);
  });

  it('requires the type of the result', () => {
    expect(evaluate('self.count')).toBe('cel expression must evaluate to a bool');
    expect(evaluate('self.count', object, { output: 'string' })).toBe('messageExpression must evaluate to a string');
    expect(evaluate('"is " + self.text', object, { output: 'string' })).toBe('is abc');
  });

  it('knows whether a rule reads oldSelf, and what it can cost', () => {
    expect(compileRule('self.count == oldSelf.count', declared()).program?.usesOldSelf).toBe(true);
    expect(compileRule('self.count == 1', declared()).program).toMatchObject({ usesOldSelf: false, maxCost: 2 });
    expect(compileRule('self.items.all(x, x > 0)', declared()).program?.maxCost).toBe(53);
  });
});

describe('evaluateRule', () => {
  it.each([
    ['self.metadata.name == "n"', true],
    ['self.a__dash__b == "x"', true],
    ['self.set == ["q", "p"]', true],
    ['type(self.port) == string && self.port.endsWith("%")', true],
    ['self.items.exists(x, x / (x - 2) == 3)', true],
    ['self.items.filter(x, x > 1).map(x, x * 2) == [4, 6]', true],
    ['has(self.text) && !has(self.unset)', "compilation failed: ERROR: <input>:1:23: undefined field 'unset'"],
    ["'%.22f'.format([-1234.5]) == '-1,234.5000000000000000000000'", true],
    ["'%.150f'.format([0.1]).size() == 102", true],
    ['optional.of([1, 2]) == optional.of([1, 2])', true],
    ['optional.of([1]) == optional.of([2])', false],
    ['optional.of(1) == optional.none()', false],
    ['optional.none() == optional.of(1)', false],
    ['optional.none() == optional.none()', true],
    ['self.count / 0 == 1', 'division by zero'],
    ['self.items[7] == 1', 'index out of bounds: 7'],
    ['self.items[3] == 1', 'index out of bounds: 3'],
    ['self.items[-1] == 1', 'index out of bounds: -1'],
    ['[1, 2][2] == 1', 'index out of bounds: 2'],
    ['([1] + [2])[-1] == 1', 'index out of bounds: -1'],
    ['9223372036854775807 + self.count > 0', 'integer overflow'],
  ])('%s: %s', (rule, result) => {
    const actual = evaluate(rule);
    expect(typeof actual === 'string' ? actual.split('\n')[0] : actual).toBe(result);
  });

  it('has() says whether a field is there', () => {
    expect(evaluate('has(self.text)', { text: '' })).toBe(true);
    expect(evaluate('has(self.text)', { count: 1 })).toBe(false);
    expect(evaluate('has({"a": 1}.a) && !has({"a": 1}.b)')).toBe(true);
  });

  it('has the old value of a transition rule, as an optional if that was asked for', () => {
    expect(evaluate('self.count >= oldSelf.count', object, { oldSelf: { count: 7 } })).toBe(false);
    const options = { optionalOldSelf: true };
    expect(evaluate('!oldSelf.hasValue()', object, options)).toBe(true);
    expect(evaluate('oldSelf.orValue(self).count == 7', object, { ...options, oldSelf: { count: 7 } })).toBe(true);
  });

  it('ends when it becomes too expensive, and can be interrupted on the way', () => {
    const rule = 'self.items.all(a, self.items.all(b, self.items.all(c, a + b + c < 10000000)))';
    const { program } = compileRule(rule, declared());
    const steps = evaluateRule(program as NonNullable<typeof program>, {
      self: { items: Array.from({ length: 200 }, (_, i) => i) },
    });
    let yields = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yields++;
    expect(step.value).toMatchObject({ error: 'operation cancelled: actual cost limit exceeded' });
    expect(yields).toBeGreaterThan(100);
    // Without the limit it would be 64,000.
    expect(yields).toBeLessThan(5000);
  });

  it('has a cost of at most 64 bits', () => {
    const { program } = compileRule('[[], []].flatten(9223372036854775807) == []', declared());
    const result = finish(evaluateRule(program as NonNullable<typeof program>, { self: object }));
    expect(result).toMatchObject({ error: 'operation cancelled: actual cost limit exceeded' });
    expect((result as { readonly cost: number }).cost).toBeLessThan(2 ** 64);
  });

  it('never throws, whatever the expression and the object', () => {
    const words =
      "self . text count items set port [ ] ( ) { } , : ? ! - + * / % < == && || in 1 0 2.5 3u 'a' b'x' null true x dyn size all map filter exists has matches split format orValue optMap duration timestamp sort sum type string int";
    const word = fc.constantFrom(...words.split(' '));
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(5, 'a', [1, 2], { a: 1 }, null));
    const names = Object.keys(schema.properties ?? {});
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), fc.dictionary(fc.constantFrom(...names), value), (parts, self) => {
        evaluate(parts.join(''), self);
        evaluate(`self.${parts.join(' ')}`, self);
        evaluate(`self.items.map(x, ${parts.join('')}).size() > 0`, self);
      }),
      { numRuns: runs(150) },
    );
  });
});
