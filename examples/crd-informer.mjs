// A custom resource: its informer waits until the resource is defined, and a small controller writes its status.
import {
  byLabel,
  defineResource,
  processQueue,
  RateLimitingQueue,
  SharedInformerFactory,
  terminationSignal,
} from 'kubeflect';
import { connect } from './cluster.mjs';

const widgetResource = defineResource({
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

const signal = terminationSignal();
const { client, isEmbedded, stop } = await connect(signal);
const factory = new SharedInformerFactory(client, { signal, onError: () => {} });
const pods = factory.core.v1.pods();
const podsByApp = pods.addIndex('app', byLabel('app'));
const widgets = factory.forResource(widgetResource);
const widgetsByApp = widgets.addIndex('app', ['spec', 'app']);
const queue = new RateLimitingQueue({ name: 'widgets' });
widgets.enqueueInto(queue);
pods.enqueueInto(queue, { items: ({ facts }) => widgetsByApp.keys(facts.labels.app ?? '') });
let shown = '';
widgets.onStatus(({ state }) => {
  if (state === 'waitingForResource' && isEmbedded && shown !== state) void defineWidgets();
  if (state !== shown) console.log('widgets:', (shown = state));
});
factory.start();

await widgets.whenSynced({ signal }).catch(() => {});
await processQueue(queue, {
  signal,
  async reconcile(key, { signal }) {
    const widget = widgets.lister.get(key);
    if (widget === undefined) return console.log(key, 'is gone');
    const { namespace, name } = widget.metadata;
    const count = podsByApp.count(widget.spec.app);
    if (widget.status?.pods === count) return;
    const api = client.forResource(widgetResource, namespace);
    const { metadata } = await api.patchStatus(name, { pods: count }, { signal });
    console.log(key, 'has', count, 'pods');
    await widgets.waitForResourceVersion(metadata.resourceVersion, { signal }); // so that the next reconcile sees it
  },
});
await factory.stop();
await stop();

async function defineWidgets() {
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } };
  await client.apiextensions.v1.customResourceDefinitions().create({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  });
  const widget = { metadata: { name: 'front' }, spec: { app: 'web' } };
  await client.forResource(widgetResource, 'default').create(widget, { signal });
}
