// @ts-check
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCommand } from '../build.mjs';
import { startFakeKubelet } from './fake-kubelet.mjs';
import { startTarget } from './target.mjs';

/** @import { Target, TargetName } from './target.mjs' */

const MANAGER = { name: 'system:kube-controller-manager' };
const SCHEDULER = { name: 'system:kube-scheduler' };
const NAMESPACE = 'programs';
const NODES = ['node-a', 'node-b'];

/**
 * Runs kube-controller-manager, with a ServiceAccount for each controller, and kube-scheduler with the rights that the
 * default roles give them, and checks what becomes of workloads. The kubelets are fake.
 *
 * @param {readonly TargetName[]} targets
 * @param {(line: string) => void} log
 */
export async function runKubernetes(targets, log) {
  const manager = await buildCommand('kube-controller-manager', { onProgress: log });
  const scheduler = await buildCommand('kube-scheduler', { onProgress: log });
  for (const name of targets) {
    // The controllers of kube-controller-manager are not run twice.
    const target = await startTarget(name, { users: [MANAGER, SCHEDULER], controllers: ['system-namespaces'] });
    const folder = await mkdtemp(join(tmpdir(), 'kubeflect-manager-'));
    /** @type {Program[]} */
    const running = [];
    try {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const key = join(folder, 'service-account.key');
      await writeFile(key, privateKey.export({ format: 'pem', type: 'pkcs1' }), { mode: 0o600 });
      const common = ['--leader-elect=true', '--bind-address=127.0.0.1', '--secure-port=0'];
      running.push(
        new Program(manager, [
          ...common,
          `--kubeconfig=${await target.kubeconfig(MANAGER)}`,
          '--controllers=*',
          '--use-service-account-credentials=true',
          `--service-account-private-key-file=${key}`,
          `--root-ca-file=${await target.caPath()}`,
          '--concurrent-gc-syncs=5',
        ]),
        new Program(scheduler, [...common, `--kubeconfig=${await target.kubeconfig(SCHEDULER)}`]),
      );
      await checkWorkloads(target, log);
    } catch (error) {
      for (const program of running) log(`${program.name}:\n${program.tail()}`);
      throw error;
    } finally {
      await Promise.all(running.map((program) => program.stop()));
      await rm(folder, { recursive: true, force: true });
      await target.stop();
    }
    const refused = running.flatMap((program) => program.refusals());
    log(`kubernetes, ${name}: ${refused.length} requests were refused`);
    for (const line of new Set(refused)) log(`  ${line}`);
  }
}

/** A command that runs until it is stopped. */
class Program {
  name;
  #child;
  #output = '';

  /**
   * @param {string} path
   * @param {readonly string[]} args
   */
  constructor(path, args) {
    this.name = path.split('/').at(-1);
    this.#child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      this.#output = (this.#output + text).slice(-8_000_000);
    });
  }

  tail() {
    return this.#output.slice(-6000);
  }

  /** What the server has not allowed, as far as the program says so. */
  refusals() {
    const lines = this.#output.split('\n').filter((line) => / is forbidden: User |Unauthorized/.test(line));
    return lines.map((line) => line.replace(/^.*?((?:err="|\] )[^\n]*)$/, '$1'));
  }

  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await once(this.#child, 'exit');
    clearTimeout(timer);
  }
}

/**
 * @param {Target} target
 * @param {(line: string) => void} log
 */
async function checkWorkloads(target, log) {
  const stopKubelet = await startFakeKubelet(target, NODES);
  const core = `/api/v1/namespaces/${NAMESPACE}`;
  const apps = `/apis/apps/v1/namespaces/${NAMESPACE}`;
  const batch = `/apis/batch/v1/namespaces/${NAMESPACE}`;
  let started = performance.now();
  const done = (/** @type {string} */ what) => {
    log(`kubernetes, ${target.name}: ${what} ${((performance.now() - started) / 1000).toFixed(1)} s`);
    started = performance.now();
  };
  const pods = (/** @type {string} */ app) => `${core}/pods?labelSelector=app%3D${app}`;
  const isEmpty = ({ body }) => body.items.length === 0;

  await target.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await target.until('created', `${core}/serviceaccounts/default`, ({ status }) => status === 200);
  await target.until('created', `${core}/configmaps/kube-root-ca.crt`, ({ status }) => status === 200);
  done('a namespace has its ServiceAccount and CA');

  await target.create(`${core}/services`, {
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  });
  await target.create(`${apps}/deployments`, { metadata: { name: 'web' }, spec: { replicas: 4, ...template('web') } });
  await target.until('available', `${apps}/deployments/web`, ({ body }) => body.status?.availableReplicas === 4);
  const used = new Set(
    (await target.request('GET', pods('web'))).body.items.map((/** @type {any} */ pod) => pod.spec.nodeName),
  );
  if (used.size !== NODES.length) throw new Error(`the pods of the Deployment are on ${[...used].join(', ')} only`);
  done('a Deployment has 4 pods, scheduled on 2 nodes');
  await target.until(
    'complete',
    `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dweb`,
    ({ body }) =>
      body.items[0]?.endpoints?.filter((/** @type {any} */ { conditions }) => conditions.ready).length === 4,
  );
  done('its Service has an EndpointSlice of 4');

  const image = { spec: { template: { spec: { containers: [{ name: 'main', image: 'two' }] } } } };
  await target.request('PATCH', `${apps}/deployments/web`, image, 'application/strategic-merge-patch+json');
  await target.until('rolled out', `${apps}/deployments/web`, ({ body: { metadata, status } }) => {
    const { observedGeneration, updatedReplicas, replicas, availableReplicas } = status;
    return (
      observedGeneration === metadata.generation && updatedReplicas === 4 && replicas === 4 && availableReplicas === 4
    );
  });
  done('a new image is rolled out');

  await target.create(`${apps}/statefulsets`, {
    metadata: { name: 'db' },
    spec: { serviceName: 'db', replicas: 2, ...template('db') },
  });
  await target.create(`${apps}/daemonsets`, { metadata: { name: 'agent' }, spec: template('agent') });
  await target.until('ready', `${apps}/statefulsets/db`, ({ body }) => body.status?.readyReplicas === 2);
  await target.until('ready', `${apps}/daemonsets/agent`, ({ body }) => body.status?.numberReady === NODES.length);
  done('a StatefulSet has 2 pods, a DaemonSet one on each node');

  const job = {
    completions: 3,
    parallelism: 2,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'one' }] } },
  };
  await target.create(`${batch}/jobs`, { metadata: { name: 'work' }, spec: job });
  await target.until('complete', `${batch}/jobs/work`, ({ body }) =>
    body.status?.conditions?.some((/** @type {any} */ { type, status }) => type === 'Complete' && status === 'True'),
  );
  done('a Job of 3 completes');

  await target.create(`${core}/resourcequotas`, { metadata: { name: 'quota' }, spec: { hard: { configmaps: '10' } } });
  await target.until(
    'counted',
    `${core}/resourcequotas/quota`,
    ({ body }) => body.status?.used?.configmaps !== undefined,
  );
  await target.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    metadata: { name: 'more-view', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    rules: [{ verbs: ['get'], apiGroups: ['more.example.com'], resources: ['things'] }],
  });
  await target.until('aggregated', '/apis/rbac.authorization.k8s.io/v1/clusterroles/admin', ({ body }) =>
    JSON.stringify(body.rules).includes('more.example.com'),
  );
  done('a ResourceQuota is counted and a ClusterRole aggregated');

  await target.request('DELETE', `${apps}/deployments/web`, { propagationPolicy: 'Foreground' });
  await target.until('gone', `${apps}/deployments/web`, ({ status }) => status === 404);
  if (!isEmpty(await target.request('GET', `${apps}/replicasets`)))
    throw new Error('the ReplicaSets outlive their Deployment');
  await target.request('DELETE', `${apps}/statefulsets/db`, { propagationPolicy: 'Background' });
  await target.until('collected', pods('db'), isEmpty);
  done('garbage is collected, in the foreground and in the background');

  await target.request('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
  await target.until('gone', `/api/v1/namespaces/${NAMESPACE}`, ({ status }) => status === 404);
  if (!isEmpty(await target.request('GET', `${core}/pods`))) throw new Error('pods outlive their namespace');
  done('the namespace goes away with everything in it');
  await stopKubelet();
}

/** @param {string} app */
function template(app) {
  const labels = { app };
  return {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'one' }] } },
  };
}
