import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../../meta/errors/errors.js';
import type { JsonObject } from '../../meta/json-values.js';
import { mutableCopy } from '../../meta/objects.js';
import { finish } from '../../time/steps.js';
import { applyMergePatch } from './merge-patch.js';

/** The result of a patch of a copy. */
function merged(document: JsonObject, patch: unknown): JsonObject {
  return finish(applyMergePatch(mutableCopy<JsonObject>(document), patch));
}

describe('applyMergePatch', () => {
  it.each([
    // The examples of RFC 7386 that patch an object.
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 'text' }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
    [{ a: { b: 1 } }, { a: [null, 1] }, { a: [null, 1] }],
    [{}, { a: [{ b: null, c: 1 }] }, { a: [{ c: 1 }] }],
  ])('%j with %j', (document, patch, expected) => {
    expect(merged(document, patch)).toEqual(expected);
  });

  it.each([
    [null, 'Invalid JSON Patch'],
    [[1], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['a', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
  ])('answers 400 to %j', (patch, message) => {
    expect(() => merged({}, patch)).toThrow(StatusError);
    expect(() => merged({}, patch)).toThrow(message);
  });

  it('treats __proto__ as a name', () => {
    const patch = JSON.parse('{"data":{"__proto__":{"x":1}},"__proto__":{"y":2}}');
    const patched = merged({ data: { a: 1 } }, patch);
    expect(JSON.stringify(patched)).toBe('{"data":{"a":1,"__proto__":{"x":1}},"__proto__":{"y":2}}');
    expect(({} as { y?: unknown }).y).toBeUndefined();
  });

  it('applied twice is the same as once, and does not change the patch', () => {
    const object = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'toString'), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(object, object, (document, patch) => {
        const before = JSON.stringify([document, patch]);
        const once = merged(document, patch);
        expect(JSON.stringify(merged(once, patch))).toBe(JSON.stringify(once));
        expect(JSON.stringify([document, patch])).toBe(before);
      }),
    );
  });
});
