import { beforeEach, describe, expect, it } from 'vitest';
import { type CommandRig, commandRig } from '../../../test/support/command-rig.js';

const containers = [{ name: 'app', image: 'app:1' }];
const pod = (name: string, app: string) => ({ metadata: { name, labels: { app } }, spec: { containers } });

let rig: CommandRig;
beforeEach(async () => {
  rig = await commandRig();
  await rig.client.core.v1.pods('default').create(pod('web', 'web'));
  await ready('web');
});

function ready(name: string) {
  const at = { lastProbeTime: null, lastTransitionTime: null } as object;
  return rig.client.core.v1.pods('default').patchStatus(name, {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', ...at }],
  });
}

const wait = (...args: string[]) => rig.run('wait', ...args);

describe('kubeflect wait', () => {
  it.each([
    [['pod/web', '--for=condition=Ready'], 'pod/web condition met\n'],
    [['po', 'web', '--for', 'condition=ready=true'], 'pod/web condition met\n'],
    [['pods/web', '--for=jsonpath={.status.phase}=Running', '-n', 'default'], 'pod/web condition met\n'],
    [['pods/web', "--for=jsonpath='{.status.phase}'=Running"], 'pod/web condition met\n'],
    [['pods/web', '--for=jsonpath={.status.conditions[?(@.type=="Ready")].status}=True'], 'pod/web condition met\n'],
    [['pods/web', '--for=jsonpath=.metadata.name'], 'pod/web condition met\n'],
    [['pod/web', '--for=create'], 'pod/web condition met\n'],
    [['pod/gone', 'deployments.apps/gone', '--for=delete'], 'pod/gone deleted\ndeployment.apps/gone deleted\n'],
    [['ns/default', '--for=jsonpath={.status.phase}=Active'], 'namespace/default condition met\n'],
    [['pods', '-l', 'app=none', '--for=delete'], ''],
  ])('%j', async (args, expected) => {
    expect(await wait(...args)).toEqual({ code: 0, output: expected, errors: '' });
  });

  it('waits for a rollout', async () => {
    const labels = { app: 'api' };
    const deployments = rig.client.apps.v1.deployments('default');
    await deployments.create({
      metadata: { name: 'api' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    const waiting = rig.start(['wait', 'deploy/api', '--for=rollout', '--timeout=5m']);
    await rig.clock.advance(1000);
    const one = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 };
    await deployments.patchStatus('api', one);
    expect(await waiting.ended()).toEqual({ code: 0, output: 'deployment.apps/api rolled out\n', errors: '' });
  });

  it('waits for the objects that a selector selects, of several resources', async () => {
    await rig.client.core.v1.pods('default').create(pod('web-2', 'web'));
    await rig.client.core.v1.pods('default').create(pod('other', 'other'));
    const waiting = rig.start(['wait', 'pods', '-l', 'app=web', '--for=condition=Ready']);
    await rig.clock.advance(1000);
    expect([waiting.output, waiting.code]).toEqual(['pod/web condition met\n', undefined]);
    await ready('web-2');
    const met = 'pod/web condition met\npod/web-2 condition met\n';
    expect(await waiting.ended()).toEqual({ code: 0, output: met, errors: '' });
    const both = await wait('pods,namespaces', '--all', '-A', '--for=create');
    expect(both.output).toContain('pod/other condition met\n');
    expect(both.output).toContain('namespace/kube-system condition met\n');
  });

  it('waits for the first object that a selector selects, with --for=create', async () => {
    const waiting = rig.start(['wait', 'pods', '-l', 'app=new', '--for=create', '--timeout=5m']);
    await rig.clock.advance(60_000);
    expect(waiting.code).toBeUndefined();
    await rig.client.core.v1.pods('default').create(pod('new-1', 'new'));
    expect(await waiting.ended()).toEqual({ code: 0, output: 'pod/new-1 condition met\n', errors: '' });
    const late = await wait('pods', '-l', 'app=newer', '--for=create', '--timeout=10s');
    expect(late).toEqual({
      code: 1,
      output: '',
      errors: 'kubeflect wait: timed out waiting for pods: no object matches\n',
    });
  });

  it('says what each object lacks when the time is over, and 0 looks once', async () => {
    const { code, output, errors } = await wait('pod/web', 'pod/other', '--for=jsonpath={.spec.x}', '--timeout=0');
    expect([code, output]).toEqual([1, '']);
    expect(errors).toBe(
      'kubeflect wait: timed out waiting for pod/web: it has nothing at .spec.x\n' +
        'kubeflect wait: timed out waiting for pod/other: it does not exist\n',
    );
    const late = await wait('pod/web', '--for=delete', '--timeout=10ms');
    expect(late.errors).toBe('kubeflect wait: timed out waiting for pod/web: it exists\n');
  });

  it.each([
    [['--for=create'], 'which object?'],
    [['pod/web'], '--for is missing'],
    [['pod', '--for=create'], "'pod' must be RESOURCE/NAME"],
    [['pod/a/b', '--for=create'], "'pod/a/b' is neither a resource nor RESOURCE/NAME"],
    [['pod/web', '--for=ready'], '--for must be condition=NAME'],
    [['pod/web', '--for=jsonpath={.a[}'], '--for=jsonpath: '],
    [['pod/web', '--for=create', '--timeout=soon'], '--timeout must be a time such as 30s or 5m'],
    [['pod/web', '--for=create', '-n', 'a/b'], '--namespace must be the name of a namespace'],
    [['pod/web', '--for=create', '-l', 'app'], 'they go with resources, not with names'],
    [['pod/web', '--for=create', '-A'], '--all-namespaces goes with -l'],
    [['pods', 'web', 'ns/default', '--for=create'], "'pods' must be RESOURCE/NAME, as the other arguments"],
  ])('refuses %j', async (args, message) => {
    const { code, errors } = await wait(...args);
    expect([code, errors]).toEqual([2, expect.stringContaining(message)]);
  });

  it('fails for an unknown resource, and for a selector that selects nothing', async () => {
    const { code, errors } = await wait('gizmos/a', '--for=create');
    expect([code, errors]).toEqual([1, expect.stringContaining('the server has no resource for "gizmos"')]);
    const none = await wait('pods', '-l', 'app=none', '--for=condition=Ready');
    expect(none).toMatchObject({ code: 1, errors: expect.stringContaining('there are no pods that match') });
  });
});
