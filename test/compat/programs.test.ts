import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import * as official from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ApiServer, type Kubelet, startApiServer } from '../../src/apiserver/index.js';
import type { Client } from '../../src/client/client.js';
import * as compat from '../../src/compat/index.js';
import { eventually } from '../support/eventually.js';

/** Programs are typed by this library and run with both: what compiles here must mean the same there. */
type K8s = typeof compat;

const clients: readonly (readonly [string, K8s])[] = [
  ['@kubernetes/client-node', official as unknown as K8s],
  ['kubeflect/compat', compat],
];

/** A container whose commands are these. */
const kubelet: Kubelet = {
  async exec({ command, stdin, stdout, stderr }) {
    switch (command[0]) {
      case 'cat':
        for await (const chunk of stdin!) stdout!.write(chunk);
        return 0;
      case 'fail':
        stderr!.write('no such thing');
        return 3;
      default:
        stdout!.write(command.join(' '));
        return 0;
    }
  },
  attach({ stdout }) {
    stdout!.write('attached');
  },
  log: ({ container }) => `line 1 of ${container}\nline 2\n`,
  async portForward({ connection, port }) {
    for await (const chunk of connection) connection.write(`${port}: ${chunk}`);
  },
};

let api: ApiServer;
let admin: Client;
let count = 0;

beforeAll(async () => {
  api = await startApiServer({ kubelet });
  admin = api.client();
});
afterAll(async () => {
  await admin.close();
  await api.stop();
});

function kubeConfig(k8s: K8s): compat.KubeConfig {
  const kc = new k8s.KubeConfig();
  kc.loadFromString(api.kubeconfig);
  return kc;
}

const container = { name: 'app', image: 'web:1', resources: { requests: { cpu: '250m', memory: '64Mi' } } };

async function aPod(): Promise<{ readonly namespace: string; readonly name: string }> {
  const namespace = `program-${count++}`;
  await admin.core.v1.namespaces().create({ metadata: { name: namespace } });
  await admin.core.v1
    .pods(namespace)
    .create({ metadata: { name: 'web' }, spec: { containers: [container], nodeName: 'node-1' } });
  return { namespace, name: 'web' };
}

describe.each(clients)('a program with %s', (_, k8s) => {
  it('loads a configuration from a file, from options and from parts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kubeflect-compat-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'config');
    await writeFile(file, api.kubeconfig);
    const loaded = new k8s.KubeConfig();
    loaded.loadFromFile(file);
    const cluster = { name: 'my-server', server: api.url, skipTLSVerify: false };
    const user = { name: 'my-user', token: 't' };
    const made = new k8s.KubeConfig();
    const context = { name: 'my-context', user: user.name, cluster: cluster.name, namespace: 'here' };
    made.loadFromOptions({ clusters: [cluster], users: [user], contexts: [context], currentContext: context.name });
    const parts = new k8s.KubeConfig();
    parts.loadFromClusterAndUser(cluster, user);
    const again = new k8s.KubeConfig();
    again.loadFromString(made.exportConfig());
    expect([loaded, made, parts, again].map((kc) => kc.getCurrentCluster()?.server)).toEqual(Array(4).fill(api.url));
    expect(
      [made, again].map((kc) => [kc.getCurrentUser()?.token, kc.getContextObject('my-context')?.namespace]),
    ).toEqual([
      ['t', 'here'],
      ['t', 'here'],
    ]);
    expect(made.getCluster('none')).toBeNull();
    expect(() => made.addUser(user)).toThrow('Duplicate user: my-user');
    made.setCurrentContext('none');
    expect(() => made.makeApiClient(k8s.CoreV1Api)).toThrow('No active cluster!');
  });

  it('creates a job from a cron job with model classes', async () => {
    const { namespace } = await aPod();
    const batch = kubeConfig(k8s).makeApiClient(k8s.BatchV1Api);
    const template = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } };
    const body = { metadata: { name: 'daily' }, spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template } } } };
    await batch.createNamespacedCronJob({ namespace, body });
    const cronJob = await batch.readNamespacedCronJob({ name: 'daily', namespace });
    const job = new k8s.V1Job();
    const metadata = new k8s.V1ObjectMeta();
    metadata.name = 'now';
    job.metadata = metadata;
    job.spec = cronJob.spec?.jobTemplate.spec;
    const made = await batch.createNamespacedJob({ namespace, body: job });
    expect(made.spec?.template.spec?.containers[0]?.image).toBe('i');
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
  });

  it('patches with each strategy', async () => {
    const { namespace, name: pod } = await aPod();
    const core = kubeConfig(k8s).makeApiClient(k8s.CoreV1Api);
    const patches: readonly [compat.PatchStrategy, unknown][] = [
      [k8s.PatchStrategy.JsonPatch, [{ op: 'add', path: '/metadata/labels', value: { a: '1' } }]],
      [k8s.PatchStrategy.MergePatch, { metadata: { labels: { b: '2' } } }],
      [k8s.PatchStrategy.StrategicMergePatch, { metadata: { labels: { c: '3' } } }],
    ];
    for (const [strategy, body] of patches) {
      await core.patchNamespacedPod({ name: pod, namespace, body }, k8s.setHeaderOptions('Content-Type', strategy));
    }
    expect((await core.readNamespacedPod({ name: pod, namespace })).metadata?.labels).toEqual({
      a: '1',
      b: '2',
      c: '3',
    });
  });

  it('sets certificates and headers of https requests', async () => {
    const kc = new k8s.KubeConfig();
    const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
    const data = Buffer.from(pem).toString('base64');
    const cluster = { name: 'c', server: 'https://127.0.0.1:1', caData: data, skipTLSVerify: false };
    kc.loadFromClusterAndUser(cluster, { name: 'u', token: 'secret' });
    const options: RequestOptions = { headers: {} };
    await kc.applyToHTTPSOptions(options);
    const headers = Object.entries(options.headers ?? {}).map(([header, value]) => [header.toLowerCase(), value]);
    expect(Object.fromEntries(headers).authorization).toBe('Bearer secret');
    expect(String(options.ca)).toBe(pem);
  });

  it('reads and writes YAML', () => {
    const pod = k8s.loadYaml<compat.V1Pod>(
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a, creationTimestamp: "2026-01-02T03:04:05Z"}\n',
    );
    expect(pod.metadata?.creationTimestamp).toEqual(new Date('2026-01-02T03:04:05Z'));
    expect(k8s.loadYaml<compat.V1Pod>(k8s.dumpYaml(pod))).toEqual(pod);
    expect(k8s.loadAllYaml('a: 1\n---\nb: 2\n')).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('works with custom objects', async () => {
    const { namespace } = await aPod();
    const kc = kubeConfig(k8s);
    const group = `g${count++}.example.com`;
    await kc.makeApiClient(k8s.ApiextensionsV1Api).createCustomResourceDefinition({
      body: {
        metadata: { name: `things.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'things', singular: 'thing', kind: 'Thing' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', x_kubernetes_preserve_unknown_fields: true } },
            },
          ],
        },
      },
    });
    const custom = kc.makeApiClient(k8s.CustomObjectsApi);
    const of = { group, version: 'v1', plural: 'things' };
    const body = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a' }, spec: { size: 1 } };
    await eventually('the definition is served', () =>
      custom.listClusterCustomObject(of).then(
        () => true,
        () => false,
      ),
    );
    await custom.createNamespacedCustomObject({ ...of, namespace, body });
    await custom.patchNamespacedCustomObject({
      ...of,
      namespace,
      name: 'a',
      body: [{ op: 'add', path: '/spec/size', value: 2 }],
    });
    expect((await custom.getNamespacedCustomObject({ ...of, namespace, name: 'a' })).spec).toEqual({ size: 2 });
    expect((await custom.listNamespacedCustomObject({ ...of, namespace })).items).toHaveLength(1);
    await custom.deleteNamespacedCustomObject({ ...of, namespace, name: 'a' });
    const gone = custom.getNamespacedCustomObject({ ...of, namespace, name: 'a' });
    await expect(gone).rejects.toMatchObject({ code: 404 });
  });

  it('runs commands, with input, output and the exit code', async () => {
    const { namespace, name: pod } = await aPod();
    const exec = new k8s.Exec(kubeConfig(k8s));
    const run = async (command: string[], input: Readable | null): Promise<unknown[]> => {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      const status = await new Promise<compat.V1Status>((resolve, reject) => {
        exec.exec(namespace, pod, 'app', command, stdout, stderr, input, false, resolve).catch(reject);
      });
      const code = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
      return [status.status, code, stdout.read()?.toString(), stderr.read()?.toString()];
    };
    expect(await run(['ls', '-l'], null)).toEqual(['Success', undefined, 'ls -l', undefined]);
    expect(await run(['fail'], null)).toEqual(['Failure', '3', undefined, 'no such thing']);
  });

  it('attaches to a process', async () => {
    const { namespace, name: pod } = await aPod();
    const stdout = new PassThrough();
    await new k8s.Attach(kubeConfig(k8s)).attach(namespace, pod, 'app', stdout, null, null, false);
    await once(stdout, 'readable');
    expect(stdout.read().toString()).toBe('attached');
  });

  it('reads a log', async () => {
    const { namespace, name: pod } = await aPod();
    const kc = kubeConfig(k8s);
    const stream = new PassThrough();
    await new k8s.Log(kc).log(namespace, pod, 'app', stream, { tailLines: 10 });
    expect(await text(stream)).toBe('line 1 of app\nline 2\n');
    const core = kc.makeApiClient(k8s.CoreV1Api);
    expect(await core.readNamespacedPodLog({ namespace, name: pod })).toBe('line 1 of app\nline 2\n');
    const missing = new k8s.Log(kc).log(namespace, 'none', 'app', new PassThrough());
    await expect(missing).rejects.toMatchObject({ code: 404 });
  });

  it('forwards a port', async () => {
    const { namespace, name: pod } = await aPod();
    const forward = new k8s.PortForward(kubeConfig(k8s));
    const server = createServer(
      (socket: Socket) => void forward.portForward(namespace, pod, [8080], socket, null, socket),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
    socket.write('hello');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toBe('8080: hello');
    socket.destroy();
  });

  it('shows what pods and nodes use', async () => {
    const { namespace, name: pod } = await aPod();
    const core = kubeConfig(k8s).makeApiClient(k8s.CoreV1Api);
    const metrics = new k8s.Metrics(kubeConfig(k8s));
    const usage = { cpu: '100m', memory: '32Mi' };
    metrics.getPodMetrics = async () =>
      ({ items: [{ metadata: { name: pod, namespace }, containers: [{ name: 'app', usage }] }] }) as never;
    const [top] = await k8s.topPods(core, metrics, namespace);
    const numbers = (of: object | undefined) => Object.values(of ?? {}).map(Number);
    expect([numbers(top?.CPU), numbers(top?.Memory)]).toEqual([
      [0.1, 0.25, 0],
      [32 * 2 ** 20, 64 * 2 ** 20, 0],
    ]);
    expect(top?.Containers.map(({ Container }) => Container)).toEqual(['app']);
    await admin.core.v1.nodes().create({ metadata: { name: `${namespace}-node` } });
    await admin.core.v1.nodes().patchStatus(`${namespace}-node`, { allocatable: { cpu: '2', memory: '4Gi' } });
    const nodes = (await k8s.topNodes(core)).filter(({ Node }) => Node.metadata?.name === `${namespace}-node`);
    expect(nodes.map(({ CPU, Memory }) => [numbers(CPU), numbers(Memory)])).toEqual([
      [
        [2, 0, 0],
        [4 * 2 ** 30, 0, 0],
      ],
    ]);
    await admin.core.v1.nodes().delete(`${namespace}-node`);
  });

  it('watches', async () => {
    const { namespace } = await aPod();
    const kc = kubeConfig(k8s);
    const watch = new k8s.Watch(kc);
    const seen: string[] = [];
    const request = await watch.watch(
      `/api/v1/namespaces/${namespace}/pods`,
      {},
      (phase, object) => void seen.push(`${phase} ${object.metadata.name}`),
      () => {},
    );
    await eventually('an event came', () => seen.length > 0);
    request.abort();
    expect(seen).toEqual(['ADDED web']);
  });
});

describe('what differs from the official client', () => {
  it('Exec sends input and closes stdin, and a pod that is missing rejects', async () => {
    const { namespace, name: pod } = await aPod();
    const exec = new compat.Exec(kubeConfig(compat));
    const stdout = new PassThrough();
    const status = await new Promise<compat.V1Status>((resolve, reject) => {
      exec.exec(namespace, pod, 'app', 'cat', stdout, null, Readable.from(['in', 'put']), false, resolve).catch(reject);
    });
    expect([status.status, stdout.read().toString()]).toEqual(['Success', 'input']);
    const missing = exec.exec(namespace, 'none', 'app', ['ls'], stdout, null, null, false);
    await expect(missing).rejects.toMatchObject({ name: 'ApiException', code: 404 });
  });

  it('a session that is closed ends its command', async () => {
    const { namespace, name: pod } = await aPod();
    const exec = new compat.Exec(kubeConfig(compat));
    const session = await exec.exec(namespace, pod, 'app', ['cat'], new PassThrough(), null, new PassThrough(), false);
    session.close();
    await once(session, 'close');
  });

  it('Cp resolves when the files are there, and rejects if they cannot be', async () => {
    const { namespace, name: pod } = await aPod();
    const cp = new compat.Cp(kubeConfig(compat));
    const folder = await mkdtemp(join(tmpdir(), 'kubeflect-cp-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await expect(cp.cpFromPod(namespace, pod, 'app', 'none', folder)).rejects.toThrow();
    await expect(readFile(join(folder, 'none'))).rejects.toThrow('ENOENT');
  });

  it('a wrong content type of a patch, and missing parameters, are refused before anything is sent', async () => {
    const core = kubeConfig(compat).makeApiClient(compat.CoreV1Api);
    const typed = compat.setHeaderOptions('Content-Type', 'text/plain');
    await expect(core.patchNamespacedPod({ name: 'a', namespace: 'b', body: {} }, typed)).rejects.toThrow(
      'the Content-Type text/plain is no kind of patch: use PatchStrategy',
    );
    await expect(core.readNamespacedPod({ name: 'a' } as never)).rejects.toThrow(
      'GET of pods needs namespace: pass { name, namespace }',
    );
  });
});
