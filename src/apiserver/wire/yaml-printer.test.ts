import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runs } from '../../../test/support/runs.js';
import { yamlToJson } from '../../codec/yaml/yaml-to-json.js';
import { printYaml } from './yaml-printer.js';

describe('YAML', () => {
  it('is printed with sorted keys and lists that are not indented', () => {
    const value = { b: [{ y: 1, x: [] }, 'c'], a: { d: {}, c: null } };
    expect(printYaml(value)).toBe('a:\n  c: null\n  d: {}\nb:\n- x: []\n  "y": 1\n- c\n');
  });

  it('quotes texts that would be read as something else', () => {
    const texts = [
      'yes',
      'n',
      'null',
      '~',
      '1',
      '0x10',
      '1.5',
      '2026-01-01',
      '1:30',
      '',
      'a: b',
      '- a',
      '#',
      "'",
      '- ',
      '=',
      '<<',
    ];
    for (const text of texts) expect(parse(printYaml({ text }), { version: '1.1' })).toEqual({ text });
    expect(printYaml({ a: 'f:data', b: '.', c: '-1', d: '*/*', e: 'v1' })).toBe(
      'a: f:data\nb: .\nc: "-1"\nd: \'*/*\'\ne: v1\n',
    );
  });

  // Printed by sigs.k8s.io/yaml, as kube-apiserver does.
  it.each([
    [{ 'a\nb': 1, c: 2 }, '? |-\n  a\n  b\n: 1\nc: 2\n'],
    [[{ 'a\nb': { x: 1 } }], '- ? |-\n    a\n    b\n  : x: 1\n'],
    [{ 'a\nb\n': [1] }, '? |\n  a\n  b\n: - 1\n'],
    [['...', '--- a', '....', '.. .'], "- '...'\n- '--- a'\n- '....'\n- .. .\n"],
    [{ '...': 1, '---': '---x' }, "'---': '---x'\n'...': 1\n"],
    [
      ['--', '-,', '- a', '?a', ':', '-_1', '._', 'yES', 'Yes'],
      '- --\n- -,\n- \'- a\'\n- ?a\n- \':\'\n- "-_1"\n- ._\n- yES\n- "Yes"\n',
    ],
    [{ 'a\tb': '\t', z: 'é😀' }, '"a\\tb": "\\t"\nz: "é\\U0001F600"\n'],
    [{ c: 'x \ny', d: 'tab\t\nx', e: 'a\r\nb' }, 'c: "x \\ny"\nd: "tab\\t\\nx"\ne: "a\\r\\nb"\n'],
    [['\u0085', '\u001b[0m', 'a\ufeff'], '- "\\N"\n- "\\e[0m"\n- "a\\uFEFF"\n'],
  ])('is printed as in Go: %j', async (value, text) => {
    expect(printYaml(value)).toBe(text);
    expect(JSON.parse((await yamlToJson(text)).json)).toEqual(value);
  });

  it('that was printed is read as the same value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (value) => {
        const { json } = await yamlToJson(printYaml(value));
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: runs(200) },
    );
  });

  it.each([
    ['<<: 0', 'yaml: map merge requires map or sequence of maps as the value'],
    ['a: *b', "yaml: unknown anchor 'b' referenced"],
    ['[a]: 1', 'unsupported map key of type: []interface {}'],
    ['a: -.inf', 'json: unsupported value: -Inf'],
  ])('is refused in the words of Go: %s', async (text, problem) => {
    await expect(yamlToJson(text)).rejects.toThrow(problem);
  });

  it('is read by the rules of YAML 1.1, except times and dates', async () => {
    const text = 'a: yes\nn: 012\nc: 0b11\nd: 1_000\ne: 0o14\nf: 12:30:45\ng: 2026-01-01\nh: e0\n';
    const { json } = await yamlToJson(text);
    expect(JSON.parse(json)).toEqual({
      a: true,
      false: 10,
      c: 3,
      d: 1000,
      e: 12,
      f: '12:30:45',
      g: '2026-01-01',
      h: 'e0',
    });
  });

  it('tells duplicate keys, of which the last counts', async () => {
    expect(await yamlToJson('a:\n  b: 1\n  b: 2\n')).toEqual({
      json: '{"a":{"b":2}}',
      duplicates: ['line 3: key "b" already set in map'],
    });
  });

  it('refuses aliases that expand without bounds, and deep nesting', async () => {
    let bomb = 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n';
    for (let i = 1; i < 9; i++)
      bomb += `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]\n`;
    await expect(yamlToJson(bomb)).rejects.toThrow('yaml: document contains excessive aliasing');
    await expect(yamlToJson('['.repeat(100_000))).rejects.toThrow('yaml: ');
  });

  it('of a large text is converted in a thread', async () => {
    const text = Array.from({ length: 5000 }, (_, i) => `key${i}: value ${i}\n`).join('');
    expect(Object.keys(JSON.parse((await yamlToJson(text)).json))).toHaveLength(5000);
  });
});
