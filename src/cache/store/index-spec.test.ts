import { describe, expect, it } from 'vitest';
import { plainForm, type Thing, thing } from '../../../test/support/forms.js';
import type { Accessor } from '../../meta/accessor.js';
import { toItemIndexFunction } from './index-spec.js';

describe('toItemIndexFunction', () => {
  const { accessor } = plainForm;

  it('refuses anything but a path, a ByteIndex or a function', () => {
    expect(() => toItemIndexFunction([], accessor)).toThrow(/^index path must be one or more names/);
    expect(() => toItemIndexFunction(['spec', 1 as never], accessor)).toThrow(/^index path must be/);
    expect(() => toItemIndexFunction('spec.nodeName' as never, accessor)).toThrow(
      /^index must be a path, a ready-made/,
    );
    expect(() => toItemIndexFunction({ kind: 'other' } as never, accessor)).toThrow(TypeError);
    expect(() => toItemIndexFunction(null as never, accessor)).toThrow(TypeError);
  });

  it('passes the array of a path on to the accessor, not a copy', () => {
    const path = ['spec', 'nodeName'];
    let asked: unknown;
    const watching: Accessor<Thing> = {
      ...accessor,
      field: (_, each) => {
        asked = each;
        return undefined;
      },
    };
    expect(toItemIndexFunction(path, watching)(thing('a'))).toEqual([]);
    expect(asked).toBe(path);
  });
});
