// The cluster of the examples: that of $KUBECONFIG, or one in this process, where a pod is created and the oldest one is
// deleted every second.
import { Client } from 'kubeflect';
import { startApiServer } from 'kubeflect/apiserver';

/** Resolves with a client of the cluster; `stop` closes it, and stops the cluster if it runs in this process. */
export async function connect(signal) {
  if (process.env.KUBECONFIG) {
    const client = await Client.fromDefault();
    return { client, isEmbedded: false, stop: () => client.close() };
  }
  const api = await startApiServer({ objects: [pod('web-0'), pod('web-1'), pod('batch-0', 'batch')] });
  const client = api.client();
  const living = live(client, signal);
  const stop = async () => {
    await living;
    await client.close();
    await api.stop();
  };
  return { client, isEmbedded: true, kubeconfig: api.kubeconfig, stop };
}

async function live(client, signal) {
  const pods = client.core.v1.pods('default');
  for (let next = 2; ; next++) {
    await client.clock.sleep(1_000, { signal }).catch(() => {});
    if (signal.aborted) return;
    await pods.create(pod(`web-${next}`));
    await pods.patchStatus(`web-${next}`, { phase: 'Running' });
    await pods.delete(`web-${next - 2}`, { gracePeriodSeconds: 0 });
  }
}

function pod(name, app = 'web') {
  const nodeName = `worker-${1 + (Number(name.split('-')[1]) % 2)}`;
  const metadata = { name, namespace: 'default', labels: { app } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName, containers: [{ name: 'main', image: app }] } };
}
