import { describe, expect, it } from 'vitest';
import { ConditionImpossibleError, conditions } from './conditions.js';

const object = (kind: string, spec: object, status: object | undefined, generation = 2) =>
  ({ kind, metadata: { name: 'web', generation }, spec, status }) as never;

describe('rolledOut', () => {
  it.each([
    ['a new spec', { observedGeneration: 1 }, 'the controller has not observed the newest spec'],
    ['no status', undefined, 'the controller has not observed the newest spec'],
    ['new replicas to come', { updatedReplicas: 1, replicas: 3 }, '1 of 3 replicas have the newest template'],
    ['old replicas', { updatedReplicas: 3, replicas: 5 }, '2 old replicas have not ended'],
    [
      'replicas that are not available',
      { updatedReplicas: 3, replicas: 3, availableReplicas: 2 },
      '2 of 3 replicas are available',
    ],
    ['all replicas', { updatedReplicas: 3, replicas: 3, availableReplicas: 3 }, true],
  ])('judges a Deployment with %s', (_, status, expected) => {
    const given = status && { observedGeneration: 2, ...status };
    expect(conditions.rolledOut(object('Deployment', { replicas: 3 }, given))).toBe(expected);
  });

  it('gives up on a Deployment that exceeded its progress deadline', () => {
    const status = { observedGeneration: 2, conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }] };
    expect(() => conditions.rolledOut(object('Deployment', {}, status))).toThrow(ConditionImpossibleError);
  });

  it.each([
    ['no status', {}, undefined, 'the controller has not observed the newest spec'],
    ['pods that are not ready', {}, { readyReplicas: 2 }, '2 of 3 replicas are ready'],
    [
      'an update that goes on',
      {},
      { readyReplicas: 3, updatedReplicas: 1, updateRevision: 'b', currentRevision: 'a' },
      '1 of 3 replicas have the newest template',
    ],
    ['the newest revision', {}, { readyReplicas: 3, updateRevision: 'b', currentRevision: 'b' }, true],
    [
      'a partition that is not done',
      { rollingUpdate: { partition: 2 } },
      { readyReplicas: 3, updatedReplicas: 0 },
      '0 of 1 replicas above the partition have the newest template',
    ],
    ['a partition that is done', { rollingUpdate: { partition: 2 } }, { readyReplicas: 3, updatedReplicas: 1 }, true],
  ])('judges a StatefulSet with %s', (_, strategy, status, expected) => {
    const spec = { replicas: 3, updateStrategy: { type: 'RollingUpdate', ...strategy } };
    const given = status && { observedGeneration: 2, ...status };
    expect(conditions.rolledOut(object('StatefulSet', spec, given))).toBe(expected);
  });

  it.each([
    ['old pods', { updatedNumberScheduled: 1 }, '1 of 3 pods have the newest template'],
    ['unavailable pods', { updatedNumberScheduled: 3, numberAvailable: 2 }, '2 of 3 pods are available'],
    ['all pods', { updatedNumberScheduled: 3, numberAvailable: 3 }, true],
  ])('judges a DaemonSet with %s', (_, status, expected) => {
    const given = { observedGeneration: 2, desiredNumberScheduled: 3, ...status };
    expect(conditions.rolledOut(object('DaemonSet', {}, given))).toBe(expected);
  });

  it('gives up on the strategy OnDelete, and refuses other kinds', () => {
    for (const kind of ['StatefulSet', 'DaemonSet']) {
      expect(() => conditions.rolledOut(object(kind, { updateStrategy: { type: 'OnDelete' } }, {}))).toThrow(
        `the ${kind} web has the strategy OnDelete`,
      );
    }
    expect(() => conditions.rolledOut(object('Pod', {}, {}))).toThrow(TypeError);
    expect(conditions.rolledOut(undefined)).toBe('it does not exist');
  });
});

describe('Jobs', () => {
  const job = (...types: string[]) =>
    object('Job', {}, { active: 1, conditions: types.map((type) => ({ type, status: 'True', reason: 'Why' })) });

  it('are complete or failed, and then never the other', () => {
    expect(conditions.complete(job())).toBe('its pods: 1 active, 0 succeeded, 0 failed');
    expect(conditions.complete(job('SuccessCriteriaMet', 'Complete'))).toBe(true);
    expect(conditions.failed(job('Failed'))).toBe(true);
    expect(() => conditions.complete(job('Failed'))).toThrow('the Job web will not be Complete: Failed is True (Why)');
    expect(() => conditions.failed(job('Complete'))).toThrow(ConditionImpossibleError);
    expect(conditions.complete(undefined)).toBe('it does not exist');
  });
});

describe('has', () => {
  const withReady = (ready: object, observedGeneration?: number) =>
    object(
      'Pod',
      {},
      {
        observedGeneration,
        conditions: [
          { type: 'Other', status: 'True' },
          { type: 'Ready', ...ready },
        ],
      },
    );

  it('compares type and status without regard to case', () => {
    expect(conditions.has('ready')(withReady({ status: 'True' }))).toBe(true);
    expect(conditions.has('Ready', 'false')(withReady({ status: 'False' }))).toBe(true);
    expect(conditions.has('Ready')(withReady({ status: 'False', reason: 'Crash', message: 'it broke' }))).toBe(
      'its condition Ready is False (Crash: it broke), not True',
    );
    expect(conditions.has('Ready')(object('Pod', {}, { conditions: null }))).toBe('it has no condition Ready');
  });

  it('does not trust a condition of an older generation', () => {
    const outdated = 'the controller has not observed the newest spec';
    expect(conditions.has('Ready')(withReady({ status: 'True' }, 1))).toBe(outdated);
    expect(conditions.has('Ready')(withReady({ status: 'True', observedGeneration: 1 }))).toBe(outdated);
    expect(conditions.has('Ready')(withReady({ status: 'True', observedGeneration: 2 }, 2))).toBe(true);
    expect(() => conditions.has('')).toThrow('type must be a string');
  });
});

it('deleted names the finalizers of an object that is being deleted', () => {
  const at = '2026-01-01T00:00:00Z';
  expect(conditions.deleted(undefined)).toBe(true);
  expect(conditions.deleted({ metadata: {} })).toBe('it exists');
  expect(conditions.deleted({ metadata: { deletionTimestamp: at } })).toBe('it is being deleted');
  expect(conditions.deleted({ metadata: { deletionTimestamp: at, finalizers: ['a/b', 'c/d'] } })).toBe(
    'it is being deleted; finalizers: a/b, c/d',
  );
  expect(conditions.exists(undefined)).toBe('it does not exist');
  expect(conditions.exists({})).toBe(true);
});
