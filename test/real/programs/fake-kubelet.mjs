// @ts-check
import { setTimeout as sleep } from 'node:timers/promises';

/** @import { Target } from './target.mjs' */

/**
 * Nodes that run pods by saying so: a bound pod becomes Running and ready, one of a Job has succeeded a moment later, and a
 * deleted one goes away. Polls; the heartbeat of each node is its Lease.
 *
 * @param {Target} target
 * @param {readonly string[]} nodes
 * @returns {Promise<() => Promise<void>>} stops it
 */
export async function startFakeKubelet(target, nodes) {
  for (const name of nodes) {
    await target.create('/api/v1/nodes', { metadata: { name, labels: { 'kubernetes.io/hostname': name } } });
    const resources = { cpu: '8', memory: '16Gi', pods: '110' };
    const condition = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' };
    const conditions = [{ ...condition, lastHeartbeatTime: now(), lastTransitionTime: now() }];
    const status = {
      capacity: resources,
      allocatable: resources,
      conditions,
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    };
    const body = { status };
    await expect(target.request('PATCH', `/api/v1/nodes/${name}/status`, body, MERGE));
    await target.create(LEASES, {
      metadata: { name },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime() },
    });
  }
  let isStopped = false;
  let beat = performance.now();
  let lastIp = 1;
  const loop = (async () => {
    while (!isStopped) {
      const { items } = (await target.request('GET', '/api/v1/pods')).body;
      for (const pod of items) if (pod.spec.nodeName) await runPod(target, pod, () => `10.1.0.${++lastIp % 250}`);
      if (performance.now() - beat > 5000) {
        beat = performance.now();
        const lease = { spec: { renewTime: microTime() } };
        for (const name of nodes) await target.request('PATCH', `${LEASES}/${name}`, lease, MERGE);
      }
      await sleep(100);
    }
  })();
  loop.catch((error) => process.stderr.write(`the fake kubelet has stopped: ${error.stack}\n`));
  return async () => {
    isStopped = true;
    await loop;
  };
}

const MERGE = 'application/merge-patch+json';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/**
 * @param {Target} target
 * @param {any} pod
 * @param {() => string} nextIp
 */
async function runPod(target, pod, nextIp) {
  const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`;
  if (pod.metadata.deletionTimestamp !== undefined) {
    await target.request('DELETE', path, { gracePeriodSeconds: 0 });
    return;
  }
  const isOfJob = pod.metadata.ownerReferences?.some((/** @type {any} */ owner) => owner.kind === 'Job') === true;
  const { phase } = pod.status;
  if (phase === 'Pending') await target.request('PATCH', `${path}/status`, { status: running(pod, nextIp()) }, MERGE);
  else if (phase === 'Running' && isOfJob)
    await target.request('PATCH', `${path}/status`, { status: succeeded(pod) }, MERGE);
}

/**
 * @param {any} pod
 * @param {string} podIP
 */
function running(pod, podIP) {
  return {
    phase: 'Running',
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: now(),
    conditions: conditions('True', pod),
    containerStatuses: containers(pod, true, { running: { startedAt: now() } }),
  };
}

/** @param {any} pod */
function succeeded(pod) {
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: pod.status.startTime, finishedAt: now() };
  return {
    phase: 'Succeeded',
    conditions: conditions('False', pod),
    containerStatuses: containers(pod, false, { terminated }),
  };
}

/**
 * @param {string} ready
 * @param {any} pod
 */
function conditions(ready, pod) {
  const scheduled = (pod.status.conditions ?? []).filter((/** @type {any} */ { type }) => type === 'PodScheduled');
  return [
    ...scheduled,
    ...['Initialized', 'Ready', 'ContainersReady'].map((type) => ({
      type,
      status: type === 'Initialized' ? 'True' : ready,
      lastTransitionTime: now(),
    })),
  ];
}

/**
 * @param {any} pod
 * @param {boolean} ready
 * @param {object} state
 */
function containers(pod, ready, state) {
  return pod.spec.containers.map((/** @type {any} */ { name, image }) => ({
    name,
    image,
    imageID: image,
    ready,
    restartCount: 0,
    state,
  }));
}

/** @param {Promise<import('./target.mjs').Answer>} request */
async function expect(request) {
  const { status, body } = await request;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
}

function now() {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

function microTime() {
  return `${new Date().toISOString().slice(0, 23)}000Z`;
}
