// Measures one informer of everything and one of three shards, on a real kube-apiserver with and without the feature gate
// ShardedListAndWatch: the memory of the process, and the bytes that it receives for the first list and for changes.
//
//   npm run build && node bench/shards.mjs [--objects 20000] [--changes 3000]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startRealApiServer } from '../test/real/real-api-server.mjs';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '20000' },
    changes: { type: 'string', default: '3000' },
    child: { type: 'string' },
  },
});

if (values.child !== undefined) await child(JSON.parse(values.child));
else await main(Number(values.objects), Number(values.changes));

async function main(objects, changes) {
  const { Client } = await import('../dist/index.js');
  for (const ShardedListAndWatch of [true, false]) {
    await using server = await startRealApiServer({ featureGates: { ShardedListAndWatch } });
    await using client = await Client.fromKubeconfig({ text: server.kubeconfig });
    const maps = client.core.v1.configMaps('default');
    const value = 'x'.repeat(1_500);
    const inParallel = async (count, write) => {
      let next = 0;
      const worker = async () => {
        while (next < count) await write(next++);
      };
      await Promise.all(Array.from({ length: 16 }, worker));
    };
    await inParallel(objects, (i) => maps.create({ metadata: { name: `map-${i}` }, data: { value } }));
    const gate = ShardedListAndWatch ? 'on' : 'off';
    for (const shard of [undefined, { index: 0, of: 3 }]) {
      await using proxy = await countingProxy(server.url);
      const text = server.kubeconfig.replaceAll(server.url, proxy.url);
      const process_ = fork(fileURLToPath(import.meta.url), ['--child', JSON.stringify({ text, shard })], {
        execArgv: ['--expose-gc', '--no-warnings'],
      });
      const [synced] = await once(process_, 'message');
      const listed = proxy.received;
      await inParallel(changes, (i) => maps.patch(`map-${i % objects}`, { data: { value: `${value}${gate}${i}` } }));
      // The last changes are on their way.
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const changed = proxy.received - listed;
      process_.send('end');
      await once(process_, 'exit');
      const row = { gate, shard: shard === undefined ? 'all' : '1 of 3', ...synced, listed, changed };
      process.stdout.write(`${JSON.stringify(row)}\n`);
    }
  }
}

async function child({ text, shard }) {
  const { Client, SharedInformerFactory } = await import('../dist/index.js');
  const client = await Client.fromKubeconfig({ text });
  const memory = () => {
    globalThis.gc();
    const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
    return { heapUsed, external: Math.max(external, arrayBuffers), rss };
  };
  const before = memory();
  const factory = new SharedInformerFactory(client, { namespace: 'default' });
  const informer = factory.core.v1.configMaps({ ...(shard && { shard }) });
  factory.start();
  await factory.waitForCacheSync();
  const after = memory();
  const bytes = after.heapUsed + after.external - before.heapUsed - before.external;
  process.send({ objects: informer.lister.count(), cacheBytes: bytes, rss: after.rss });
  await once(process, 'message');
  await factory.stop();
  await client.close();
  process.disconnect();
}

/** Counts the bytes that come from the server. */
async function countingProxy(url) {
  const { hostname, port } = new URL(url);
  const sockets = new Set();
  const proxy = { url: '', received: 0, [Symbol.asyncDispose]: async () => {} };
  const listener = createServer((inbound) => {
    const outbound = connect(Number(port), hostname);
    for (const socket of [inbound, outbound]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        inbound.destroy();
        outbound.destroy();
        sockets.delete(socket);
      });
    }
    outbound.on('data', (chunk) => {
      proxy.received += chunk.length;
    });
    inbound.pipe(outbound);
    outbound.pipe(inbound);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  proxy.url = `https://127.0.0.1:${listener.address().port}`;
  proxy[Symbol.asyncDispose] = async () => {
    for (const socket of sockets) socket.destroy();
    listener.close();
  };
  return proxy;
}
