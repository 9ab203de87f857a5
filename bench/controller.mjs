// What a controller costs: an event of an owned object until its owner is woken, and a run that finds everything as it should be.
//
//   node bench/controller.mjs [--objects 50000] [--quick]
//
// The embedded server runs in this process, in memory. It has nothing to do while events are replayed and while runs are measured; the first
// pass, in which everything is created, includes it.
import { parseArgs } from 'node:util';
import { startApiServer } from '../build/apiserver/index.js';
import { CachePool } from '../build/controller/caches.js';
import { createController } from '../build/controller/controller.js';
import { ControllerInstance } from '../build/controller/instance.js';
import { WakeSources } from '../build/controller/wakes/wakes.js';
import { realClock, resources, SharedInformerFactory } from '../build/index.js';
import { PriorityQueue } from '../build/workqueue/index.js';

const { values } = parseArgs({
  options: { objects: { type: 'string', default: '50000' }, quick: { type: 'boolean', default: false } },
});
const objects = values.quick ? 2000 : Number(values.objects);
const { configMaps, secrets, serviceAccounts, replicationControllers } = resources.core.v1;
const log = (line) => process.stderr.write(`${line}\n`);

/** Microseconds of CPU that `work` takes, by round. */
function cpuPerRound(rounds, work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / rounds;
}

/** The clock of the process, which counts the timers that are set. */
function countingClock() {
  let pending = 0;
  const clock = Object.create(realClock, {
    setTimer: {
      value: (ms, callback, options) => {
        pending++;
        let isOver = false;
        const end = () => {
          if (!isOver) pending--;
          isOver = true;
        };
        const fire = () => {
          end();
          callback();
        };
        const timer = realClock.setTimer(ms, fire, options);
        const cancel = () => {
          end();
          timer.cancel();
        };
        return { cancel, ref: () => timer.ref(), unref: () => timer.unref() };
      },
    },
  });
  return { clock, pending: () => pending };
}

async function until(condition) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
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
  await until(() => events.length >= count);

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
    onError: log,
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

/** A controller with three owned objects for each of its own, and a status. */
async function measureRuns() {
  const { clock, pending } = countingClock();
  const api = await startApiServer({ listen: false, controllers: ['system-namespaces'] });
  const client = api.client({ clock });
  const own = client.core.v1.replicationControllers('default');
  log(`creating ${objects} objects`);
  for (let i = 0; i < objects; i += 100) {
    const batch = Array.from({ length: Math.min(100, objects - i) }, (_, j) => `rc-${i + j}`);
    await Promise.all(
      batch.map((name) =>
        own.create({
          metadata: { name, labels: { app: name } },
          spec: {
            replicas: 2,
            selector: { app: name },
            template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
          },
        }),
      ),
    );
  }
  let runs = 0;
  let sent = 0;
  const caches = new CachePool();
  const instance = new ControllerInstance(
    createController({
      name: 'bench',
      for: replicationControllers,
      owns: [configMaps, secrets, serviceAccounts],
      workers: 50,
      async reconcile({ metadata: { name }, spec }, { apply, status }) {
        const labels = { app: name };
        await apply(configMaps, {
          metadata: { name, labels },
          data: { image: spec.template.spec.containers[0].image },
        });
        await apply(secrets, { metadata: { name, labels }, stringData: { token: name } });
        await apply(serviceAccounts, { metadata: { name, labels } });
        status({ replicas: spec.replicas });
      },
    }),
    {
      manager: 'bench',
      client,
      clock,
      caches,
      guard: (one) => one,
      recorder: () => ({ event: () => {} }),
      onError: (error) => log(error.message),
      observer: {
        runEnded: ({ writes, outcome, error }) => {
          runs++;
          sent += writes.length;
          if (outcome !== 'done') log(String(error));
        },
      },
    },
  );
  const isIdle = () => {
    const { queued, running, stale } = instance.activity;
    return queued + running + stale === 0;
  };
  const settled = async () => {
    for (let quiet = 0; quiet < 10; quiet = isIdle() ? quiet + 1 : 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const idleTimers = pending();
  instance.openCaches();
  await instance.whenSynced();
  const syncedTimers = pending();
  let startedAt = performance.now();
  let before = process.cpuUsage();
  instance.resume();
  await until(() => runs >= objects);
  await settled();
  const first = { seconds: (performance.now() - startedAt) / 1000, runs, sent, cpuS: cpuOf(before) / 1e6 };
  log(`first pass: ${JSON.stringify(first)}`);
  const passes = [];
  for (let pass = 0; pass < 3; pass++) {
    runs = 0;
    sent = 0;
    globalThis.gc?.();
    startedAt = performance.now();
    before = process.cpuUsage();
    instance.enqueue();
    await until(() => runs >= objects);
    passes.push({
      cpuUsPerRun: cpuOf(before) / runs,
      runsPerSecond: runs / ((performance.now() - startedAt) / 1000),
      sent,
    });
  }
  const timers = { before: idleTimers, caches: syncedTimers, afterRuns: pending() };
  await instance.suspend({ drainMs: 0, reason: new Error('end') });
  await instance.close();
  await caches.stop();
  await client.close();
  await api.stop();
  return { objects, first, passes, timers };
}

function cpuOf(before) {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const wakes = await measureWakes(values.quick ? 4000 : 40_000);
log(`wakes: ${JSON.stringify(wakes)}`);
const runs = await measureRuns();
console.log(JSON.stringify({ wakes, runs }, null, 1));
