import fc from 'fast-check';
import fastJsonPatch from 'fast-json-patch';
import { describe, expect, it, vi } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { StatusError } from '../../meta/errors/errors.js';
import { mutableCopy } from '../../meta/objects.js';
import { finish } from '../../time/steps.js';
import { applyJsonPatch } from './json-patch.js';

/** The result of a patch of a copy. */
function patched(document: unknown, patch: unknown): unknown {
  return finish(applyJsonPatch(mutableCopy(document as object), mutableCopy(patch as object)));
}

function failure(document: unknown, patch: unknown): StatusError {
  try {
    patched(document, patch);
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('the patch applied');
}

describe('applyJsonPatch', () => {
  it.each([
    [{ a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    [{ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    [{ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [{ a: [1, 2] }, [{ op: 'add', path: '/a/-1', value: 3 }], { a: [1, 2, 3] }],
    [{ a: [1, 3] }, [{ op: 'add', path: '/a/01', value: 2 }], { a: [1, 2, 3] }],
    [{ a: 1 }, [{ op: 'add', path: '/b' }], { a: 1, b: null }],
    [{ a: 1, b: 2 }, [{ op: 'remove', path: '/b' }], { a: 1 }],
    [{ a: [1, 2, 3] }, [{ op: 'remove', path: '/a/-1' }], { a: [1, 2] }],
    [{ a: 1 }, [{ op: 'replace', path: '/a', value: { b: 1 } }], { a: { b: 1 } }],
    [{}, [{ op: 'replace', path: '/missing', value: 1 }], { missing: 1 }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
    [{ a: { b: 1 }, c: {} }, [{ op: 'move', from: '/a/b', path: '/c/d' }], { a: {}, c: { d: 1 } }],
    [{ a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    [{ a: 1 }, [{ op: 'copy', from: '/missing', path: '/c' }], { a: 1, c: null }],
    [
      { 'a/b': 1, 'm~n': 2 },
      [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/m~0n' },
      ],
      {},
    ],
    [{ '~1': 1 }, [{ op: 'remove', path: '/~01' }], {}],
    [{ a: { b: [1, null] } }, [{ op: 'test', path: '/a', value: { b: [1, null] } }], { a: { b: [1, null] } }],
    [{ a: 1 }, [{ op: 'test', path: '/missing', value: null }], { a: 1 }],
    [{ a: 1 }, [{ op: 'test', path: '', value: { a: 1 } }], { a: 1 }],
    [{ '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
    [{ a: 1 }, [], { a: 1 }],
    [{ a: 1 }, null, { a: 1 }],
  ])('%j with %j', (document, patch, expected) => {
    expect(patched(document, patch)).toEqual(expected);
  });

  it.each([
    [{ op: 'remove', path: '/missing' }],
    [{ op: 'remove', path: '/list/9' }],
    [{ op: 'remove', path: '' }],
    [{ op: 'add', path: '/missing/x', value: 1 }],
    [{ op: 'add', path: '/text/x', value: 1 }],
    [{ op: 'add', path: '', value: {} }],
    [{ op: 'add', path: 'text', value: 1 }],
    [{ op: 'add', path: '/list/9', value: 1 }],
    [{ op: 'add', path: '/list/-9', value: 1 }],
    [{ op: 'add', path: '/list/x', value: 1 }],
    [{ op: 'add', path: '/list/1e0', value: 1 }],
    [{ op: 'add', value: 1 }],
    [{ op: 'replace', path: '/list/9', value: 1 }],
    [{ op: 'replace', path: '', value: 5 }],
    [{ op: 'move', from: '/missing', path: '/x' }],
    [{ op: 'move', path: '/x' }],
    [{ op: 'move', from: '/inner', path: '/inner/x' }],
    [{ op: 'copy', from: '/list/9', path: '/x' }],
    [{ op: 'test', path: '/text', value: 'other' }],
    [{ op: 'test', path: '/missing/x', value: null }],
    [{ op: 'test', path: '/constructor', value: 1 }],
    [{ op: 'unknown', path: '/x' }],
    [{ path: '/x' }],
  ])('answers 422 to %j', (operation) => {
    const error = failure({ text: 'a', list: [1], inner: { a: 1 } }, [operation]);
    expect(error.document).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    });
    expect((error.cause as Error).message).not.toBe('');
  });

  it.each([
    [{ a: 1 }, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    [[1], 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
    [
      [{ op: 'add', path: true }],
      'error decoding patch: json: cannot unmarshal bool into Go struct field jsonPatchOp.path of type string',
    ],
  ])('answers 400 to %j', (patch, message) => {
    expect(failure({}, patch).document).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  it('keeps to a number of operations and to a size of copies', () => {
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '', value: {} }));
    expect(failure({}, many).document).toMatchObject({
      code: 413,
      message: expect.stringContaining('The allowed maximum operations in a JSON patch is 10000, got 10001'),
    });
    const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    expect(failure({ a: [] }, doubling).status).toBe(422);
  });

  it('shares nothing between what is copied and its copy', () => {
    const document = { a: { b: [1] } };
    const patch = [
      { op: 'add', path: '/c', value: { d: 1 } },
      { op: 'copy', from: '/a', path: '/e' },
      { op: 'add', path: '/e/b/-', value: 2 },
      { op: 'add', path: '/c/f', value: 3 },
    ];
    expect(patched(document, patch)).toEqual({ a: { b: [1] }, c: { d: 1, f: 3 }, e: { b: [1, 2] } });
  });

  it('edits long lists as short ones, whatever else happens to them in between', () => {
    const index = fc.nat(8999);
    const operation = fc.oneof(
      fc.record({ op: fc.constant('add'), path: index.map((i) => `/long/${i}`), value: fc.nat() }),
      fc.record({ op: fc.constant('add'), path: fc.constantFrom('/long/-', '/long/0'), value: fc.nat() }),
      fc.record({ op: fc.constant('remove'), path: index.map((i) => `/long/${i}`) }),
      fc.record({ op: fc.constant('replace'), path: index.map((i) => `/long/${i}`), value: fc.nat() }),
      fc.record({
        op: fc.constant('move'),
        from: index.map((i) => `/long/${i}`),
        path: index.map((i) => `/long/${i}`),
      }),
      fc.record({ op: fc.constant('copy'), from: fc.constant('/long'), path: fc.constant('/copy') }),
    );
    const document = { long: Array.from({ length: 9000 }, (_, i) => i) };
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 30 }), (patch) => {
        const added = Array.from({ length: 30 }, () => ({ op: 'add', path: '/long/0', value: 'first' }));
        const all = [...added, ...patch];
        expect(patched(document, all)).toEqual(patchedElsewhere(document, all as PatchOperation[]));
      }),
      { numRuns: runs(20) },
    );
    const tested = [
      { op: 'add', path: '/long/4000', value: 'x' },
      { op: 'test', path: '/long', value: [...document.long.slice(0, 4000), 'x', ...document.long.slice(4000)] },
      { op: 'remove', path: '/long/4000' },
      { op: 'test', path: '', value: document },
    ];
    expect(patched(document, tested)).toEqual(document);
  });

  it('moves one piece of a long list for an insertion, not all behind it', () => {
    const long = Array.from({ length: 200_000 }, () => 0);
    const splice = vi.spyOn(Array.prototype, 'splice');
    let moved = 0;
    splice.mockImplementation(function (this: unknown[], at: number, count: number, ...items: unknown[]) {
      moved += this.length - at;
      const tail = this.slice(at + (count ?? this.length));
      const removed = this.slice(at, this.length - tail.length);
      this.length = at;
      this.push(...items, ...tail);
      return removed;
    } as never);
    try {
      const patch = Array.from({ length: 500 }, (_, i) => ({ op: 'add', path: '/long/0', value: i }));
      expect((finish(applyJsonPatch({ long }, patch)) as { long: unknown[] }).long).toHaveLength(200_500);
    } finally {
      splice.mockRestore();
    }
    expect(moved).toBeLessThan(500 * 10_000);
  });

  it('refuses a patch that needs long lists whole again and again', () => {
    const patch = Array.from({ length: 500 }, () => [
      { op: 'add', path: '/long/0', value: 0 },
      { op: 'copy', from: '/empty', path: '/copy' },
    ]).flat();
    const document = { long: Array.from({ length: 100_000 }, () => 0), empty: {} };
    expect(failure(document, patch).document).toMatchObject({
      code: 413,
      message: expect.stringContaining('use fewer, or replace the lists'),
    });
  });

  it('treats __proto__ as a name', () => {
    const result = patched(JSON.parse('{"data":{}}'), [{ op: 'add', path: '/data/__proto__', value: { x: 1 } }]);
    expect(JSON.stringify(result)).toBe('{"data":{"__proto__":{"x":1}}}');
    expect(({} as { x?: unknown }).x).toBeUndefined();
    expect(failure({}, [{ op: 'add', path: '/__proto__/x', value: 1 }]).status).toBe(422);
    expect(failure({}, [{ op: 'add', path: '/constructor/prototype/x', value: 1 }]).status).toBe(422);
  });

  it('does what another implementation does, wherever that one applies the patch', () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.integer({ min: 0, max: 3 }),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    const pointer = fc
      .array(fc.constantFrom('a', 'b', 'c', '0', '1', '-'), { minLength: 1, maxLength: 3 })
      .map((keys) => `/${keys.join('/')}`);
    const operation = fc.oneof(
      fc.record({
        op: fc.constantFrom('add' as const, 'replace' as const, 'test' as const),
        path: pointer,
        value: tree,
      }),
      fc.record({ op: fc.constant('remove' as const), path: pointer }),
      fc.record({ op: fc.constantFrom('move' as const, 'copy' as const), from: pointer, path: pointer }),
    );
    let applied = 0;
    fc.assert(
      fc.property(
        fc.dictionary(key, tree, { noNullPrototype: true }),
        fc.array(operation, { maxLength: 4 }),
        (document, patch) => {
          let expected: unknown;
          try {
            expected = patchedElsewhere(document, patch);
          } catch {
            return;
          }
          applied++;
          expect(patched(document, patch)).toEqual(expected);
        },
      ),
      { numRuns: runs(800) },
    );
    expect(applied).toBeGreaterThan(100);
  });
});

interface PatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/**
 * What fast-json-patch makes of a patch. It refuses to add beyond the end of an array but moves and copies to there, so those
 * two are made of what it does check.
 */
function patchedElsewhere(document: unknown, patch: readonly PatchOperation[]): unknown {
  let result = structuredClone(document);
  const apply = (operation: PatchOperation) => {
    result = fastJsonPatch.applyOperation(result, structuredClone(operation) as never, true).newDocument;
  };
  for (const operation of patch) {
    const { op, path, from } = operation;
    if (from === undefined) {
      apply(operation);
      continue;
    }
    const value: unknown = structuredClone(fastJsonPatch.getValueByPointer(result, from));
    if (op === 'move') apply({ op: 'remove', path: from });
    apply({ op: 'add', path, value });
  }
  return result;
}
