import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type DeepReadonly,
  type KubernetesObject,
  type MergePatch,
  mutableCopy,
  type New,
  type ObjectMeta,
  type Unstructured,
} from './objects.js';

type Branded = string & { readonly __brand: 'quantity' };

interface Widget extends KubernetesObject {
  spec: { size: number; parts: { name: string }[]; memory?: Branded; extra: unknown };
  status?: { ready?: number };
}

describe('mutableCopy', () => {
  it('copies everything and shares nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const original: { value: unknown } = { value };
        const copy = mutableCopy(original);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(original));
        assertNothingShared(original, copy);
      }),
    );
  });

  it('copies objects that are nested deeper than the stack allows', () => {
    const levels = 100_000;
    let copy: unknown = mutableCopy(JSON.parse(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`));
    let depth = 0;
    for (; Array.isArray(copy); depth++) copy = (copy[0] as { a: unknown }).a;
    expect([depth, copy]).toEqual([levels, 1]);
  });

  it('copies a field called __proto__ as a field', () => {
    const original = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as Record<string, unknown>;
    const copy = mutableCopy(original);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(original));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('infers the type inside DeepReadonly', () => {
    const seen = { metadata: { name: 'x' } } as unknown as DeepReadonly<Widget>;
    expectTypeOf(mutableCopy(seen)).toEqualTypeOf<Widget>();
    expect(mutableCopy(seen)).not.toBe(seen);
  });
});

function assertNothingShared(a: unknown, b: unknown): void {
  if (typeof a !== 'object' || a === null) return;
  expect(a).not.toBe(b);
  for (const key of Object.keys(a)) {
    assertNothingShared((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]);
  }
}

describe('types', () => {
  it('DeepReadonly applies to all levels and keeps scalars, brands and unknown', () => {
    type Seen = DeepReadonly<Widget>;
    expectTypeOf<Seen['spec']['size']>().toEqualTypeOf<number>();
    expectTypeOf<Seen['spec']['memory']>().toEqualTypeOf<Branded | undefined>();
    expectTypeOf<Seen['spec']['extra']>().toEqualTypeOf<unknown>();
    expectTypeOf<Seen['metadata']['labels']>().toEqualTypeOf<DeepReadonly<Record<string, string>> | undefined>();
    expectTypeOf<DeepReadonly<Unstructured>['kind']>().toEqualTypeOf<string>();
    const change = (widget: Seen): void => {
      // @ts-expect-error results of caches are readonly
      widget.spec.size = 1;
      // @ts-expect-error at every level
      widget.spec.parts[0].name = 'x';
      // @ts-expect-error arrays are readonly
      widget.spec.parts.push({ name: 'x' });
      // @ts-expect-error labels are readonly
      widget.metadata.labels.app = 'x';
    };
    expectTypeOf(change).toBeFunction();
  });

  it('New requires neither the fields that the server sets nor apiVersion and kind', () => {
    const fresh: New<Widget> = { metadata: { name: 'x' }, spec: { size: 1, parts: [], extra: null } };
    expectTypeOf(fresh.metadata).toEqualTypeOf<ObjectMeta>();
    expectTypeOf(fresh.apiVersion).toEqualTypeOf<string | undefined>();
    // @ts-expect-error other fields are required
    const broken: New<Widget> = { metadata: { name: 'x' } };
    expect(broken).toBeDefined();
    const loose: New<Unstructured> = { metadata: { name: 'x' }, anything: 1 };
    expect(loose['anything']).toBe(1);
  });

  it('MergePatch makes every field optional and nullable, and arrays replaceable', () => {
    const patch: MergePatch<Widget> = {
      metadata: { labels: { a: null, b: 'c' } },
      spec: { size: 2, parts: [{ name: 'x' }] },
      status: null,
    };
    expect(patch.status).toBeNull();
    // @ts-expect-error unknown fields are errors
    const typo: MergePatch<Widget> = { metadta: {} };
    // @ts-expect-error items of arrays must be complete
    const partial: MergePatch<Widget> = { spec: { parts: [{}] } };
    expect([typo, partial]).toHaveLength(2);
  });
});
