import { describe, expect, it } from 'vitest';
import { ConditionImpossibleError } from '../../client/wait/conditions.js';
import type { CustomResourceDefinition } from '../../resources/types/apiextensions-v1.js';
import type { Deployment } from '../../resources/types/apps-v1.js';
import type { Pod } from '../../resources/types/core-v1.js';
import { absent, crdEstablished, deleted, deploymentAvailable, hasCondition, podReady } from './wait-conditions.js';

const metadata = { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
const modified = <T>(object: unknown) => ({ type: 'MODIFIED', object: object as T }) as const;
const gone = <T>(object: unknown) => ({ type: 'DELETED', object: object as T }) as const;
const withCondition = (type: string, status: string, more = {}) => ({
  metadata,
  status: { conditions: [{ type, status }], ...more },
});

describe('conditions to wait for', () => {
  it('podReady holds when the condition Ready is True', () => {
    expect(podReady(modified<Pod>({ metadata }))).toBe(false);
    expect(podReady(modified<Pod>(withCondition('Ready', 'False')))).toBe(false);
    expect(podReady(modified<Pod>(withCondition('Ready', 'True')))).toBe(true);
  });

  it('podReady throws for a pod that was deleted, Succeeded or Failed', () => {
    expect(() => podReady(gone<Pod>(withCondition('Ready', 'True')))).toThrow(ConditionImpossibleError);
    expect(() => podReady(modified<Pod>(withCondition('Ready', 'True', { phase: 'Failed' })))).toThrow(
      'the pod default/web will not be ready: it has ended, and failed',
    );
  });

  it('deploymentAvailable holds when Available is True for the newest generation', () => {
    const deployment = (generation: number, observedGeneration: number) =>
      modified<Deployment>({
        ...withCondition('Available', 'True', { observedGeneration }),
        metadata: { ...metadata, generation },
      });
    expect(deploymentAvailable(deployment(2, 1))).toBe(false);
    expect(deploymentAvailable(deployment(2, 2))).toBe(true);
    expect(() => deploymentAvailable(gone<Deployment>({ metadata }))).toThrow(
      'default/web will not have the condition Available: it was deleted',
    );
  });

  it('crdEstablished holds when the condition Established is True', () => {
    expect(crdEstablished(modified<CustomResourceDefinition>(withCondition('NamesAccepted', 'True')))).toBe(false);
    expect(crdEstablished(modified<CustomResourceDefinition>(withCondition('Established', 'True')))).toBe(true);
  });

  it('deleted holds for a DELETED event, absent for an empty store', () => {
    expect(deleted(modified({ metadata }))).toBe(false);
    expect(deleted(gone({ metadata }))).toBe(true);
    expect(absent({ size: 0 } as never)).toBe(true);
    expect(absent({ size: 1 } as never)).toBe(false);
  });

  it('hasCondition takes a status other than True', () => {
    expect(hasCondition('Ready', 'False')(modified(withCondition('Ready', 'False')))).toBe(true);
    expect(() => hasCondition('')).toThrow('type must be a string that is not empty');
  });
});
