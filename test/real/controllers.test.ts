import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/client.js';
import type { KubernetesObject, New } from '../../src/meta/objects.js';
import { eventually } from '../support/eventually.js';
import { Program } from '../support/program.js';
import { deployed, notes } from './notes-operator.mjs';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

const account = 'system:serviceaccount:notes-operator:notes-operator';
let server: RealApiServer;
let admin: Client;
let folder: string;
let kubeconfig: string;

beforeAll(async () => {
  server = await startRealApiServer();
  admin = await Client.fromKubeconfig({ path: server.kubeconfigPath });
  folder = mkdtempSync(join(tmpdir(), 'kubeflect-'));
  const token = await server.addUser({ name: account });
  kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfigFor({ token }));
});
afterAll(async () => {
  await admin?.close();
  rmSync(folder, { recursive: true, force: true });
  await server?.stop();
});

function start(identity: string): Program {
  return new Program(['test/real/notes-operator.mjs', kubeconfig, identity]);
}

async function leader(): Promise<string | undefined> {
  const { spec } = await admin.coordination.v1.leases('notes-operator').get('notes-operator');
  return spec?.holderIdentity;
}

function texts(name: string) {
  return admin.core.v1
    .configMaps('default')
    .list()
    .then(({ items }) =>
      items
        .filter(({ metadata }) => metadata.name.startsWith(`${name}-`))
        .map(({ metadata, data }) => `${metadata.name} ${data?.['text']}`)
        .sort(),
    );
}

describe('an operator in two processes on a real kube-apiserver, with the Roles of its manifests', () => {
  it('[C52] does not start without its Roles, and names all that is missing', async () => {
    const { code, stdout } = await start('early').ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/failed notes-operator cannot start/);
    for (const missing of [
      /permission to get, list, watch, patch notes\.real\.kubeflect\.dev in the whole cluster/,
      /permission to get, list, watch, create, patch, delete configmaps in the whole cluster/,
      /permission to get, create, patch customresourcedefinitions\.apiextensions\.k8s\.io named "notes\.real\.kubeflect\.dev"/,
      /permission to get, update leases\.coordination\.k8s\.io named "notes-operator" in the namespace "notes-operator"/,
    ])
      expect(stdout).toMatch(missing);
  });

  it('[C17] [C33] [C37] [C41] [C43] [C47] [C50] [C67] [C76] works, is killed with SIGKILL, and is taken over', async () => {
    for (const object of deployed()) {
      const resource = await admin.resolve(object.kind);
      await admin
        .forResource(resource, object.metadata['namespace'] as string | undefined)
        .apply(object as New<KubernetesObject> as never, { fieldManager: 'deployment', force: true });
    }
    const first = start('first');
    await first.seen(/^ready$/m);
    await eventually('the first one leads', async () => (await leader()) === 'first');
    const second = start('second');
    await second.seen(/^ready$/m);

    const mine = admin.forResource(notes, 'default');
    await mine.create({ metadata: { name: 'a' }, spec: { text: 'one' } } as never);
    await first.seen(/^reconciled default\/a one$/m);
    await eventually('the status is written', async () => (await mine.get('a')).status?.written === 'one');
    expect((await mine.get('a')).metadata.finalizers).toEqual(['real.kubeflect.dev/notes']);
    expect(await texts('a')).toEqual(['a-0 one']);

    // At rest: neither an echo of its own status nor a no-op apply is written.
    const before = (await mine.get('a')).metadata.resourceVersion;
    await mine.patch('a', { metadata: { labels: { touched: 'yes' } } });
    await eventually(
      'it has run again',
      () => first.lines.filter((line) => line === 'reconciled default/a one').length > 1,
    );
    const map = (await admin.core.v1.configMaps('default').get('a-0')).metadata.resourceVersion;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await admin.core.v1.configMaps('default').get('a-0')).metadata.resourceVersion).toBe(map);
    expect((await mine.get('a')).metadata.resourceVersion).not.toBe(before);

    first.kill();
    await mine.patch('a', { spec: { text: 'two', copies: 3 } });
    await second.seen(/^reconciled default\/a two$/m);
    expect(await leader()).toBe('second');
    await eventually(
      'the copies are right',
      async () => `${await texts('a')}` === `${['a-0 two', 'a-1 two', 'a-2 two']}`,
    );
    await mine.patch('a', { spec: { copies: 1 } });
    await eventually('the copies are right', async () => `${await texts('a')}` === `${['a-0 two']}`);

    await mine.delete('a');
    await second.seen(/^finalized default\/a$/m);
    await eventually('it is gone', async () => (await mine.list()).items.length === 0);
    const { code, stdout } = await second.interrupt();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ended$/m);
    expect(await leader()).toBe('');
  });
});
