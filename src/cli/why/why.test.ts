import { describe, expect, it } from 'vitest';
import { type CommandRig, commandRig } from '../../../test/support/command-rig.js';
import { podOf } from '../../../test/support/pod-rig.js';
import type { Unstructured } from '../../meta/objects.js';
import { problemOf } from './problem.js';

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
const now = Date.UTC(2026, 0, 1, 1);
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString();

const crashing = {
  phase: 'Running',
  conditions: [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Ready', status: 'False', reason: 'ContainersNotReady', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ],
  containerStatuses: [
    {
      name: 'app',
      ready: false,
      restartCount: 7,
      image: 'app:1',
      imageID: '',
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s' } },
      lastState: { terminated: { exitCode: 1, reason: 'Error', finishedAt: '2026-01-01T00:00:00Z' } },
    },
  ],
};

describe('what is wrong with an object', () => {
  const of = (kind: string, rest: object, metadata: object = {}) =>
    problemOf(
      { apiVersion: 'v1', kind, metadata: { name: 'a', ...metadata }, ...rest } as unknown as Unstructured,
      now,
    );
  const pod = (status: object, spec: object = { nodeName: 'n' }) => of('Pod', { spec, status });
  const container = (state: object, more: object = {}) => ({
    phase: 'Running',
    containerStatuses: [{ name: 'app', ready: false, restartCount: 0, state, ...more }],
  });

  it.each<[string, string | undefined, string | undefined]>([
    [
      'a pod that runs',
      pod({ phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] }),
      undefined,
    ],
    ['a pod that has completed', pod({ phase: 'Succeeded' }), undefined],
    ['a pod without a node', pod({ phase: 'Pending' }, {}), 'it waits for a node: is the scheduler running?'],
    [
      'a pod that no node takes',
      pod(
        { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }] },
        {},
      ),
      'no node takes it: Unschedulable: 0/3 nodes',
    ],
    ['a pod that starts', pod({ phase: 'Pending' }), 'its node has not started it yet'],
    [
      'a container that is created',
      pod(container({ waiting: { reason: 'ContainerCreating' } })),
      'container app is being created',
    ],
    [
      'an image that is not there',
      pod(container({ waiting: { reason: 'ImagePullBackOff', message: 'no such image\nmore' } })),
      'container app waits: ImagePullBackOff: no such image',
    ],
    [
      'a container that crashes',
      pod(
        container(
          { waiting: { reason: 'CrashLoopBackOff' } },
          { restartCount: 3, lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: ago(12) } } },
        ),
      ),
      'container app waits: CrashLoopBackOff; it ended 12s ago with exit code 137 (OOMKilled), 3 restarts',
    ],
    [
      'a container that is not ready',
      pod(container({ running: { startedAt: ago(300) } })),
      'container app runs for 5m, but is not ready',
    ],
    [
      'a pod that has failed',
      pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' }),
      'it has failed: Evicted: The node was low on memory.',
    ],
    [
      'a deployment whose pods are refused',
      of('Deployment', {
        status: { conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'quota' }] },
      }),
      'ReplicaFailure: FailedCreate: quota',
    ],
    [
      'a deployment that rolls out',
      of('Deployment', { spec: { replicas: 3 }, status: { updatedReplicas: 3, replicas: 3, availableReplicas: 1 } }),
      '1 of 3 replicas are available',
    ],
    [
      'a replica set',
      of('ReplicaSet', { spec: { replicas: 2 }, status: { readyReplicas: 1 } }),
      '1 of 2 replicas are ready',
    ],
    [
      'a claim',
      of('PersistentVolumeClaim', { status: { phase: 'Pending' } }),
      expect.stringContaining('no volume is bound'),
    ],
    [
      'a node',
      of('Node', { status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] } }),
      'Ready is Unknown: NodeStatusUnknown',
    ],
    [
      'pressure',
      of('Node', { status: { conditions: [{ type: 'DiskPressure', status: 'True' }] } }),
      'DiskPressure is True',
    ],
    ['no pressure', of('Node', { status: { conditions: [{ type: 'DiskPressure', status: 'False' }] } }), undefined],
    [
      'a custom resource',
      of('Certificate', { status: { conditions: [{ type: 'Ready', status: 'False', message: 'no issuer' }] } }),
      'Ready is False: no issuer',
    ],
    [
      'an idle controller',
      of('Widget', { status: { observedGeneration: 1 } }, { generation: 2 }),
      'its controller has seen generation 1, and it has 2: is the controller running?',
    ],
    [
      'a deletion',
      of('ConfigMap', {}, { deletionTimestamp: ago(90), finalizers: ['example.com/a', 'b'] }),
      'it is being deleted for 90s, and waits for its finalizers: example.com/a, b',
    ],
    ['anything else', of('ConfigMap', { data: {}, status: 'odd' }), undefined],
  ])('%s', (_, problem, expected) => expect(problem).toEqual(expected));
});

describe('kubeflect why', () => {
  /** Fields of an object that was not created by a request have no managers. */
  const createPod = (rig: CommandRig) => rig.client.core.v1.pods('default').create(podOf('one'));
  const text = (output: string) => output.replace(/ +/g, ' ');

  it('says what is wrong with a pod, and shows what is known', async () => {
    const rig = await commandRig();
    await createPod(rig);
    await rig.client.core.v1.pods('default').patchStatus('one', crashing as object);
    await rig.client.core.v1.events('default').create({
      metadata: { name: 'one.1' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'one' },
      type: 'Warning',
      reason: 'BackOff',
      message: 'Back-off\u001b[2J restarting',
      count: 4,
      source: { component: 'kubelet' },
      lastTimestamp: '2026-01-01T00:00:00Z',
    });
    await rig.clock.advance(10_000);
    await rig.client.core.v1
      .pods('default')
      .patch('one', { metadata: { labels: { a: 'b' } } }, { fieldManager: 'jane' });
    await rig.clock.advance(60_000);
    const { code, output, errors } = await rig.run('why', 'pods/one');
    expect([code, errors]).toEqual([1, '']);
    const [first, ...rest] = text(output).split('\n');
    expect(first).toBe(
      'pod/one: container app waits: CrashLoopBackOff: back-off 40s; it ended 70s ago with exit code 1 (Error), 7 restarts',
    );
    expect(rest.join('\n')).toContain(
      'CONDITIONS\n TYPE STATUS SINCE REASON\n PodScheduled True\n Ready False 70s ContainersNotReady\n',
    );
    expect(rest.join('\n')).toContain(
      'CONTAINERS\n NAME READY RESTARTS STATE BEFORE IMAGE\n' +
        ' app false 7 waits: CrashLoopBackOff: back-off 40s ended 70s ago with exit code 1 (Error) app:1\n',
    );
    expect(rest.join('\n')).toMatch(
      /LAST WRITES\n AGO MANAGER HOW FIELDS\n 60s jane Update metadata.labels\n 70s \S+ Update spec.containers, /,
    );
    expect(rest.join('\n')).toContain(
      'EVENTS\n AGO TYPE REASON COUNT FROM MESSAGE\n 70s Warning BackOff 4 kubelet Back-off\\u001b[2J restarting\n',
    );
  });

  it('explains a workload by its pods, and tells who owns a pod', async () => {
    const rig = await commandRig({ workloads: true, seed: 1 });
    await rig.client.apps.v1.deployments('default').create({
      metadata: { name: 'web' },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
    await rig.clock.advance(60_000);
    const fine = await rig.run('why', 'deploy/web');
    expect(fine).toMatchObject({ code: 0, errors: '' });
    expect(fine.output).toMatch(/^deployment\.apps\/web: nothing is wrong that its status shows: 1\/1 ready\n/);
    expect(text(fine.output)).toMatch(/PODS\n NAME STATUS AGE PROBLEM\n web-\S+ Running 1\/1 60s\n/);
    const [pod] = (await rig.client.core.v1.pods('default').list()).items;
    const own = await rig.run('why', `pod/${pod?.metadata.name}`);
    expect(own.output).toMatch(/\nowned by replicaset\.apps\/web-\w+, owned by deployment\.apps\/web\n/);
  });

  it('says that a service selects no pods', async () => {
    const rig = await commandRig();
    await rig.client.core.v1.services('default').create({
      metadata: { name: 'web' },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    const { code, output } = await rig.run('why', 'svc/web');
    expect([code, output]).toEqual([1, expect.stringMatching(/^service\/web: its selector selects no pods\n/)]);
  });

  it('-w shows each change, its writer, each event, and what is wrong now', async () => {
    const rig = await commandRig();
    await createPod(rig);
    const running = rig.start(['why', 'pods/one', '-w']);
    await running.seen(/watching for changes/);
    await rig.clock.advance(1000);
    const pods = rig.client.core.v1.pods('default');
    await pods.patchStatus('one', crashing as object, { fieldManager: 'kubelet' });
    await running.seen(/update by/);
    await rig.client.core.v1.events('default').create({
      metadata: { name: 'one.1' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'one' },
      type: 'Normal',
      reason: 'Pulled',
      message: 'image is here',
    });
    await running.seen(/event/);
    await pods.delete('one', { gracePeriodSeconds: 0 });
    await running.seen(/it is gone/);
    const { code, output, errors } = await running.interrupt();
    expect([code, errors]).toEqual([0, '']);
    expect(output).toMatch(/^00:00:01 {2}update by kubelet \(status\) {2}.*status\.phase Pending → Running/m);
    expect(output).toMatch(/^00:00:01 {2}container app waits: CrashLoopBackOff/m);
    expect(output).toMatch(/^00:00:01 {2}event {2}Normal Pulled from unknown: image is here$/m);
    expect(output).toMatch(/^00:00:01 {2}deleted$/m);
  });

  it.each([
    [[], 2, 'which object? For instance: kubeflect why pods/web-0'],
    [['pods'], 2, 'one object is needed'],
    [['pods/none'], 1, 'pods "none" not found'],
  ])('refuses %j', async (args, expected, message) => {
    const rig = await commandRig();
    const { code, errors } = await rig.run('why', ...args);
    expect([code, errors]).toEqual([expected, expect.stringContaining(message)]);
  });
});
