import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../../../test/apiserver/memory-client.js';
import { startWorld, type TestWorld } from '../../../../../test/apiserver/test-world.js';

let world: TestWorld;
afterEach(() => world.stop());

const PODS = '/api/v1/namespaces/default/pods';
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const ONCE = `${JOBS}/once`;

const job = (spec: object = {}, restartPolicy = 'Never'): Doc => ({
  metadata: { name: 'once' },
  spec: { template: { spec: { restartPolicy, containers: [{ name: 'app', image: 'app:1' }] } }, ...spec },
});

const conditionsOf = ({ status }: Doc): string[] =>
  (status.conditions ?? []).map((one: Doc) => `${one.type}=${one.status}:${one.reason ?? ''}`);

describe('a Job', () => {
  it('is complete when its pod has succeeded', async () => {
    world = await startWorld();
    await world.create(JOBS, job());
    await world.settle(1000);
    expect((await world.get(ONCE)).status).toMatchObject({ active: 1, ready: 1, terminating: 0 });
    await world.settle(1000);
    const { status } = await world.get(ONCE);
    expect(status).toMatchObject({ succeeded: 1, ready: 0, uncountedTerminatedPods: {} });
    expect(status).not.toHaveProperty('active');
    expect(Date.parse(status.completionTime) - Date.parse(status.startTime)).toBe(2000);
    expect(conditionsOf({ status })).toEqual([
      'SuccessCriteriaMet=True:CompletionsReached',
      'Complete=True:CompletionsReached',
    ]);
    const [pod] = await world.list(PODS);
    expect(pod.status.phase).toBe('Succeeded');
    expect(pod.metadata.finalizers).toBeUndefined();
    expect(pod.metadata.labels).toMatchObject({ 'job-name': 'once', 'batch.kubernetes.io/job-name': 'once' });
  });

  it('runs at most parallelism pods at once until it has its completions', async () => {
    world = await startWorld();
    await world.create(JOBS, job({ completions: 5, parallelism: 2 }));
    const active: number[] = [];
    for (let second = 0; second < 8; second++) {
      active.push((await world.get(ONCE)).status.active ?? 0);
      await world.settle(1000);
    }
    expect(Math.max(...active)).toBe(2);
    expect((await world.get(ONCE)).status.succeeded).toBe(5);
    expect(await world.list(PODS)).toHaveLength(5);
  });

  it('that is indexed gives each pod its index', async () => {
    world = await startWorld();
    await world.create(JOBS, job({ completions: 3, parallelism: 3, completionMode: 'Indexed' }));
    await world.settle(2000);
    const { status } = await world.get(ONCE);
    expect(status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    const pods = await world.list(PODS);
    const key = 'batch.kubernetes.io/job-completion-index';
    expect(pods.map(({ metadata }) => metadata.annotations[key])).toEqual(['0', '1', '2']);
    expect(pods.map(({ spec }) => spec.hostname)).toEqual(['once-0', 'once-1', 'once-2']);
    expect(pods[1].metadata.name).toMatch(/^once-1-[a-z0-9]{5}$/);
  });

  it('replaces failed pods with growing delays, and fails beyond its backoffLimit', async () => {
    world = await startWorld({ failures: [{ fails: 'crash', exitCode: 3 }] });
    await world.create(JOBS, job({ backoffLimit: 2 }));
    await world.settle(1000);
    expect((await world.get(ONCE)).status.failed).toBe(1);
    await world.settle(9000);
    expect(await world.list(PODS)).toHaveLength(1);
    await world.settle(2000);
    expect((await world.get(ONCE)).status.failed).toBe(2);
    await world.settle(22_000);
    const failed = await world.get(ONCE);
    expect(failed.status.failed).toBe(3);
    expect(conditionsOf(failed)).toEqual([
      'FailureTarget=True:BackoffLimitExceeded',
      'Failed=True:BackoffLimitExceeded',
    ]);
    const [pod] = await world.list(PODS);
    expect(pod.status.containerStatuses[0].state.terminated.exitCode).toBe(3);
  });

  it('of restartPolicy OnFailure restarts its container, and succeeds once that does', async () => {
    world = await startWorld({ failures: [{ fails: 'crash', starts: 1 }] });
    await world.create(JOBS, job({}, 'OnFailure'));
    await world.settle(3000);
    const [pod] = await world.list(PODS);
    expect(pod.status.containerStatuses[0]).toMatchObject({ restartCount: 1, state: { terminated: { exitCode: 0 } } });
    expect((await world.get(ONCE)).status.succeeded).toBe(1);
  });

  it('fails after activeDeadlineSeconds and deletes its pods', async () => {
    world = await startWorld({ finishAfterMs: 3_600_000 });
    await world.create(JOBS, job({ activeDeadlineSeconds: 30 }));
    await world.settle(31_000);
    expect(conditionsOf(await world.get(ONCE))).toContain('Failed=True:DeadlineExceeded');
    expect(await world.list(PODS)).toEqual([]);
  });

  it('that is suspended has no pods until it is resumed', async () => {
    world = await startWorld();
    await world.create(JOBS, job({ suspend: true }));
    await world.settle(5000);
    const suspended = await world.get(ONCE);
    expect(conditionsOf(suspended)).toEqual(['Suspended=True:JobSuspended']);
    expect(suspended.status.startTime).toBeUndefined();
    await world.patch(ONCE, { spec: { suspend: false } });
    await world.settle(500);
    await world.patch(ONCE, { spec: { suspend: true } });
    await world.settle(1000);
    expect(await world.list(PODS)).toEqual([]);
    await world.patch(ONCE, { spec: { suspend: false } });
    await world.settle(2000);
    expect(conditionsOf(await world.get(ONCE))).toEqual([
      'Suspended=False:JobResumed',
      'SuccessCriteriaMet=True:CompletionsReached',
      'Complete=True:CompletionsReached',
    ]);
  });

  it('is deleted with its pods after ttlSecondsAfterFinished', async () => {
    world = await startWorld();
    await world.create(JOBS, job({ ttlSecondsAfterFinished: 60 }));
    await world.settle(61_000);
    expect(await world.list(JOBS)).toHaveLength(1);
    await world.settle(2000);
    expect([...(await world.list(JOBS)), ...(await world.list(PODS))]).toEqual([]);
  });

  it('leaves no pod behind when it is deleted while it runs', async () => {
    world = await startWorld();
    await world.create(JOBS, job({ completions: 4, parallelism: 4 }));
    await world.settle(1500);
    await world.delete(ONCE, { propagationPolicy: 'Background' });
    await world.settle(1000);
    expect(await world.list(PODS)).toEqual([]);
  });
});
