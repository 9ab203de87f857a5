// Informers that store less: objects selected by label or field, without some fields, or as other objects.
import { drop, SharedInformerFactory, terminationSignal } from 'kubeflect';
import { connect } from './cluster.mjs';

const signal = terminationSignal();
const { client, stop } = await connect(signal);
const factory = new SharedInformerFactory(client, { namespace: 'default', signal });

// The server sends only selected objects. With options each call makes a new informer; without, all calls share one.
const web = factory.core.v1.pods({ labelSelector: 'app=web', transform: drop(['metadata', 'annotations']) });
const running = factory.core.v1.pods({
  fieldSelector: 'status.phase=Running',
  transform: (pod) => ({ name: pod.metadata.name, node: pod.spec?.nodeName }),
});

// `facts` are read from the bytes: a filter that reads only these parses no object.
web.subscribe(({ type, key }) => console.log('web:', type, key), {
  filter: ({ type, facts }) => type !== 'update' || facts.deletionTimestamp !== undefined,
});
// A pod whose phase becomes Running is an add here, and a delete when the phase changes again.
running.subscribe(({ type, object }) => console.log('running:', type, `${object.name} on ${object.node}`));

factory.start();
await factory.waitForCacheSync({ signal });
console.log(`synced: ${web.lister.count()} pods of web`);
signal.addEventListener('abort', async () => {
  await factory.stop();
  await stop();
});
