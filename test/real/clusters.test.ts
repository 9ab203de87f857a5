import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../src/apiserver/index.js';
import { Client } from '../../src/client/client.js';
import { eventually } from '../support/eventually.js';
import { hubKubeconfig, Mirror, type MirroredCluster, mirrorSource, playMirror } from '../support/mirror.js';
import { Program } from '../support/program.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

let hub: RealApiServer;
let member: RealApiServer;
let embedded: ApiServer;
let mirror: Mirror;
let real: MirroredCluster;
let other: MirroredCluster;
let folder: string;

beforeAll(async () => {
  [hub, member, embedded] = await Promise.all([startRealApiServer(), startRealApiServer(), startApiServer()]);
  mirror = new Mirror(await Client.fromKubeconfig({ path: hub.kubeconfigPath }));
  await mirror.hub.core.v1.namespaces().create({ metadata: { name: 'mirror' } });
  const client = await Client.fromKubeconfig({ path: member.kubeconfigPath });
  real = { name: 'real', client, kubeconfig: member.kubeconfig };
  other = { name: 'embedded', client: embedded.client(), kubeconfig: embedded.kubeconfig };
  folder = mkdtempSync(join(tmpdir(), 'kubeflect-'));
  writeFileSync(join(folder, 'kubeconfig'), hubKubeconfig(hub.kubeconfig));
});
afterAll(async () => {
  await Promise.all([mirror?.hub.close(), real?.client.close(), other?.client.close()]);
  await Promise.all([hub?.stop(), member?.stop(), embedded?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function start(env: Readonly<Record<string, string>> = {}): Program {
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  const code = ts.transpileModule(mirrorSource, { compilerOptions: options }).outputText;
  const kubeconfig = join(folder, 'kubeconfig');
  return new Program(['--input-type=module', '--eval', code], { env: { KUBECONFIG: kubeconfig, ...env } });
}

describe('the example of many clusters, on two real kube-apiservers and an embedded one', () => {
  it('makes, repairs and deletes copies; clusters come and go', async () => {
    await playMirror(mirror, [real, other], start());
    await mirror.hub.core.v1.secrets('mirror').delete('real');
    await other.client.core.v1.configMaps('default').delete('motd');
  });

  it('a member that is killed delays the others not at all, and catches up when it is back', async () => {
    const program = start();
    await Promise.all([mirror.join(real), mirror.join(other)]);
    await mirror.write('news-0', 'begin');
    for (const each of [real, other]) await mirror.seen(each, 'news-0', 'begin');
    await member.kill();
    for (let i = 1; i <= 20; i++) {
      await mirror.write(`news-${i}`, `${i}`);
      await mirror.write('news-0', `${i}`);
      await mirror.seen(other, `news-${i}`, `${i}`);
      await mirror.seen(other, 'news-0', `${i}`);
    }
    await member.start();
    for (let i = 1; i <= 20; i++) await mirror.seen(real, `news-${i}`, `${i}`);
    await mirror.seen(real, 'news-0', '20');
    // Warnings of the failed runs; the events say the same.
    const events = (await mirror.hub.core.v1.events('default').list()).items;
    expect(events.map(({ reason }) => reason)).toContain('CopyFailed');
    const { code } = await program.interrupt();
    expect(code).toBe(0);
    await eventually('the Lease is given back', async () => {
      const { spec } = await mirror.hub.coordination.v1.leases('default').get('mirror');
      return (spec?.holderIdentity ?? '') === '';
    });
  });
});
