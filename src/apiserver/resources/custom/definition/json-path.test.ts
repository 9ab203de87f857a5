import { describe, expect, it } from 'vitest';
import { JsonPathError, parseJsonPath } from './json-path.js';

const document = {
  spec: {
    replicas: 3,
    'a.b': 'dotted',
    ports: [
      { name: 'http', port: 80 },
      { name: 'dns', port: 53 },
    ],
    empty: null,
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Old', status: 'False' },
    ],
  },
};

describe('parseJsonPath', () => {
  it.each([
    ['.spec.replicas', [3]],
    ['.spec.missing.deeper', []],
    ['.spec.empty', [null]],
    ['.spec.ports[0].name', ['http']],
    ['.spec.ports[-1].name', ['dns']],
    ['.spec.ports[*].port', [80, 53]],
    ['.spec.ports[0:1].port', [80]],
    ['.spec.ports[0,1].port', [80, 53]],
    ['.spec.a\\.b', ['dotted']],
    ["['spec'].replicas", [3]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ["$.status.conditions[?(@.type=='Ready')].status", ['True']],
    ['.spec.ports[?(@.port>60)].name', ['http']],
    ['.status.conditions[?(@.type)].type', ['Ready', 'Old']],
    ['..port', [80, 53]],
    ['.status.conditions[0].*', ['Ready', 'True']],
  ])('finds %s', (path, values) => {
    expect(parseJsonPath(path)(document)).toEqual(values);
  });

  it.each(['.spec.ports[x]', '.spec.ports[', '.a[?(@.b', '.a["', '....a', '!'])('refuses %s', (path) => {
    expect(() => parseJsonPath(path)).toThrow(JsonPathError);
  });

  it.each(['.spec.ports[5]', '.spec.replicas[0]', '.spec[?(@.a)]', '.spec.ports[?(@.port=="x")]'])(
    'finds nothing in another document by %s, which is an error',
    (path) => {
      expect(() => parseJsonPath(path)(document)).toThrow(JsonPathError);
    },
  );

  it('ends before it has found more values than memory holds', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 300; level++) deep = { a: deep, b: level };
    expect(() => parseJsonPath('..a..a..a')(deep)).toThrow('too many values');
  });
});
