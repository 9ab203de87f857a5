import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/client.js';
import { hasLine, linesOf } from '../support/json-lines.js';
import { kubeflect, Program } from '../support/program.js';
import { TempFolder } from '../support/temp-folder.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

/** The commands and the example's controller on the real thing. */
let server: RealApiServer;
let client: Client;
beforeAll(async () => {
  server = await startRealApiServer();
  client = await Client.fromKubeconfig({ text: server.kubeconfig });
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

describe('kubeflect watch on a real kube-apiserver', () => {
  it('follows it through kill -9, and tells what went meanwhile', async () => {
    const maps = client.core.v1.configMaps('default');
    await maps.create({ metadata: { name: 'a' } });
    const program = kubeflect(['watch', 'cm', '-n', 'default', '-o', 'json', '--kubeconfig', server.kubeconfigPath]);
    await program.seen(hasLine('synced'));
    await maps.create({ metadata: { name: 'b' } });
    await program.seen(hasLine('add', 'default/b'));
    await server.kill();
    await server.start();
    await maps.delete('a');
    await program.seen(hasLine('delete', 'default/a'));
    const { code } = await program.interrupt();
    expect(code).toBe(0);
    const final = linesOf(program).flatMap(({ type, key }) => (type === 'final' ? [key] : []));
    const { items } = await maps.list();
    expect(final).toEqual(items.map(({ metadata }) => `default/${metadata.name}`).sort());
  });

  it('says what one may not do', async () => {
    const token = await server.addUser({ name: 'jane' });
    const path = await new TempFolder().write('kubeconfig', server.kubeconfigFor({ token }));
    const { code, stderr } = await kubeflect(['watch', 'pods', '--kubeconfig', path]).ended;
    expect(stderr).toMatch(/User "jane" cannot (list|watch) resource "pods"/);
    expect(code).toBe(1);
  });
});

describe('examples on a real kube-apiserver', () => {
  it('the controller makes the pods of a Deployment, in the absence of the real one', async () => {
    const program = new Program(['examples/run-controller.mjs', '--yes'], {
      env: { KUBECONFIG: server.kubeconfigPath },
    });
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    const deployments = client.apps.v1.deployments('default');
    const spec = { replicas: 3, selector: { matchLabels: labels }, template };
    await deployments.create({ metadata: { name: 'web' }, spec });
    await program.seen(/^(add default\/web-\w+\n){3}/m);
    await deployments.subresource('scale').patch('web', { spec: { replicas: 1 } });
    await program.seen(/(delete default\/web-\w+\n(.*\n)*){2}/m);
    const { code, stdout } = await program.interrupt();
    expect(stdout).toContain('ended: stopped');
    expect(code).toBe(0);
    const { items } = await client.core.v1.events('default').list();
    expect(items.map(({ message }) => message)).toContain('scaled from 0 to 3');
  });

  it('npm start only reads it', async () => {
    const program = new Program(['examples/start.mjs', '--kubeconfig', server.kubeconfigPath]);
    await program.seen(/Kubernetes v1\.\d+\.\d+; this program only reads/);
    await program.seen(/^synced deployments\.apps: \d+ objects$/m);
    const { code, stderr } = await program.interrupt();
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });
});
