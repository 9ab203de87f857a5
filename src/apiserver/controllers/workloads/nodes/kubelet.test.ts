import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../../../test/apiserver/memory-client.js';
import { startWorld, type TestWorld, template } from '../../../../../test/apiserver/test-world.js';

let world: TestWorld;
afterEach(() => world.stop());

const PODS = '/api/v1/namespaces/default/pods';
const ONE = `${PODS}/one`;

const pod = (spec: object = {}): Doc => ({
  metadata: { name: 'one', labels: { app: 'one' } },
  spec: { ...template('one').spec, ...spec },
});

/** Phase, readiness and the state of the first container. */
async function look(): Promise<string> {
  const { status } = await world.get(ONE);
  const [container] = status.containerStatuses ?? [{ state: {} }];
  const [state] = Object.keys(container.state);
  const reason = container.state[state!]?.reason ?? '';
  return `${status.phase} ${state}${reason === '' ? '' : `:${reason}`} ready=${container.ready} restarts=${container.restartCount}`;
}

describe('a pod', () => {
  it('goes from Pending over ContainerCreating to Running and Ready', async () => {
    world = await startWorld();
    const { events } = world.client.watch(`${PODS}?watch=1`);
    await world.create(PODS, pod());
    expect(await look()).toBe('Pending waiting:ContainerCreating ready=false restarts=0');
    await world.settle(1000);
    expect(await look()).toBe('Running running ready=true restarts=0');
    const { status } = await world.get(ONE);
    expect(status).toMatchObject({ podIP: '10.244.0.1', hostIP: '192.168.0.1', startTime: '2026-01-01T00:00:00Z' });
    expect(status.conditions.map((one: Doc) => `${one.type}=${one.status}`)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'MODIFIED', 'MODIFIED']);
    const told = await world.list('/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=one');
    expect(told.map(({ reason }) => reason).sort()).toEqual(['Created', 'Pulled', 'Scheduled', 'Started']);
  });

  it('becomes ready only after the initial delay of its probe', async () => {
    world = await startWorld();
    const readinessProbe = { tcpSocket: { port: 80 }, initialDelaySeconds: 10 };
    await world.create(PODS, pod({ containers: [{ name: 'app', image: 'app:1', readinessProbe }] }));
    await world.settle(10_999);
    expect(await look()).toBe('Running running ready=false restarts=0');
    await world.settle(1);
    expect(await look()).toBe('Running running ready=true restarts=0');
  });

  it('that crashes is restarted at once, then after 10, 20 and 40 seconds', async () => {
    world = await startWorld({ failures: [{ fails: 'crash', exitCode: 9 }] });
    await world.create(PODS, pod());
    await world.settle(1000);
    expect(await look()).toBe('Running waiting:CrashLoopBackOff ready=false restarts=1');
    const { status } = await world.get(ONE);
    expect(status.containerStatuses[0].state.waiting.message).toMatch(
      /^back-off 10s restarting failed container=app pod=one_default\(/,
    );
    expect(status.containerStatuses[0].lastState.terminated).toMatchObject({ exitCode: 9, reason: 'Error' });
    for (const [wait, restarts] of [
      [10_000, 2],
      [20_000, 3],
      [40_000, 4],
    ] as const) {
      await world.settle(wait - 1);
      expect(await look()).toBe(`Running waiting:CrashLoopBackOff ready=false restarts=${restarts - 1}`);
      await world.settle(1);
      expect(await look()).toBe(`Running waiting:CrashLoopBackOff ready=false restarts=${restarts}`);
    }
  });

  it('crashes on request, and recovers', async () => {
    world = await startWorld();
    await world.create(PODS, pod());
    expect(() => world.api.workloads!.crash('default', 'one')).toThrow(
      'the pod default/one has no container that is running',
    );
    await world.settle(1000);
    world.api.workloads!.crash('default', 'one', { exitCode: 137 });
    await world.settle();
    expect(await look()).toBe('Running running ready=true restarts=1');
    expect((await world.get(ONE)).status.containerStatuses[0].lastState.terminated.exitCode).toBe(137);
  });

  it('whose image cannot be pulled waits until it can', async () => {
    world = await startWorld();
    const recover = world.api.workloads!.fail({ fails: 'imagePull', namespace: 'default' });
    await world.create(PODS, pod());
    await world.settle(1000);
    expect(await look()).toBe('Pending waiting:ImagePullBackOff ready=false restarts=0');
    recover();
    await world.settle(10_000);
    expect(await look()).toBe('Running running ready=true restarts=0');
  });

  it('runs its init containers first', async () => {
    world = await startWorld({ failures: [{ fails: 'crash', container: 'setup', starts: 1 }] });
    const initContainers = [
      { name: 'setup', image: 'setup:1' },
      { name: 'sidecar', image: 'side:1', restartPolicy: 'Always' },
    ];
    await world.create(PODS, pod({ initContainers }));
    await world.settle(1000);
    const { status } = await world.get(ONE);
    expect(status.initContainerStatuses).toMatchObject([
      { name: 'setup', ready: true, restartCount: 1, state: { terminated: { reason: 'Completed' } } },
      { name: 'sidecar', ready: true, state: { running: {} } },
    ]);
    expect(await look()).toBe('Running running ready=true restarts=0');
  });

  it('of restartPolicy Never ends with its containers', async () => {
    world = await startWorld({ finishAfterMs: 5000 });
    await world.create(PODS, pod({ restartPolicy: 'Never' }));
    await world.settle(6000);
    expect(await look()).toBe('Succeeded terminated:Completed ready=false restarts=0');
  });

  it.each([
    ['ends after the delay of the options', {}, 3000],
    ['that ignores the signal ends with its grace period', { failures: [{ fails: 'termination' as const }] }, 30_000],
  ])('that is deleted %s', async (_what, options, ms) => {
    world = await startWorld({ stopAfterMs: 3000, ...options });
    await world.create(PODS, pod());
    await world.settle(1000);
    await world.delete(ONE);
    await world.settle(ms - 1);
    expect((await world.get(ONE)).metadata.deletionTimestamp).toBeDefined();
    await world.settle(1);
    expect((await world.client.get(ONE)).status).toBe(404);
  });

  it('with a finalizer shows how it ended, and stays', async () => {
    world = await startWorld();
    await world.create(PODS, { ...pod(), metadata: { name: 'one', finalizers: ['example.com/hold'] } });
    await world.settle(1000);
    await world.delete(ONE);
    expect(await look()).toBe('Failed terminated:Error ready=false restarts=0');
    await world.patch(ONE, { metadata: { finalizers: null } });
    expect((await world.client.get(ONE)).status).toBe(404);
  });

  it('has the log of its starts', async () => {
    world = await startWorld({ failures: [{ fails: 'crash', starts: 1, exitCode: 2 }] });
    await world.create(PODS, pod());
    expect((await world.client.get(`${ONE}/log`)).json).toMatchObject({
      code: 400,
      message: 'container "app" in pod "one" is waiting to start: ContainerCreating',
    });
    await world.settle(1000);
    expect((await world.client.get(`${ONE}/log`)).json).toBe('app (app:1) started, restart 1\n');
    expect((await world.client.get(`${ONE}/log?previous=true`)).json).toBe(
      'app (app:1) started\napp ended with exit code 2\n',
    );
    const follow = world.client.get(`${ONE}/log?follow=true`);
    await world.settle();
    world.api.workloads!.crash('default', 'one', { exitCode: 5 });
    await world.settle();
    expect((await follow).json).toBe('app (app:1) started, restart 1\napp ended with exit code 5\n');
  });
});
