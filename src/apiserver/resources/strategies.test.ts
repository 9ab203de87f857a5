import { describe, expect, it } from 'vitest';
import { builtinResources } from '../../resources/catalogue.js';
import { finish, type Steps } from '../../time/steps.js';
import { strategyKeys, strategyOf } from './strategies.js';

describe('strategies', () => {
  it('are those of resources that exist', () => {
    const known = new Set(
      builtinResources.map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`)),
    );
    expect(strategyKeys.filter((key) => !known.has(key))).toEqual([]);
  });

  const grace = strategyOf('', 'pods').gracePeriod!;

  it.each([
    ['a pod that was never placed goes at once', { spec: {} }, 60, 0],
    ['a finished pod goes at once', { spec: { nodeName: 'n' }, status: { phase: 'Succeeded' } }, undefined, 0],
    ['a running pod has half a minute', { spec: { nodeName: 'n' } }, undefined, 30],
    ['a running pod has what it says', { spec: { nodeName: 'n', terminationGracePeriodSeconds: 5 } }, undefined, 5],
    ['a running pod has what is asked for', { spec: { nodeName: 'n' } }, 7, 7],
    ['a negative time is a second', { spec: { nodeName: 'n', terminationGracePeriodSeconds: -1 } }, undefined, 1],
  ])('%s', (_what, pod, asked, expected) => {
    expect(grace(pod, asked)).toBe(expected);
  });

  it.each([
    ['BestEffort', [{ name: 'a' }]],
    ['Burstable', [{ name: 'a', resources: { requests: { cpu: '1' } } }]],
    ['Burstable', [{ name: 'a', resources: { limits: { cpu: '1', memory: '1' } } }, { name: 'b' }]],
    ['Guaranteed', [{ name: 'a', resources: { limits: { cpu: '1', memory: '1' } } }]],
  ])('a pod is %s by what its containers ask for (%#)', (expected, containers) => {
    const pod: Record<string, unknown> = { metadata: {}, spec: { containers } };
    const { defaults, prepareCreate } = strategyOf('', 'pods');
    finish(defaults(pod) as Steps<void>);
    prepareCreate(pod);
    expect(pod['status']).toEqual({ phase: 'Pending', qosClass: expected });
  });

  it('move stringData of a Secret into data', () => {
    const secret = { data: { a: 'YQ==' }, stringData: { b: 'ü' } };
    strategyOf('', 'secrets').defaults(secret);
    expect(secret).toEqual({ type: 'Opaque', data: { a: 'YQ==', b: Buffer.from('ü').toString('base64') } });
  });
});
