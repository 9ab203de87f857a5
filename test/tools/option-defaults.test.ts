import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript, which `npm run check` runs
import { offencesIn } from '../../scripts/check-source.mjs';

const check = (text: string, more: Record<string, string> = {}): string[] => offencesIn({ 'meta/x.ts': text, ...more });

describe('the check for defaults', () => {
  it('finds an optional option without one', () => {
    expect(check('export interface ReadOptions {\n  /** How many. */\n  readonly limit?: number;\n}')).toEqual([
      'src/meta/x.ts:3: ReadOptions.limit is optional and needs a @default in its comment',
    ]);
    expect(check('export interface ReadOptions { limit?(): number }')).toHaveLength(1);
    expect(check('export type ReadOptions = { limit?: number };')).toHaveLength(1);
    expect(check('export type ReadOptions = Base & { limit?: number };')).toHaveLength(1);
  });

  it('refuses an empty one', () => {
    expect(check('export interface ReadOptions {\n  /** How many. @default */\n  limit?: number;\n}')).toHaveLength(1);
  });

  it('checks the types that options extend, in any file', () => {
    const parents = {
      'meta/y.ts': 'export interface A { a?: 1 }\nexport interface B { b?: 1 }\nexport interface C { c?: 1 }',
    };
    expect(check("export interface ReadOptions extends A, Omit<B, 'x'> {}", parents)).toEqual([
      'src/meta/y.ts:1: A.a is optional and needs a @default in its comment',
      'src/meta/y.ts:2: B.b is optional and needs a @default in its comment',
    ]);
  });

  it('accepts documented, required, private and generated ones, and types that are no options', () => {
    expect(
      check('export interface ReadOptions {\n  /** How many. @default 500 */\n  limit?: number;\n  name: string;\n}'),
    ).toEqual([]);
    expect(check('interface ReadOptions { limit?: number }')).toEqual([]);
    expect(check('export interface Pod { name?: string }')).toEqual([]);
    expect(check('', { 'resources/types/core-v1.ts': 'export interface LogOptions { limit?: number }' })).toEqual([]);
  });
});
