import { describe, expect, it } from 'vitest';
import { convertYaml } from './convert-yaml.js';
import { checkYamlDepth, YamlDepthError, yamlTokens } from './yaml-tokens.js';

describe('yamlTokens', () => {
  const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

  it('accepts 256 levels', () => {
    expect(convertYaml(lists(256))).toEqual({ json: lists(256), duplicates: [] });
    expect(() => yamlTokens(lists(257))).toThrow(new YamlDepthError());
  });

  // In a thread whose stack was nearly exhausted, V8 ended the process while it compiled a regular expression of the parser.
  it.each(['[', '{a: ', '- ', '? ', '&a [', '{? ', '[{', '- ? ', '? - ', '!!a [', 'a: {b: ['])(
    'refuses %j a thousand times before it is composed',
    (opening) => {
      const text = opening.repeat(1000);
      expect(() => checkYamlDepth(text)).toThrow(YamlDepthError);
      expect(convertYaml(text)).toEqual({ error: 'yaml: exceeded max depth of 256' });
    },
  );

  it('looks at every document', () => {
    expect(() => checkYamlDepth(`a: b\n---\n${lists(300)}`)).toThrow(YamlDepthError);
  });
});
