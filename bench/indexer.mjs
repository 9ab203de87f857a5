// Measures the store of an informer with three indexes, with handles and with plain objects, and reads of it. Runs on build/.
//
//   npm run build && node bench/indexer.mjs handles|objects|pipeline|list-raw|list-objects [--quick]
import { parseArgs } from 'node:util';
import { Indexer, RealFIFO } from '../build/cache/index.js';
import { DeltaProcessor } from '../build/cache/informer/delta-processor.js';
import { toItemIndexFunction } from '../build/cache/store/index-spec.js';
import { jsonCodec } from '../build/codec/json/json-codec.js';
import { rawAccessorOf } from '../build/codec/raw.js';
import { SlabArena } from '../build/codec/slab.js';
import { objectAccessor } from '../build/meta/accessor.js';
import { isMain } from './load-server/is-main.mjs';
import { eventBytes, nameOf, namespaceOf, typedPodOf } from './load-server/pods.mjs';

const paths = [
  ['metadata', 'namespace'],
  ['spec', 'nodeName'],
  ['metadata', 'labels', 'app.kubernetes.io/name'],
];
const names = ['namespace', 'node', 'app'];

const rate = (count, started) => count / ((performance.now() - started) / 1000);

/** The pods as handles whose indexed paths were read while decoding, as in an informer. */
function handles(count, version) {
  const arena = new SlabArena();
  const decoder = jsonCodec.watchDecoder({ arena, paths, drop: [['metadata', 'managedFields']] });
  const events = [];
  for (let i = 0; i < count; i++) {
    decoder.push(eventBytes('MODIFIED', typedPodOf(i, version + i)));
    while (decoder.read(events));
  }
  return events.map(({ object }) => object);
}

/** Small pods, as those of bench/client-go: the store is measured, not the access to large objects. */
const objects = (count, version) =>
  Array.from({ length: count }, (_, i) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: namespaceOf(i),
      name: nameOf(i),
      resourceVersion: String(version + i),
      labels: { 'app.kubernetes.io/name': `app-${i % 100}` },
    },
    spec: { nodeName: `worker-${i % 200}` },
  }));

function indexerOf(accessor, retention) {
  const indexers = Object.fromEntries(names.map((name, i) => [name, toItemIndexFunction(paths[i], accessor)]));
  return new Indexer({ accessor, indexers, retention });
}

function measureStore(accessor, rounds) {
  const store = indexerOf(accessor);
  const count = rounds[0].length;
  let started = performance.now();
  for (const item of rounds[0]) store.add(item);
  const add = rate(count, started);
  started = performance.now();
  for (const round of rounds.slice(1)) for (const item of round) store.update(item);
  const update = rate(count * (rounds.length - 1), started);
  const keys = store.listKeys();
  started = performance.now();
  let found = 0;
  for (let i = 0; i < 20; i++) for (const key of keys) if (store.getByKey(key) !== undefined) found++;
  const get = rate(found, started);
  started = performance.now();
  let listed = 0;
  for (let i = 0; i < 20_000; i++) listed += store.byIndex('node', `worker-${i % 200}`).length;
  return { add, update, get, byIndex: rate(listed, started) };
}

/** Deltas through the queue into the store, in batches, with a handler. */
function measurePipeline(accessor, rounds) {
  const store = indexerOf(accessor);
  const queue = new RealFIFO({ accessor });
  let told = 0;
  const process = new DeltaProcessor({
    store,
    keyOf: (item) => accessor.key(item),
    handler: { onAdd: () => told++, onUpdate: () => told++, onDelete: () => told++ },
  });
  const started = performance.now();
  for (const round of rounds) {
    for (let at = 0; at < round.length; ) {
      for (const end = Math.min(at + 1000, round.length); at < end; at++) queue.update(round[at]);
      for (let taken = queue.take(1000); taken !== undefined; taken = queue.take(1000)) {
        for (const _ of process.process(taken.deltas, taken.isInInitialList) ?? []);
        taken.finish();
      }
    }
  }
  return { perSecond: rate(told, started) };
}

/** `lister.list` of a namespace with a thousand pods, on an informer of a factory, over memory. */
async function measureLister(storage, times) {
  const [{ SharedInformerFactory }, { startApiServer }] = await Promise.all([
    import('../build/index.js'),
    import('../build/apiserver/index.js'),
  ]);
  const pods = Array.from({ length: 1000 }, (_, i) => {
    const pod = typedPodOf(i, 1);
    const { managedFields, resourceVersion, uid, ...metadata } = pod.metadata;
    return { ...pod, metadata: { ...metadata, namespace: namespaceOf(0) } };
  });
  const api = await startApiServer({ objects: pods, listen: false });
  const client = api.client();
  const factory = new SharedInformerFactory(client, { storage });
  const { lister } = factory.core.v1.pods();
  factory.start();
  await factory.waitForCacheSync();
  const read = { namespace: namespaceOf(0) };
  let started = performance.now();
  if (lister.list(read).length !== 1000) throw new Error('the namespace has not a thousand pods');
  const coldMs = performance.now() - started;
  // A thousand lists take about 20 ms: too short for one round, so this is the median of many.
  const rounds = [];
  for (let round = 0; round < 25; round++) {
    started = performance.now();
    for (let i = 0; i < times; i++) lister.list(read);
    rounds.push((performance.now() - started) / times);
  }
  const warmMs = rounds.sort((a, b) => a - b)[rounds.length >> 1];
  await factory.stop();
  await client.close();
  await api.stop();
  return { coldMs, warmMs };
}

/** Runs one part; each needs its own process, so that it does not run code that was optimized for another. */
export async function measureIndexer(part, { count = 10_000, rounds = 10, times = 1000 } = {}) {
  if (part === 'list-raw') return measureLister('raw', times);
  if (part === 'list-objects') return measureLister('objects', times);
  const accessor = part === 'objects' ? objectAccessor : rawAccessorOf();
  const make = part === 'objects' ? objects : handles;
  const items = Array.from({ length: rounds }, (_, round) => make(count, 1_000_000 * (round + 1)));
  const run = part === 'pipeline' ? measurePipeline : measureStore;
  // Some rounds to warm up: the steady state is measured.
  for (let i = 0; i < 3; i++) run(accessor, items);
  return run(accessor, items);
}

if (isMain(import.meta)) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean' } } });
  const size = values.quick ? { count: 5000, rounds: 5, times: 300 } : {};
  for (const part of positionals) console.log(JSON.stringify(await measureIndexer(part, size)));
}
