// Prints the pods of a namespace by node, again after each change.
//   node examples/pods-table.mjs [NAMESPACE]
import { processQueue, RateLimitingQueue, SharedInformerFactory, terminationSignal } from 'kubeflect';
import { connect } from './cluster.mjs';

const signal = terminationSignal();
const { client, stop } = await connect(signal);
const factory = new SharedInformerFactory(client, { namespace: process.argv[2] ?? 'default', signal });
const pods = factory.core.v1.pods();
const podsByNode = pods.addIndex('node', ['spec', 'nodeName']); // reads the bytes; parses no object
const queue = new RateLimitingQueue();

// One item for all pods: any number of changes at once prints the table once.
pods.enqueueInto(queue, { items: () => ['table'] });
factory.start();
await factory.waitForCacheSync({ signal });

await processQueue(queue, {
  signal,
  reconcile() {
    console.log(`\n${pods.lister.count()} pods`);
    for (const node of podsByNode.values()) {
      console.log(`  ${node}`);
      for (const { metadata, status } of podsByNode.list(node)) {
        console.log(`    ${metadata.name.padEnd(40)} ${status?.phase}`);
      }
    }
  },
});
await factory.stop();
await stop();
