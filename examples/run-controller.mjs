// Runs the controller of controller.mjs. With $KUBECONFIG it runs on that cluster and needs --yes, because the Deployment
// controller of a usual cluster would delete and create pods against it.
//   node examples/run-controller.mjs [--yes]
import { SharedInformerFactory, terminationSignal } from 'kubeflect';
import { connect } from './cluster.mjs';
import { makeManager } from './controller.mjs';

if (process.env.KUBECONFIG && !process.argv.includes('--yes')) {
  console.error(
    'This creates pods for every Deployment of your cluster. Add --yes if its own Deployment controller is off.',
  );
  process.exit(2);
}
const signal = terminationSignal();
const { client, isEmbedded, stop } = await connect(signal);
const factory = new SharedInformerFactory(client, { signal });
factory.core.v1.pods().subscribe(({ type, key }) => console.log(type, key), {
  filter: ({ facts }) => facts.ownerReferences.some(({ kind }) => kind === 'Deployment'),
});
factory.start();
if (isEmbedded) {
  const selector = { matchLabels: { app: 'shop' } };
  const template = { metadata: { labels: { app: 'shop' } }, spec: { containers: [{ name: 'shop', image: 'shop:1' }] } };
  const spec = { replicas: 3, selector, template };
  await client.apps.v1.deployments('default').create({ metadata: { name: 'shop' }, spec }, { signal });
}
await makeManager(client).run({ signal });
await factory.stop();
await stop();
