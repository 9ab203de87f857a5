import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import type { ConfigMapList, SelfSubjectReview } from '../../src/resources/types/index.js';
import { kubernetesVersion } from './build.mjs';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

const configMaps = '/api/v1/namespaces/default/configmaps';
const launcher = fileURLToPath(new URL('./run.mjs', import.meta.url));

describe('startRealApiServer', () => {
  let server: RealApiServer;

  beforeAll(async () => {
    server = await startRealApiServer({ flags: ['--event-ttl=10m'] });
  });
  afterAll(() => server.stop());

  async function create(name: string): Promise<void> {
    const { status } = await server.request('POST', configMaps, { body: { metadata: { name } } });
    expect(status).toBe(201);
  }

  it('is ready and answers its version', async () => {
    expect((await server.request('GET', '/readyz')).body).toBe('ok');
    expect((await server.request('GET', '/version')).body).toMatchObject({
      gitVersion: kubernetesVersion,
      major: '1',
      minor: kubernetesVersion.split('.')[1],
    });
  });

  it('writes a kubeconfig for the admin', async () => {
    const text = await readFile(server.kubeconfigPath, 'utf8');
    expect(text).toBe(server.kubeconfig);
    const config = parse(text);
    expect(config.clusters[0].cluster.server).toBe(server.url);
    expect(Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64').toString()).toBe(server.ca);
    expect(config.users[0].user.token).toBe(server.adminToken);
  });

  it('keeps data, address and users over a restart', async () => {
    await create('before-restart');
    const token = await server.addUser({ name: 'lasting', groups: ['system:masters'] });
    const { url, pid } = server;
    await server.restart();
    expect(server.url).toBe(url);
    expect(server.pid).not.toBe(pid);
    expect((await server.request('GET', `${configMaps}/before-restart`)).status).toBe(200);
    expect((await server.request('GET', `${configMaps}/before-restart`, { as: { token } })).status).toBe(200);
  });

  it('survives SIGKILL and is started again', async () => {
    await create('before-kill');
    await server.kill();
    expect(server.pid).toBeUndefined();
    await expect(server.request('GET', '/readyz')).rejects.toThrow('ECONNREFUSED');
    await expect(server.compact()).rejects.toThrow('call start() first');
    await server.start();
    expect((await server.request('GET', `${configMaps}/before-kill`)).status).toBe(200);
  });

  it('answers 410 after a compaction', async () => {
    await create('page-1');
    await create('page-2');
    const first = await server.request<ConfigMapList>('GET', `${configMaps}?limit=1`);
    const version = first.body.metadata.resourceVersion;
    const exact = `${configMaps}?resourceVersionMatch=Exact&resourceVersion=${version}`;
    const next = `${configMaps}?limit=1&continue=${first.body.metadata.continue}`;
    await create('page-3');
    expect((await server.request('GET', exact)).status).toBe(200);
    expect(await server.compact()).toBeGreaterThan(Number(version));
    expect(await server.request('GET', exact)).toMatchObject({ status: 410, body: { reason: 'Expired' } });
    expect(await server.request('GET', next)).toMatchObject({ status: 410, body: { reason: 'Expired' } });
  });

  it('adds users with the rights of their rules', async () => {
    const rules = [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }];
    const inOne = { token: await server.addUser({ name: 'in-one', rules, namespace: 'default' }) };
    expect((await server.request('GET', configMaps, { as: inOne })).status).toBe(200);
    expect(await server.request('GET', '/api/v1/configmaps', { as: inOne })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('User "in-one" cannot list resource "configmaps"') },
    });
    const everywhere = { token: await server.addUser({ name: 'everywhere', rules }) };
    expect((await server.request('GET', '/api/v1/configmaps', { as: everywhere })).status).toBe(200);
    expect((await server.request('GET', '/api/v1/secrets', { as: everywhere })).status).toBe(403);
    expect((await server.request('GET', configMaps, { as: { token: 'stranger' } })).status).toBe(401);
  });

  it('signs client certificates', async () => {
    const certificate = await server.clientCertificate({ commonName: 'alice', organizations: ['builders'] });
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { body: review } = await server.request<SelfSubjectReview>('POST', path, { body, as: certificate });
    expect(review.status?.userInfo).toMatchObject({ username: 'alice', groups: ['builders', 'system:authenticated'] });
    expect(parse(server.kubeconfigFor(certificate)).users[0].user['client-key-data']).toBeTypeOf('string');
  });
});

describe('the end of a server', () => {
  it('leaves neither process nor folder', async () => {
    const server = await startRealApiServer();
    const { pid, dataFolder } = server;
    expect(isAlive(pid)).toBe(true);
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(dataFolder)).toBe(false);
    await server.stop();
  });

  it('rejects with the reason if a server does not start', async () => {
    await expect(startRealApiServer({ flags: ['--no-such-flag'] })).rejects.toThrow('unknown flag: --no-such-flag');
  });
});

describe('npm run real', () => {
  it('prints how to use the server and stops it on SIGINT', async () => {
    const { child, folder, code } = await launch();
    child.kill('SIGINT');
    expect(await code).toBe(0);
    expect(existsSync(folder)).toBe(false);
  });

  it('leaves no process and no data when it is killed', async () => {
    const { child, folder } = await launch();
    child.kill('SIGKILL');
    await vi.waitFor(() => expect(existsSync(folder)).toBe(false), { timeout: 120_000 });
  });

  it('names what to install if there is no Go', async () => {
    const child = spawn(process.execPath, [launcher], {
      env: { PATH: '/nonexistent' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(errors).toContain('Install Go 1.26 or newer');
  });

  async function launch() {
    const child = spawn(process.execPath, [launcher], { stdio: ['ignore', 'pipe', 'inherit'] });
    const code = once(child, 'exit').then(([code]) => code as number | null);
    let folder = '';
    for await (const line of createInterface({ input: child.stdout })) {
      const match = /KUBECONFIG=(.+)\/kubeconfig$/.exec(line);
      if (match?.[1] !== undefined) folder = match[1];
      if (line.startsWith('It has no controllers')) break;
    }
    expect(existsSync(folder)).toBe(true);
    return { child, folder, code };
  }
});

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
