import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { KubeflectError, ParseError } from '../errors/errors.js';
import { printCauses } from '../errors/status.js';
import {
  type LabelOperator,
  type LabelRequirement,
  labelRequirementCauses,
  labelRequirementHolds,
} from './label-requirement.js';
import { labelSelectorFromObject, ParsedLabelSelector, parseLabelSelector, toLabelSelector } from './label-selector.js';

const keyRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe('parsing', () => {
  it.each([
    ['', ''],
    [' \t\r\n', ''],
    ['a', 'a'],
    ['!a', '!a'],
    [' ! a ', '!a'],
    ['a=b', 'a=b'],
    ['a == b', 'a==b'],
    ['a!=b', 'a!=b'],
    ['a=', 'a='],
    ['a=,b', 'a=,b'],
    ['a>3,b<4', 'a>3,b<4'],
    ['a in (b)', 'a in (b)'],
    ['a in(c, b,c)', 'a in (b,c)'],
    ['a in ()', 'a in ()'],
    ['a notin (,b,)', 'a notin (,b)'],
    ['x in (foo,,baz),y,z notin ()', 'x in (,baz,foo),y,z notin ()'],
    ['in in (in,notin),notin=in', 'in in (in,notin),notin=in'],
    ['in', 'in'],
    ['z,b,a', 'a,b,z'],
    ['example.com/a.b_c-d=1', 'example.com/a.b_c-d=1'],
  ])('%j is %j', (text, canonical) => expect(String(parseLabelSelector(text))).toBe(canonical));

  // The messages of kube-apiserver 1.36.
  it.each([
    [',', 0, "found ',', expected: !, identifier, or 'end of string'"],
    ['(', 0, "found '(', expected: !, identifier, or 'end of string'"],
    ['a,', 2, "found '', expected: identifier after ','"],
    ['a=b,,c', 4, "found ',', expected: identifier after ','"],
    ['a=b c', 4, "found 'c', expected: ',' or 'end of string'"],
    ['!a=b', 2, "found '=', expected: ',' or 'end of string'"],
    ['a in', 4, "unable to parse requirement: found '' expected: '('"],
    ['a in b', 5, "unable to parse requirement: found 'b' expected: '('"],
    ['a in (', 6, "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (=', 6, "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a in (b c)', 8, "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (b', 7, "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (,b c', 9, "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (,=', 7, "unable to parse requirement: found '=', expected: ',', or identifier"],
    ['a in (b,=', 8, "unable to parse requirement: found '=', expected: ',', or identifier"],
    ['a b', 2, "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=(', 2, "unable to parse requirement: found '(', expected: identifier"],
    ['a==!', 3, "unable to parse requirement: found '!', expected: identifier"],
    ['!', 1, "unable to parse requirement: found '', expected: identifier"],
    ['!,', 1, "unable to parse requirement: found ',', expected: identifier"],
    ['b,-a', 2, `unable to parse requirement: <nil>: Invalid value: "-a": name part ${keyRule}`],
    ['/b', 0, 'unable to parse requirement: <nil>: Invalid value: "/b": prefix part must be non-empty'],
    ['b,a=-', 2, `unable to parse requirement: values[0][a]: Invalid value: "-": ${valueRule}`],
    [
      'a in (-,+)',
      0,
      `unable to parse requirement: [values[0][a]: Invalid value: "+": ${valueRule}, values[1][a]: Invalid value: "-": ${valueRule}]`,
    ],
    [
      'a>x',
      0,
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
  ])('%j is rejected at position %i', (input, position, reason) => {
    expect(() => parseLabelSelector(input)).toThrow(ParseError);
    expect(() => parseLabelSelector(input)).toThrow(expect.objectContaining({ input, position, reason }));
  });

  it('throws nothing but ParseError for any text', () => {
    const piece = fc.constantFrom(
      'a',
      'in',
      'notin',
      '=',
      '==',
      '!=',
      '!',
      '(',
      ')',
      ',',
      '>',
      '<',
      ' ',
      '7',
      '-',
      'ä',
      '\0',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let selector: ParsedLabelSelector;
        try {
          selector = parseLabelSelector(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
          expect((error as ParseError).position).toBeLessThanOrEqual(text.length);
          return;
        }
        expect(parseLabelSelector(String(selector)).requirements).toEqual(selector.requirements);
      }),
      { numRuns: runs(500) },
    );
  });
});

const someKey = fc.constantFrom('a', 'b', 'in', 'notin', 'constructor', 'toString', 'example.com/x');
const someValue = fc.constantFrom('', '0', '1', '2', '10', 'in', 'x', 'Y.z', '99999999999999999999');
const someInteger = fc.constantFrom('0', '1', '2', '10', '007', '9223372036854775807');

const someRequirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({
    key: someKey,
    operator: fc.constantFrom<LabelOperator>('=', '==', '!='),
    values: someValue.map((value) => [value]),
  }),
  fc.record({
    key: someKey,
    operator: fc.constantFrom<LabelOperator>('in', 'notin'),
    values: fc.uniqueArray(someValue, { minLength: 1, maxLength: 3 }).map((values) => values.sort()),
  }),
  fc.record({ key: someKey, operator: fc.constantFrom<LabelOperator>('exists', '!'), values: fc.constant([]) }),
  fc.record({
    key: someKey,
    operator: fc.constantFrom<LabelOperator>('gt', 'lt'),
    values: someInteger.map((value) => [value]),
  }),
);

const someLabels = fc.uniqueArray(fc.tuple(someKey, someValue), { maxLength: 4, selector: ([key]) => key });

/** The meaning of each operator, as a model. */
function naively(requirement: LabelRequirement, labels: ReadonlyMap<string, string>): boolean {
  const { key, operator, values } = requirement;
  const has = labels.has(key);
  const value = labels.get(key) ?? '';
  const isInteger = /^\d+$/.test(value) && BigInt(value) < 2n ** 63n;
  const meanings: Record<LabelOperator, () => boolean> = {
    '=': () => has && value === values[0],
    '==': () => has && value === values[0],
    '!=': () => !has || value !== values[0],
    in: () => has && values.some((candidate) => candidate === value),
    notin: () => !has || values.every((candidate) => candidate !== value),
    exists: () => has,
    '!': () => !has,
    gt: () => has && isInteger && BigInt(value) > BigInt(values[0] as string),
    lt: () => has && isInteger && BigInt(value) < BigInt(values[0] as string),
  };
  return meanings[operator]();
}

describe('matching', () => {
  it('follows the operators, on records and on functions', () => {
    fc.assert(
      fc.property(fc.array(someRequirement, { maxLength: 4 }), someLabels, (requirements, entries) => {
        const selector = ParsedLabelSelector.of(requirements);
        const labels = new Map<string, string>(entries);
        const expected = requirements.every((requirement) => naively(requirement, labels));
        expect(selector.matches(Object.fromEntries(entries))).toBe(expected);
        expect(selector.matches((key) => labels.get(key))).toBe(expected);
      }),
      { numRuns: runs(500) },
    );
  });

  it('prints the text that it was parsed from', () => {
    fc.assert(
      fc.property(fc.array(someRequirement, { maxLength: 4 }), (requirements) => {
        const selector = ParsedLabelSelector.of(requirements);
        expect(parseLabelSelector(String(selector)).requirements).toEqual(selector.requirements);
      }),
    );
  });

  it('compares integers of 64 bits, signed, and nothing else', () => {
    const holds = (value: string, bound: string): boolean =>
      labelRequirementHolds({ key: 'a', operator: 'gt', values: [bound] }, value);
    expect(holds('+5', '4')).toBe(true);
    expect(holds('5', '-4')).toBe(true);
    expect(holds('9223372036854775808', '1')).toBe(false);
    expect(holds('0x10', '1')).toBe(false);
    expect(holds('5', 'x')).toBe(false);
  });

  it('ignores inherited properties of plain objects', () => {
    expect(parseLabelSelector('constructor').matches({})).toBe(false);
    expect(parseLabelSelector('!toString').matches({})).toBe(true);
    expect(parseLabelSelector('a').matches(undefined)).toBe(false);
  });
});

describe('everything and nothing', () => {
  it('are different, also in their text form', () => {
    const { everything, nothing } = ParsedLabelSelector;
    expect(parseLabelSelector('')).toBe(everything);
    expect([everything.matchesEverything, everything.matchesNothing]).toEqual([true, false]);
    expect([nothing.matchesEverything, nothing.matchesNothing]).toEqual([false, true]);
    expect(everything.matches(undefined)).toBe(true);
    for (const labels of [undefined, {}, { 'kubeflect/nothing': 'x' }]) {
      expect(nothing.matches(labels)).toBe(false);
      expect(parseLabelSelector(String(nothing)).matches(labels)).toBe(false);
    }
  });
});

describe('and', () => {
  it('selects the objects that both select', () => {
    const both = parseLabelSelector('b=1').and(parseLabelSelector('a'));
    expect(String(both)).toBe('a,b=1');
    expect(both.and(ParsedLabelSelector.nothing)).toBe(ParsedLabelSelector.nothing);
    expect(ParsedLabelSelector.nothing.and(both)).toBe(ParsedLabelSelector.nothing);
    expect(ParsedLabelSelector.everything.and(ParsedLabelSelector.everything)).toBe(ParsedLabelSelector.everything);
  });
});

describe('exactValue', () => {
  it.each([
    ['a=1', '1'],
    ['a==1', '1'],
    ['a in (1)', '1'],
    ['a,a=1', '1'],
    ['a in (1,2)', undefined],
    ['a!=1', undefined],
    ['a', undefined],
    ['b=1', undefined],
  ])('of a in %j is %j', (text, value) => expect(parseLabelSelector(text).exactValue('a')).toBe(value));
});

describe('selectors in objects', () => {
  it('are converted', () => {
    const selector = labelSelectorFromObject({
      matchLabels: { b: '1' },
      matchExpressions: [
        { key: 'd', operator: 'In', values: ['y', 'x', 'y'] },
        { key: 'c', operator: 'NotIn', values: ['z'] },
        { key: 'a', operator: 'Exists' },
        { key: 'e', operator: 'DoesNotExist', values: [] },
      ],
    });
    expect(String(selector)).toBe('a,b=1,c notin (z),d in (x,y),!e');
    expect(labelSelectorFromObject({})).toBe(ParsedLabelSelector.everything);
  });

  it('are rejected with the messages of kube-apiserver', () => {
    const from = (key: string, operator: string, values?: string[]): (() => unknown) => {
      return () => labelSelectorFromObject({ matchExpressions: [{ key, operator, ...(values && { values }) }] });
    };
    expect(from('a', 'Gt', ['1'])).toThrow(KubeflectError);
    expect(from('a', 'Gt', ['1'])).toThrow('"Gt" is not a valid label selector operator');
    expect(from('a', 'In')).toThrow(
      "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    );
    expect(from('a', 'Exists', ['x'])).toThrow(
      'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    );
    expect(() => labelSelectorFromObject({ matchLabels: { '-': 'x' } })).toThrow('key: Invalid value: "-": name part');
  });

  it.each([
    [undefined, ''],
    ['a=b', 'a=b'],
    [{ matchLabels: { a: 'b' } }, 'a=b'],
    [parseLabelSelector('a=b'), 'a=b'],
  ])('are accepted in any form: %#', (selector, text) => expect(String(toLabelSelector(selector))).toBe(text));
});

describe('labelRequirementCauses', () => {
  it.each([
    [
      { key: 'a', operator: '=', values: [] },
      'values: Invalid value: []: exact-match compatibility requires one single value',
    ],
    [
      { key: 'a', operator: 'gt', values: ['1', '2'] },
      `values: Invalid value: ["1","2"]: for 'Gt', 'Lt' operators, exactly one value is required`,
    ],
    [
      { key: 'a', operator: '~', values: [] },
      'operator: Unsupported value: "~": supported values: "in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"',
    ],
  ])('reports invalid requirements: %#', (requirement, message) => {
    expect(printCauses(labelRequirementCauses(requirement as LabelRequirement))).toBe(message);
  });
});
