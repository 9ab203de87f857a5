import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startApiServer } from '../../src/apiserver/index.js';
import { CertificateAuthority } from '../../src/certificates/certificate-authority.js';
import { run } from '../../src/cli/run.js';
import { Client } from '../../src/client/client.js';
import { realClock } from '../../src/time/real-clock.js';
import { distFile } from '../support/dist.js';
import { eventually } from '../support/eventually.js';
import { Program } from '../support/program.js';
import { TempFolder } from '../support/temp-folder.js';
import { buildKubectl } from './build.mjs';
import { InformerRig } from './informer-rig.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';
import { type StreamKubelet, startStreamKubelet } from './stream-kubelet.mjs';

interface Line {
  readonly type: string;
  readonly key: string;
  readonly resourceVersion: string;
  readonly object?: { readonly data?: Record<string, string>; readonly metadata: { readonly uid: string } };
}

const command = distFile('cli/main.js');
let server: RealApiServer;
beforeAll(async () => {
  // Without its controller a ServiceAccount is missing, and with it no pod can be created.
  server = await startRealApiServer({ flags: ['--disable-admission-plugins=ServiceAccount'] });
});
afterAll(() => server.stop());

describe('kubeflect watch on a real kube-apiserver', () => {
  it('prints every change as JSON, through an outage, and the remaining objects at the end', async () => {
    await using rig = await InformerRig.start(server);
    await rig.churn(10);
    const args = [command, 'watch', 'cm', '-n', rig.namespace, '-o', 'json', '--kubeconfig', server.kubeconfigPath];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const lines: Line[] = [];
    let errors = '';
    createInterface(child.stdout).on('line', (text) => lines.push(JSON.parse(text)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await eventually('the initial list is printed', () => lines.some(({ type }) => type === 'synced'), {
      explain: () => errors,
    });
    await rig.churn(40, 10);
    await server.kill();
    await server.start();
    await rig.churn(40, 50);
    const listed = await rig.listed();
    const known = () => {
      const versions = new Map<string, string>();
      for (const { type, key, resourceVersion } of lines) {
        if (type === 'delete') versions.delete(key);
        else if (type === 'add' || type === 'update') versions.set(key, resourceVersion);
      }
      return Object.fromEntries([...versions].sort());
    };
    await eventually('every change is printed', () => JSON.stringify(known()) === JSON.stringify(listed), {
      explain: () => ({ known: known(), listed, errors }),
    });
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    const final = lines.filter(({ type }) => type === 'final');
    expect(Object.fromEntries(final.map(({ key, resourceVersion }) => [key, resourceVersion]))).toEqual(listed);
    const last = lines.findLast(({ object }) => object !== undefined);
    expect(last?.object?.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  });
});

/** A command in this process. */
class Running {
  output = '';
  errors = '';
  readonly ended: Promise<{ code: number; output: string; errors: string }>;
  readonly #stop = new AbortController();

  constructor(args: readonly string[], kubeconfig: string) {
    this.ended = run([...args, '--kubeconfig', kubeconfig], {
      stdout: { write: (text) => (this.output += text) },
      stderr: { write: (text) => (this.errors += text) },
      signal: this.#stop.signal,
      env: {},
    }).then((code) => ({ code, output: this.output, errors: this.errors }));
  }

  async seen(pattern: RegExp): Promise<void> {
    await eventually(`the output fits ${pattern}`, () => pattern.test(this.output), {
      explain: () => `${this.output}\n${this.errors}`,
    });
  }

  interrupt(): Running['ended'] {
    this.#stop.abort(new Error('interrupted'));
    return this.ended;
  }
}

const start = (...args: string[]): Running => new Running(args, server.kubeconfigPath);
const call = (...args: string[]) => start(...args).ended;

describe('the commands for every day on a real kube-apiserver', () => {
  const namespace = 'default';
  const labels = { app: 'web' };
  let client: Client;
  let kubelet: StreamKubelet;
  let kubectl: string;

  beforeAll(async () => {
    kubectl = await buildKubectl();
    kubelet = await startStreamKubelet({
      startApiServer,
      authority: new CertificateAuthority(realClock),
      pods: [
        { name: 'one', containers: ['app'] },
        { name: 'two', containers: ['app', 'side'] },
      ],
      kubelet: {
        log: ({ pod, container }) =>
          `2026-01-01T00:00:0${pod.metadata.name === 'one' ? 1 : 2}Z ${container} says hello\n`,
      },
    });
    client = await Client.fromKubeconfig({ text: server.kubeconfig });
    const { metadata, status } = kubelet.node;
    await client.core.v1.nodes().create({ metadata });
    await client.core.v1.nodes().patchStatus(metadata.name, status);
    const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
    const deployment = await client.apps.v1.deployments(namespace).create({
      metadata: { name: 'web', labels },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    });
    const owner = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'web',
      uid: deployment.metadata.uid,
      controller: true,
    };
    const set = await client.apps.v1.replicaSets(namespace).create({
      metadata: { name: 'web-1', labels, ownerReferences: [owner] },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    });
    const above = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: set.metadata.uid, controller: true };
    const pods = client.core.v1.pods(namespace);
    for (const pod of kubelet.objects) {
      const created = { ...pod, metadata: { ...pod.metadata, labels, ownerReferences: [above] } };
      await pods.create(created as never);
    }
  });
  afterAll(async () => {
    await client.close();
    await kubelet.stop();
  });

  /** Columns are separated by one bar, and ages are replaced. */
  const columns = (text: string) =>
    text
      .replace(/ {2,}/g, ' | ')
      .replace(/\b(?:\d+[smhd])+$/gm, 'AGE')
      .trim();

  it.each([
    'get ns',
    'get pods -o wide',
    'get pods,deploy,rs -A',
    'get deploy/web cm/kube-root-ca.crt svc/kubernetes -o name',
    'get roles,clusterroles -n kube-system -o wide',
    'get po two one --no-headers',
    'get apiservices',
    'get pods -l app=web --field-selector metadata.name=one -o name',
  ])('%s shows what kubectl shows', async (line) => {
    const args = line.split(' ');
    const theirs = await new Program([...args, `--kubeconfig=${server.kubeconfigPath}`], { command: kubectl }).ended;
    const ours = await call(...args);
    expect(columns(ours.output)).toBe(columns(theirs.stdout));
    expect(ours.code).toBe(theirs.code);
  });

  it.each(['json', 'yaml'])('get -o %s is the document of kubectl', async (form) => {
    for (const target of ['pods/one', 'pods,deploy', 'pods -l app=none']) {
      const args = ['get', ...target.split(' '), '-o', form];
      const theirs = await new Program([...args, `--kubeconfig=${server.kubeconfigPath}`], { command: kubectl }).ended;
      expect(parse((await call(...args)).output)).toEqual(parse(theirs.stdout));
    }
  });

  it('watch shows the columns of the server through an outage', async () => {
    const watching = start('watch', 'pods', '-l', 'app=web');
    await watching.seen(/^add +two +0\/2 +Pending/m);
    expect(watching.output).toMatch(/^EVENT +NAME +READY +STATUS +RESTARTS +AGE$/m);
    await client.core.v1.pods(namespace).patchStatus('one', { phase: 'Running' });
    await watching.seen(/^update +one +0\/1 +Running/m);
    await server.kill();
    await server.start();
    await client.core.v1.pods(namespace).patchStatus('two', { phase: 'Running' });
    await watching.seen(/^update +two +0\/2 +Running/m);
    const { code, output } = await watching.interrupt();
    expect([code, output.match(/^add/gm)?.length]).toEqual([0, 2]);
  });

  it('wait waits for the pods of a selector', async () => {
    const waiting = start('wait', 'pods', '-l', 'app=web', '--for=jsonpath={.status.reason}=Told', '--timeout=60s');
    for (const name of ['one', 'two']) await client.core.v1.pods(namespace).patchStatus(name, { reason: 'Told' });
    const met = 'pod/one condition met\npod/two condition met\n';
    expect(await waiting.ended).toEqual({ code: 0, output: met, errors: '' });
  });

  it('logs shows the logs of a Deployment, and follows a pod that starts later', async () => {
    const hello = '[pod/one/app] app says hello\n[pod/two/app] app says hello\n';
    expect(await call('logs', 'deploy/web')).toEqual({ code: 0, output: hello, errors: '' });
    expect((await call('logs', 'two', '-c', 'side')).output).toBe('side says hello\n');
    const following = start('logs', '-l', 'app=web', '-f');
    const started = (name: string) => ({
      containerStatuses: [
        {
          name,
          ready: true,
          restartCount: 0,
          image: 'a',
          imageID: 'a',
          state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
        },
      ],
    });
    await client.core.v1.pods(namespace).patchStatus('two', started('app'));
    await following.seen(/two\/app\] app says hello/);
    expect(await following.interrupt()).toMatchObject({ code: 0, errors: '' });
  });

  it('why and tree explain a workload', async () => {
    const why = await call('why', 'deploy/web');
    expect(why.code).toBe(1);
    expect(why.output).toMatch(/^deployment\.apps\/web: the controller has not observed the newest spec/);
    expect(why.output).toMatch(/^LAST WRITES\n.*\n +\d+s +\S+ +Update +/m);
    const tree = await call('tree', 'pods/one');
    expect(tree.errors).toBe('');
    expect(tree.output.replace(/ +/g, ' ')).toMatch(
      /^NAME READY STATUS AGE\ndeployment\.apps\/web 0\/2 \d+[sm]\n└─replicaset\.apps\/web-1 0\/2 \d+[sm]\n └─pod\/one 0\/1 Told \d+[sm]\n$/,
    );
    expect((await call('tree', 'deploy/web')).output.match(/[├└]─pod/g)).toHaveLength(2);
  });

  it('doctor finds nothing wrong, or the permissions that are missing', async () => {
    const healthy = await call('doctor', 'pods', 'nodes');
    expect(healthy.code).toBe(0);
    expect(healthy.output).not.toMatch(/^(?:warn|fail)/m);
    expect(healthy.output).toMatch(/^ok +server cert +the server's certificate expires in \d+d/m);
    expect(healthy.output).toMatch(/^ok +watch-list +supported/m);
    expect(healthy.output).toMatch(/^ok +clock +it agrees/m);
    const token = await server.addUser({
      name: 'jane',
      namespace,
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
    });
    const path = await new TempFolder().write('config', server.kubeconfigFor({ token }));
    const { code, output } = await new Running(['doctor', 'pods'], path).ended;
    expect(code).toBe(1);
    expect(output).toMatch(/^ok +identity +you are jane/m);
    expect(output).toMatch(
      /^fail +permissions +you may not watch pods in namespace default\n +Have a Role with this rule/m,
    );
    const refused = await new Running(['get', 'secrets'], path).ended;
    expect(refused.errors).toMatch(/is forbidden.*\nYour role must allow it; 'kubectl auth can-i list secrets'/);
  });

  it('completes resources and names', async () => {
    const complete = async (...words: string[]) => {
      let output = '';
      await run(['__complete', ...words], {
        stdout: { write: (text) => (output += text) },
        stderr: { write: () => true },
        signal: new AbortController().signal,
        env: { KUBECONFIG: server.kubeconfigPath },
      });
      return output;
    };
    expect(await complete('get', 'deploy')).toBe('deployments\n');
    expect(await complete('why', 'pods/')).toBe('pods/one\npods/two\n');
    expect(await complete('get', '-n', 'kube-')).toBe('kube-node-lease\nkube-public\nkube-system\n');
  });
});
