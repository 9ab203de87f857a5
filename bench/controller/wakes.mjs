// What an event of an owned object costs until its owner is woken, beside `enqueueInto`. Runs on the embedded server in this process, which
// has nothing to do while the events are replayed.
//
//   node bench/controller/wakes.mjs <events>
import { startApiServer } from '../../build/apiserver/index.js';
import { WakeSources } from '../../build/controller/wakes/wakes.js';
import { resources, SharedInformerFactory } from '../../build/index.js';
import { PriorityQueue } from '../../build/workqueue/index.js';

const { configMaps } = resources.core.v1;

/** Microseconds of CPU that `work` takes, by round. */
function cpuPerRound(rounds, work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / rounds;
}

/** Events of an informer, replayed into a queue as `enqueueInto` does, and into the handler of a controller. */
async function measureWakes(count) {
  const api = await startApiServer({ listen: false, controllers: ['system-namespaces'] });
  const client = api.client();
  const factory = new SharedInformerFactory(client);
  const owner = {
    group: '',
    version: 'v1',
    resource: 'replicationcontrollers',
    kind: 'ReplicationController',
    namespaced: true,
  };
  const owners = 200;
  const maps = client.core.v1.configMaps('default');
  const informer = factory.core.v1.configMaps();
  const events = [];
  informer.subscribe((event) => void (event.type === 'update' && events.push(event)));
  factory.start();
  for (let i = 0; i < owners; i++) {
    const ownerReferences = [
      {
        apiVersion: 'v1',
        kind: owner.kind,
        name: `owner-${i}`,
        uid: `uid-${i}`,
        controller: true,
        blockOwnerDeletion: true,
      },
    ];
    await maps.create({ metadata: { name: `map-${i}`, labels: { app: 'web' }, ownerReferences }, data: { n: '0' } });
  }
  for (let n = 1; n <= count / owners; n++)
    for (let i = 0; i < owners; i++) await maps.patch(`map-${i}`, { data: { n: `${n}` } });
  while (events.length < count) await new Promise((resolve) => setTimeout(resolve, 20));

  const known = new Set(Array.from({ length: owners }, (_, i) => `default/owner-${i}`));
  const entry = (key) => (known.has(key) ? {} : undefined);
  const listeners = [];
  const cache = {
    resource: configMaps,
    waiting: new Map(),
    lease: { informer: { subscribe: (listener) => void listeners.push(listener) } },
  };
  const queue = new PriorityQueue();
  new WakeSources({
    definition: { name: 'bench', for: owner },
    caches: { main: { ...cache, entry, resource: owner }, owned: [cache] },
    wake: (key, hint) => queue.addWithHint(key, hint),
    mainEvent: () => {},
    cacheChanged: () => {},
    onError: (error) => console.error(error.message),
  }).addOwn();
  const [, listener] = listeners;
  const plain = new PriorityQueue();
  const hint = { cause: 'configmaps update', background: false };
  const half = Math.floor(events.length / 2);
  const replay = (from, to, handle) =>
    cpuPerRound(to - from, () => {
      for (let i = from; i < to; i++) handle(events[i]);
    });
  // The first halves warm both up; no event is read twice by the controller.
  replay(0, half, (event) => plain.addWithHint(event.key, hint));
  replay(0, half, listener);
  const enqueueInto = replay(half, events.length, (event) => plain.addWithHint(event.key, hint));
  const owned = replay(half, events.length, listener);
  if (queue.length !== owners) throw new Error(`${queue.length} owners were woken instead of ${owners}`);
  await factory.stop();
  await client.close();
  await api.stop();
  return { events: events.length, enqueueIntoUs: enqueueInto, ownedUs: owned, aboveUs: owned - enqueueInto };
}

console.log(JSON.stringify(await measureWakes(Number(process.argv[2]))));
