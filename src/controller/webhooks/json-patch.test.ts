import fc from 'fast-check';
import jsonPatch from 'fast-json-patch';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { jsonPatchBetween } from './json-patch.js';

const values = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value).replaceAll('-0', '0')));
const documents = fc
  .record({ spec: values, list: fc.array(values, { maxLength: 5 }) }, { requiredKeys: [] })
  .map((document) => JSON.parse(JSON.stringify(document).replaceAll('__proto__', 'p')) as object);

describe('jsonPatchBetween', () => {
  it('leads from any document to any other', () => {
    fc.assert(
      fc.property(documents, documents, (before, after) => {
        const operations = jsonPatchBetween(before, after);
        const { newDocument } = jsonPatch.applyPatch(
          structuredClone(before),
          operations as jsonPatch.Operation[],
          true,
        );
        expect(newDocument).toEqual(after);
      }),
      { numRuns: runs(300) },
    );
  });

  it('[C75] names only what differs', () => {
    const before = { metadata: { name: 'a' }, spec: { big: 1, list: [{ a: 1 }, { b: 2 }, { c: 3 }], 'x/y~z': 1 } };
    const after = structuredClone(before) as typeof before & { metadata: { labels?: object } };
    expect(jsonPatchBetween(before, after)).toEqual([]);
    after.metadata.labels = { a: 'b' };
    after.spec['x/y~z'] = 2;
    after.spec.list.splice(1, 0, { b: 9 });
    expect(jsonPatchBetween(before, after)).toEqual([
      { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
      { op: 'add', path: '/spec/list/1', value: { b: 9 } },
      { op: 'replace', path: '/spec/x~1y~0z', value: 2 },
    ]);
  });

  it('takes a field that is undefined for a missing one', () => {
    expect(jsonPatchBetween({ a: 1 }, { a: 1, b: undefined })).toEqual([]);
    expect(jsonPatchBetween({ a: 1, b: 1 }, { a: 1, b: undefined })).toEqual([{ op: 'remove', path: '/b' }]);
  });

  it('removes the last items of a list first', () => {
    expect(jsonPatchBetween([1, 2, 3, 4], [1, 4])).toEqual([
      { op: 'remove', path: '/2' },
      { op: 'remove', path: '/1' },
    ]);
  });
});
