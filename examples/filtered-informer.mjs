// Informers that keep less: by label, by field, without what is not needed, or as a shape of their own.
import { drop, SharedInformerFactory, terminationSignal } from 'kubeflect';
import { connect } from './cluster.mjs';

const signal = terminationSignal();
const { client, stop } = await connect(signal);
const factory = new SharedInformerFactory(client, { namespace: 'default', signal });

// The server sends only what is selected. With options it is an informer of your own; without, everybody shares one.
const web = factory.core.v1.pods({ labelSelector: 'app=web', transform: drop(['metadata', 'annotations']) });
const running = factory.core.v1.pods({
  fieldSelector: 'status.phase=Running',
  transform: (pod) => ({ name: pod.metadata.name, node: pod.spec?.nodeName }),
});

// `facts` are read from the bytes: a filter that needs no more than these never parses an object.
web.subscribe(({ type, key }) => console.log('web:', type, key), {
  filter: ({ type, facts }) => type !== 'update' || facts.deletionTimestamp !== undefined,
});
// A pod that begins to run comes into this selection as an add, and leaves it as a delete.
running.subscribe(({ type, object }) => console.log('running:', type, `${object.name} on ${object.node}`));

factory.start();
await factory.waitForCacheSync({ signal });
console.log(`synced: ${web.lister.count()} pods of web`);
signal.addEventListener('abort', async () => {
  await factory.stop();
  await stop();
});
