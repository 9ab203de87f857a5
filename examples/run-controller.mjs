// The controller beside this file as a program of its own. With $KUBECONFIG it runs on that cluster: where another
// controller looks after Deployments already, the two would fight, so it asks you to say that you mean it.
//   node examples/run-controller.mjs [--yes]
import { SharedInformerFactory, terminationSignal } from 'kubeflect';
import { connect } from './cluster.mjs';
import { runController } from './controller.mjs';

if (process.env.KUBECONFIG && !process.argv.includes('--yes')) {
  console.error('This makes pods for every Deployment of your cluster. Add --yes if its own controller is off.');
  process.exit(2);
}
const signal = terminationSignal();
const { client, isEmbedded, stop } = await connect(signal);
const factory = new SharedInformerFactory(client, { signal });
factory.core.v1.pods().subscribe(({ type, key }) => console.log(type, key), {
  filter: ({ facts }) => facts.ownerReferences.some(({ kind }) => kind === 'Deployment'),
});
if (isEmbedded) {
  const selector = { matchLabels: { app: 'shop' } };
  const template = { metadata: { labels: { app: 'shop' } }, spec: { containers: [{ name: 'shop', image: 'shop:1' }] } };
  const spec = { replicas: 3, selector, template };
  await client.apps.v1.deployments('default').create({ metadata: { name: 'shop' }, spec }, { signal });
}
console.log('ended:', await runController(client, factory, signal));
await factory.stop();
await stop();
