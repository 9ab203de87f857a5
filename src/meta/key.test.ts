import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { KubeflectError, ParseError } from './errors/errors.js';
import { formatKey, KeyError, objectKey, splitKey } from './key.js';
import type { DeepReadonly, KubernetesObject } from './objects.js';

describe('objectKey', () => {
  it('is namespace/name, or the name alone', () => {
    expect(objectKey({ metadata: { namespace: 'default', name: 'web' } })).toBe('default/web');
    expect(objectKey({ metadata: { name: 'node-1' } })).toBe('node-1');
    expect(objectKey({ metadata: { namespace: '', name: 'node-1' } })).toBe('node-1');
    expect(formatKey(undefined, 'x')).toBe('x');
  });

  it('accepts the types of clients and caches', () => {
    expectTypeOf<KubernetesObject>().toExtend<Parameters<typeof objectKey>[0]>();
    expectTypeOf<DeepReadonly<KubernetesObject>>().toExtend<Parameters<typeof objectKey>[0]>();
  });

  it.each([undefined, null, 'text', {}, { metadata: null }])('throws for %j, which has no metadata', (object) => {
    expect(() => objectKey(object as never)).toThrow(KeyError);
  });
});

describe('splitKey', () => {
  it.each([
    ['default/web', 'default', 'web'],
    ['web', '', 'web'],
    ['/web', '', 'web'],
    ['default/', 'default', ''],
    ['', '', ''],
  ])('%j', (key, namespace, name) => expect(splitKey(key)).toEqual({ namespace, name }));

  it('throws at the position of a second slash', () => {
    expect(() => splitKey('a/b/c')).toThrow(ParseError);
    expect(() => splitKey('a/b/c')).toThrow('cannot parse key "a/b/c" at position 3');
  });

  it('[S150] is the inverse of objectKey, and throws for more than two parts', () => {
    const key = fc.string({ unit: fc.constantFrom(...'abcdefghi/'), minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(key, (text) => {
        const parts = text.split('/');
        if (parts.length > 2) {
          expect(() => splitKey(text)).toThrow(ParseError);
          return;
        }
        const { namespace, name } = splitKey(text);
        expect(objectKey({ metadata: { namespace, name } })).toBe(text.replace(/^\//, ''));
      }),
    );
  });
});

describe('KeyError', () => {
  it('[S140] keeps the object and the chain of causes', () => {
    const root = new Error('no key here');
    const inner = new KeyError('x', 'inner', { cause: root });
    const outer = new KeyError('y', 'outer', { cause: inner });
    expect(outer).toBeInstanceOf(KubeflectError);
    expect(outer).toMatchObject({ name: 'KeyError', code: 'KEY', object: 'y', cause: inner });
    expect((outer.cause as KeyError).cause).toBe(root);
    expect(outer.message).toBe('cannot make a key for "y": outer');
  });
});
