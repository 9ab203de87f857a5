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

const value = 'x'.repeat(1_500);

if (values.child !== undefined) await child(JSON.parse(values.child));
else await main(Number(values.objects), Number(values.changes));

async function main(objects, changes) {
  const { Client } = await import('../dist/index.js');
  for (const ShardedListAndWatch of [true, false]) {
    const server = await startRealApiServer({ featureGates: { ShardedListAndWatch } });
    const client = await Client.fromKubeconfig({ text: server.kubeconfig });
    try {
      const maps = client.core.v1.configMaps('default');
      await inParallel(objects, (i) => maps.create({ metadata: { name: `map-${i}` }, data: { value } }));
      for (const shard of [undefined, { index: 0, of: 3 }]) {
        const change = (i) => maps.patch(`map-${i % objects}`, { data: { value: `${value}${shard?.of}${i}` } });
        const figures = await measure(server, shard, () => inParallel(changes, change));
        const row = {
          gate: ShardedListAndWatch ? 'on' : 'off',
          shard: shard === undefined ? 'all' : '1 of 3',
          ...figures,
        };
        process.stdout.write(`${JSON.stringify(row)}\n`);
      }
    } finally {
      await client.close();
      await server.stop();
    }
  }
}

/** Calls `write` so often, 16 times at once. */
async function inParallel(count, write) {
  let next = 0;
  const worker = async () => {
    while (next < count) await write(next++);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

async function measure(server, shard, change) {
  const proxy = await countingProxy(server.url);
  const text = server.kubeconfig.replaceAll(server.url, proxy.url);
  const informer = fork(fileURLToPath(import.meta.url), ['--child', JSON.stringify({ text, shard })], {
    execArgv: ['--expose-gc', '--no-warnings'],
  });
  const [synced] = await once(informer, 'message');
  const listed = proxy.received;
  await change();
  // The last changes are on their way.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const changed = proxy.received - listed;
  informer.send('end');
  await once(informer, 'exit');
  proxy.close();
  return { ...synced, listed, changed };
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
  const proxy = {
    url: '',
    received: 0,
    close: () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
    },
  };
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
  return proxy;
}
