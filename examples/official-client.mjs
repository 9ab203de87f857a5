// A program written for the informer of the official client. One changed import, and it continues after errors that stopped
// it before: broken connections, expired credentials, a server that is down. Needs @kubernetes/client-node beside kubeflect.
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { terminationSignal } from 'kubeflect';
import { makeInformer } from 'kubeflect/compat'; // was: '@kubernetes/client-node'
import { connect } from './cluster.mjs';

const signal = terminationSignal();
const { kubeconfig, stop } = await connect(signal);
const kc = new KubeConfig();
if (kubeconfig === undefined) kc.loadFromDefault();
else kc.loadFromString(kubeconfig);
const api = kc.makeApiClient(CoreV1Api);

const path = '/api/v1/namespaces/default/pods';
const informer = makeInformer(kc, path, () => api.listNamespacedPod({ namespace: 'default' }));
informer.on('add', (pod) =>
  console.log('added', pod.metadata.name, 'at', pod.metadata.creationTimestamp.toISOString()),
);
informer.on('update', (pod) => console.log('updated', pod.metadata.name, pod.status.phase));
informer.on('delete', (pod) => console.log('deleted', pod.metadata.name));
informer.on('error', (error) => console.log('error', error.message));
await informer.start();

signal.addEventListener('abort', async () => {
  await informer.stop();
  await stop();
});
