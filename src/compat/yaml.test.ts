import { describe, expect, it } from 'vitest';
import { KubeConfig } from './config/kube-config.js';
import { loadAllYaml, loadYaml } from './yaml.js';

describe('YAML with too many levels', () => {
  const text = '['.repeat(3000);

  // The parser exhausts the stack on such texts, and V8 may end the process then.
  it.each([
    ['loadYaml', () => loadYaml(text)],
    ['loadAllYaml', () => loadAllYaml(`a: b\n---\n${text}`)],
    ['loadFromString', () => new KubeConfig().loadFromString(text)],
  ])('is refused by %s', (_, load) => {
    expect(load).toThrow('exceeded max depth of 256');
  });
});
