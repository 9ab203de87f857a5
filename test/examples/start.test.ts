import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/server.js';
import { Client } from '../../src/client/client.js';
import { Program } from '../support/program.js';
import { TempFolder } from '../support/temp-folder.js';

/** The Deployment that the demo does not change itself. */
const ownDeployment = { namespace: 'default', name: 'web', replicas: 3 };

const start = (...args: string[]) => new Program(['examples/start.mjs', ...args]);

/** Resolves when this many pods of {@link ownDeployment} run; watches them instead of polling. */
async function untilRunning(client: Client, want: number): Promise<void> {
  const { namespace, name } = ownDeployment;
  const running = new Set<string>();
  for await (const { type, object } of client.core.v1.pods(namespace).watch({ labelSelector: `app=${name}` })) {
    const isRunning = type !== 'DELETED' && object.status?.phase === 'Running' && !object.metadata.deletionTimestamp;
    if (isRunning) running.add(object.metadata.name);
    else running.delete(object.metadata.name);
    if (running.size === want) return;
  }
}

it('npm start runs a cluster and a controller that scales at once, and leaves no file behind', async () => {
  const program = start();
  await program.seen(/^metrics .*\n/m);
  const kubeconfig = /kubectl --kubeconfig (\S+) scale deployment web/.exec(program.stdout)?.[1] as string;
  const [metrics, ready] = (/(http\S+\/metrics), health (\S+)/.exec(program.stdout) ?? []).slice(1) as [string, string];
  const client = await Client.fromKubeconfig({ path: kubeconfig });
  try {
    const { namespace, name, replicas } = ownDeployment;
    const deployments = client.apps.v1.deployments(namespace);
    await untilRunning(client, replicas);
    // The request of kubectl scale.
    await deployments.subresource('scale').patch(name, { spec: { replicas: 5 } });
    await untilRunning(client, 5);
    await deployments.subresource('scale').patch(name, { spec: { replicas: 1 } });
    await untilRunning(client, 1);
    await program.seen(/deployments\.apps default\/web {2}1\/1 ready/);

    const { items: events } = await client.core.v1.events(namespace).list();
    expect(events.map(({ message }) => message)).toContain('scaled from 5 to 1');
    const lease = await client.coordination.v1.leases('default').get('deployment-controller');
    expect(lease.spec?.holderIdentity).toEqual(expect.any(String));
    const inspector = /^inspector +(http:\S+)/m.exec(program.stdout)?.[1] ?? '';
    const { controllers } = (await (await fetch(new URL('api/controllers', inspector))).json()) as {
      controllers: unknown;
    };
    expect(controllers).toMatchObject([{ name: 'deployments' }]);
    expect(await (await fetch(ready)).text()).toContain('[+]informers ok');
    expect(await (await fetch(metrics)).text()).toContain('workqueue_depth{name="deployments"');
  } finally {
    await client.close();
  }
  const { code, stdout, stderr } = await program.interrupt();
  expect(stderr).toBe('');
  expect(stdout).toMatch(/\nStopped\. queue deployments: \d+ waiting, [1-9]\d* done/);
  expect(stdout).toMatch(/add {4}replicasets\.apps /);
  expect(stdout).not.toContain('\u001b');
  expect(code).toBe(0);
  expect(existsSync(kubeconfig)).toBe(false);
});

it('npm start -- --kubeconfig follows another cluster and changes nothing there', async () => {
  const api = await startApiServer();
  const client = api.client();
  try {
    await client.core.v1.configMaps('default').create({ metadata: { name: 'before' } });
    const kubeconfig = await new TempFolder().write('kubeconfig', api.kubeconfig);
    const program = start('--kubeconfig', kubeconfig);
    await program.seen(/this program only reads/);
    await program.seen(/^synced pods: 0 objects$/m);
    const { metadata } = await client.core.v1.pods('default').create({
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'main', image: 'web' }] },
    });
    await program.seen(/add {4}pods default\/a/);
    const { code, stderr } = await program.interrupt();
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const after = await client.core.v1.configMaps('default').create({ metadata: { name: 'after' } });
    // resourceVersions count writes: there was none between these two.
    expect(Number(after.metadata.resourceVersion) - Number(metadata.resourceVersion)).toBe(1);
  } finally {
    await client.close();
    await api.stop();
  }
});

it('npm start -- --for ends by itself; wrong options exit with 2', async () => {
  const [ended, helped, refused] = await Promise.all([
    start('--for', '1').ended,
    start('--help').ended,
    start('--dance').ended,
  ]);
  expect(ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('\nStopped.') });
  expect(helped).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: npm start --') });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("Try 'npm start -- --help'") });
});
