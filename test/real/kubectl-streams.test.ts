import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../src/apiserver/index.js';
import { deployment } from '../apiserver/test-world.js';
import { Program } from '../support/program.js';
import { spawnedExec } from '../support/spawned-exec.js';
import { buildKubectl } from './build.mjs';

/* kubectl on simulated workloads, and on processes of this machine that stand in for containers. */

let kubectl: string;
let api: ApiServer;
let web: Server;
let folder: string;

beforeAll(async () => {
  kubectl = await buildKubectl();
  folder = await mkdtemp(join(tmpdir(), 'kubeflect-kubectl-'));
  web = createServer((request, response) => response.end(`hello ${request.url}`)).listen(0, '127.0.0.1');
  api = await startApiServer({
    tls: true,
    objects: [{ apiVersion: 'apps/v1', kind: 'Deployment', ...deployment('web', 1) }],
    workloads: { readyAfterMs: 100, finishAfterMs: 100 },
    kubelet: {
      exec: (call) => spawnedExec(call),
      attach({ stdout }) {
        stdout?.write('attached\n');
      },
      portForward({ connection }) {
        const { port } = web.address() as AddressInfo;
        const socket = connect(port, '127.0.0.1');
        connection.pipe(socket).pipe(connection);
        return new Promise((resolve) => socket.once('close', () => resolve()));
      },
    },
  });
  writeFileSync(join(folder, 'config'), api.kubeconfig);
  const client = api.client();
  const deployments = client.apps.v1.deployments('default');
  while (!(await deployments.get('web')).status?.availableReplicas) await client.clock.sleep(20);
  await client.close();
});
afterAll(async () => {
  await api.stop();
  web.close();
  await rm(folder, { recursive: true, force: true });
});

interface Given {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function start(args: string | readonly string[], { input = '', env }: Given = {}): Program {
  const list = typeof args === 'string' ? args.split(' ') : args;
  const all = { HOME: folder, KUBECONFIG: join(folder, 'config'), ...env };
  return new Program([...list], { command: kubectl, env: all, cwd: folder, input });
}

async function run(
  args: string | readonly string[],
  given?: Given,
): Promise<{ code: unknown; out: string; err: string }> {
  const { code, stdout, stderr } = await start(args, given).ended;
  return { code, out: stdout, err: stderr };
}

describe.each([
  ['WebSockets', 'true'],
  ['SPDY', 'false'],
])('kubectl over %s', (_name, value) => {
  const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: value, KUBECTL_PORT_FORWARD_WEBSOCKETS: value };

  it('runs commands with their output and exit code', async () => {
    const script = 'echo out; echo err >&2; exit 7';
    const result = await run(['exec', 'deploy/web', '--', 'sh', '-c', script], { env });
    expect(result).toMatchObject({ code: 7, out: 'out\n' });
    expect(result.err).toContain('err\n');
  });

  it('sends its input to the end', async () => {
    const input = 'line\n'.repeat(100_000);
    const { out } = await run(['exec', '-i', 'deploy/web', '--', 'wc', '-c'], { input, env });
    expect(Number(out)).toBe(input.length);
  });

  it('attaches', async () => {
    expect(await run('attach deploy/web', { env })).toMatchObject({ code: 0, out: 'attached\n' });
  });

  it('copies files both ways', async () => {
    const pod = (await run('get pods -o jsonpath={.items[0].metadata.name}')).out;
    writeFileSync(join(folder, 'file'), 'content'.repeat(50_000));
    await run(`cp ${join(folder, 'file')} ${pod}:${join(folder, 'there')}`, { env });
    await run(`cp ${pod}:${join(folder, 'there')} ${join(folder, 'back')}`, { env });
    expect(readFileSync(join(folder, 'back'), 'utf8')).toBe('content'.repeat(50_000));
  });

  it('forwards a port to many connections', async () => {
    const program = start('port-forward deploy/web :80', { env });
    await program.seen(/127\.0\.0\.1:\d+/);
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(program.stdout)!;
    const answers = Array.from({ length: 8 }, async (_, n) => (await fetch(`http://127.0.0.1:${port}/${n}`)).text());
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 8 }, (_, n) => `hello /${n}`));
    await program.interrupt();
  });
});

describe('kubectl on simulated workloads', () => {
  it('shows logs, follows rollouts, undoes them and waits for Jobs', async () => {
    expect((await run('logs deploy/web')).out).toBe('app (app:1) started\n');
    await run('set image deployment/web app=app:2');
    expect((await run('rollout status deployment/web --timeout=60s')).out).toContain('successfully rolled out');
    await run('rollout undo deployment/web');
    await run('rollout status deployment/web --timeout=60s');
    expect((await run('rollout history deployment/web')).out).toMatch(/^2 +<none>\n3 +<none>$/m);
    await run('create job once --image=app:1');
    expect((await run('wait --for=condition=complete job/once --timeout=60s')).out).toContain('condition met');
    const drained = await run('drain node-1 --ignore-daemonsets --force --timeout=60s');
    expect(drained.out).toContain('node/node-1 drained');
  });
});
