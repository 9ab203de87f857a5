// Reads the events of an informer in a loop: first an add for each object, then `synced`, then changes. A slow loop loses
// nothing: events wait, and with `coalesce` those of one object are merged into one.
import { SharedInformerFactory, terminationSignal } from 'kubeflect';
import { connect } from './cluster.mjs';

const signal = terminationSignal();
const { client, stop } = await connect(signal);
const factory = new SharedInformerFactory(client, { namespace: 'default', signal });
const pods = factory.core.v1.pods();
factory.start();

for await (const event of pods.events({ signal, coalesce: true })) {
  switch (event.type) {
    case 'add':
      console.log('+', event.key, event.isInInitialList ? '(was there)' : '');
      break;
    case 'update':
      console.log('~', event.key, event.old.status?.phase, '→', event.object.status?.phase);
      break;
    case 'delete':
      console.log('-', event.key, event.finalStateKnown ? '' : '(some time ago)');
      break;
    case 'synced':
      console.log('that is all there is, as of version', event.resourceVersion);
  }
}
await factory.stop();
await stop();
