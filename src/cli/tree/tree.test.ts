import { expect, it } from 'vitest';
import { commandRig } from '../../../test/support/command-rig.js';

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };

const reference = (kind: string, name: string, uid: string) => ({ apiVersion: 'v1', kind, name, uid });

it('shows the owners of an object, and all that it owns', async () => {
  const rig = await commandRig({ workloads: true, seed: 1 });
  await rig.client.apps.v1.deployments('default').create({
    metadata: { name: 'web' },
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  });
  await rig.clock.advance(60_000);
  const whole = await rig.run('tree', 'deploy/web');
  expect(whole).toMatchObject({ code: 0, errors: '' });
  const shown = whole.output.replace(/web-\w+-\w+/g, 'web-T-P').replace(/web-(?!T-P)\w+/g, 'web-T');
  expect(shown.replace(/ +/g, ' ')).toBe(
    'NAME READY STATUS AGE\n' +
      'deployment.apps/web 2/2 60s\n' +
      '└─replicaset.apps/web-T 2/2 60s\n' +
      ' ├─pod/web-T-P 1/1 Running 60s\n' +
      ' └─pod/web-T-P 1/1 Running 60s\n',
  );
  const pod = /pod\/(\S+)/.exec(whole.output)?.[1] as string;
  const one = await rig.run('tree', 'pods', pod);
  expect(
    one.output
      .replace(/ +/g, ' ')
      .replace(/web-\w+-\w+/g, 'web-T-P')
      .replace(/web-(?!T-P)\w+/g, 'web-T'),
  ).toBe(
    'NAME READY STATUS AGE\n' +
      'deployment.apps/web 2/2 60s\n' +
      '└─replicaset.apps/web-T 2/2 60s\n' +
      ' └─pod/web-T-P 1/1 Running 60s\n',
  );
});

it('shows owners that are gone, objects that end, and stops at a ring', async () => {
  const rig = await commandRig({ controllers: ['system-namespaces'] });
  const maps = rig.client.core.v1.configMaps('default');
  const a = await maps.create({ metadata: { name: 'a', finalizers: ['example.com/hold'] } });
  const b = await maps.create({
    metadata: { name: 'b', ownerReferences: [reference('ConfigMap', 'a', a.metadata.uid)] },
  });
  await maps.patch('a', { metadata: { ownerReferences: [reference('ConfigMap', 'b', b.metadata.uid)] } });
  await maps.create({ metadata: { name: 'c', ownerReferences: [reference('ConfigMap', 'a', 'another')] } });
  await maps.create({ metadata: { name: 'd', ownerReferences: [reference('ConfigMap', 'none', 'x')] } });
  await maps.create({ metadata: { name: 'e', ownerReferences: [reference('Gizmo', 'g', 'x')] } });
  await maps.delete('a');
  const lines = async (name: string) => (await rig.run('tree', `cm/${name}`)).output.split('\n').slice(1, -1);
  expect(await lines('c')).toEqual([
    expect.stringMatching(/^configmap\/a +is gone, another object has its name$/),
    expect.stringMatching(/^└─configmap\/c +0s$/),
  ]);
  expect((await lines('d'))[0]).toMatch(/^configmap\/none +is gone$/);
  expect((await lines('e'))[0]).toMatch(/^gizmo\/g +is of a kind that the server does not have$/);
  expect(await lines('b')).toEqual([
    expect.stringMatching(/^configmap\/a +Terminating/),
    expect.stringMatching(/^└─configmap\/b/),
    expect.stringMatching(/^ {2}└─configmap\/a +Terminating/),
  ]);
});

it('names what could not be listed', async () => {
  const rig = await commandRig();
  await rig.client.core.v1.configMaps('default').create({ metadata: { name: 'a' } });
  rig.api.faults.inject({ resource: 'secrets', times: 100, respond: { status: 403, reason: 'Forbidden' } });
  const { code, output, errors } = await rig.run('tree', 'cm/a');
  expect([code, output, errors]).toEqual([
    0,
    expect.stringContaining('configmap/a'),
    'not listed: secrets (forbidden)\n',
  ]);
});

it.each([
  [[], 2, 'which object? For instance: kubeflect tree deployments/web'],
  [['pods'], 2, 'one object is needed'],
  [['pods/a', 'pods/b'], 2, 'one object is needed'],
  [['pods/a'], 1, 'pods "a" not found'],
])('refuses %j', async (args, expected, message) => {
  const rig = await commandRig();
  const { code, errors } = await rig.run('tree', ...args);
  expect([code, errors]).toEqual([expected, expect.stringContaining(message)]);
});
