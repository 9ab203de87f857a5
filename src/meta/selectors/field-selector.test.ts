import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { ParseError } from '../errors/errors.js';
import { escapeFieldValue, type FieldRequirement, ParsedFieldSelector, parseFieldSelector } from './field-selector.js';

describe('parsing', () => {
  it.each([
    ['', ''],
    ['metadata.name=a', 'metadata.name=a'],
    ['metadata.name==a', 'metadata.name=a'],
    ['spec.nodeName!=', 'spec.nodeName!='],
    ['b=1,a!=2', 'a!=2,b=1'],
    [',a=1,,', 'a=1'],
    ['a=\\,\\=\\\\', 'a=\\,\\=\\\\'],
    ['=x', '=x'],
    ['=', ''],
    ['!=,a=1', 'a=1'],
    ['a==z,a=b', 'a=b,a=z'],
    ['a\\,b=c', 'a\\,b=c'],
  ])('%j is %j', (text, canonical) => expect(String(parseFieldSelector(text))).toBe(canonical));

  // The messages of kube-apiserver 1.36.
  it.each([
    ['a', 0, "invalid selector: 'a'; can't understand 'a'"],
    ['metadata.name=a,b', 16, "invalid selector: 'metadata.name=a,b'; can't understand 'b'"],
    ['metadata.name=a=b', 15, 'invalid field selector: unescaped character in value: 61'],
    ['metadata.name=\\x', 14, 'invalid field selector: invalid escape sequence: \\x'],
    ['metadata.name=\\', 14, 'invalid field selector: invalid escape sequence: \\'],
  ])('%j is rejected at position %i', (input, position, reason) => {
    expect(() => parseFieldSelector(input)).toThrow(ParseError);
    expect(() => parseFieldSelector(input)).toThrow(expect.objectContaining({ input, position, reason }));
  });

  it('throws nothing but ParseError for any text', () => {
    const piece = fc.constantFrom('a', '=', '==', '!=', '!', ',', '\\', ' ', 'ä');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let selector: ParsedFieldSelector;
        try {
          selector = parseFieldSelector(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
          return;
        }
        expect(parseFieldSelector(String(selector)).requirements).toEqual(selector.requirements);
      }),
      { numRuns: runs(500) },
    );
  });
});

const someField = fc.constantFrom('metadata.name', 'spec.nodeName', 'status.phase', 'constructor');
const someValue = fc.oneof(
  fc.constantFrom('', 'a', 'b'),
  fc.string({ unit: fc.constantFrom('a', ',', '=', '\\', '!') }),
);
const someRequirements: fc.Arbitrary<FieldRequirement[]> = fc.array(
  fc.record({ field: someField, operator: fc.constantFrom('=' as const, '!=' as const), value: someValue }),
  { maxLength: 4 },
);

describe('ParsedFieldSelector', () => {
  it('prints a text that parses to the same selector, with any values', () => {
    fc.assert(
      fc.property(someRequirements, (requirements) => {
        const selector = new ParsedFieldSelector(requirements);
        expect(parseFieldSelector(String(selector)).requirements).toEqual(selector.requirements);
        expect(String(new ParsedFieldSelector([...requirements].reverse()))).toBe(String(selector));
      }),
    );
  });

  it('matches by operator; a missing field counts as empty', () => {
    const someFields = fc.uniqueArray(fc.tuple(someField, someValue), { selector: ([field]) => field });
    fc.assert(
      fc.property(someRequirements, someFields, (requirements, entries) => {
        const fields = new Map<string, string>(entries);
        const expected = requirements.every(({ field, operator, value }) => {
          const same = (fields.get(field) ?? '') === value;
          return operator === '=' ? same : !same;
        });
        const selector = new ParsedFieldSelector(requirements);
        expect(selector.matches(Object.fromEntries(entries))).toBe(expected);
        expect(selector.matches((field) => fields.get(field))).toBe(expected);
      }),
    );
  });

  it('reports matchesEverything and exactValue', () => {
    expect(parseFieldSelector('')).toBe(ParsedFieldSelector.everything);
    expect(ParsedFieldSelector.everything.matchesEverything).toBe(true);
    const selector = parseFieldSelector('a!=1,a=2,b!=3');
    expect(selector.matchesEverything).toBe(false);
    expect(selector.exactValue('a')).toBe('2');
    expect(selector.exactValue('b')).toBeUndefined();
  });

  it('escapes values', () => {
    expect(escapeFieldValue('a,b=c\\d')).toBe('a\\,b\\=c\\\\d');
  });
});
