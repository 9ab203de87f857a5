import { expect, it } from 'vitest';
import { isSecret, withoutValues } from './secrets.js';

it('only Secrets of the core group are Secrets', () => {
  expect(isSecret({ group: '', resource: 'secrets' })).toBe(true);
  expect(isSecret({ group: 'example.com', resource: 'secrets' })).toBe(false);
  expect(isSecret({ group: '', resource: 'configmaps' })).toBe(false);
});

it('a Secret keeps its metadata and type, and the names of its keys', () => {
  const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { name: 'a', annotations: { note: 'x', [lastApplied]: '{"data":{}}' } },
    data: { user: 'YWRtaW4=', ['__proto__']: 'eA==' },
    stringData: { password: 'geheim' },
  };
  const { object, hidden } = withoutValues(secret);
  expect(object).toEqual({
    ...secret,
    metadata: { name: 'a', annotations: { note: 'x', [lastApplied]: '(hidden)' } },
    data: { user: '(hidden)', ['__proto__']: '(hidden)' },
    stringData: { password: '(hidden)' },
  });
  expect(hidden).toEqual([
    `metadata.annotations["${lastApplied}"]`,
    'data.user',
    'data.__proto__',
    'stringData.password',
  ]);
  expect(secret.stringData.password).toBe('geheim');
});

it('what a transform has made of a Secret is hidden too', () => {
  expect(withoutValues('geheim')).toEqual({ object: '(hidden)', hidden: [''] });
  expect(withoutValues(['geheim'])).toEqual({ object: '(hidden)', hidden: [''] });
  expect(withoutValues({ password: 'geheim', parts: { a: 1 } })).toEqual({
    object: { password: '(hidden)', parts: { a: '(hidden)' } },
    hidden: ['password', 'parts.a'],
  });
});
