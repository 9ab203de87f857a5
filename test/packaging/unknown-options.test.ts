import { afterAll, expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.js';
import * as cache from '../../src/cache/index.js';
import { ListWatch as CompatListWatch } from '../../src/compat/index.js';
import * as controllers from '../../src/controller/index.js';
import { LeaderElectionHealth, LeaseLock } from '../../src/election/index.js';
import { EventBroadcaster } from '../../src/events/index.js';
import * as front from '../../src/index.js';
import { startInspector } from '../../src/inspector/index.js';
import { Health, httpHandler, informersCheck, MetricsRegistry, startMetrics } from '../../src/observe/index.js';
import * as rest from '../../src/rest/index.js';
import { createWorld, explore, FakeClock, FakeControllerSource } from '../../src/testing/index.js';
import * as queues from '../../src/workqueue/index.js';
import { distFile } from '../support/dist.js';
import { optionTakers } from './option-takers.js';

const clock = new FakeClock();
const api = await startApiServer({ clock, listen: false, workloads: { nodes: 0 } });
const client = api.client();
const factory = new front.SharedInformerFactory(client);
const pods = client.core.v1.pods('default');
const informer = factory.core.v1.pods();
const collection = { group: '', version: 'v1', resource: 'pods' };
const source = new FakeControllerSource<front.KubernetesObject>();
const accessor = cache.objectAccessor;
const lease = { namespace: 'default', name: 'lock' };
const elector = new front.LeaderElector(client, lease);
const broadcaster = new EventBroadcaster({ client });
const kubeconfig = { text: api.kubeconfig };
const store = new cache.Indexer({ accessor });
const fifo = new cache.RealFIFO({ accessor });
const priorities = new queues.PriorityQueue();
const subresource = pods.subresource('status');
const log = pods.subresource('log');
const nothing = () => {};
const controller = controllers.createController({
  name: 'pods',
  for: front.resources.core.v1.pods,
  reconcile: nothing,
});
const widgets = controllers.defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  spec: { size: controllers.field.integer() },
});
const named = { name: 'manager', port: false as const };
const manager = controllers.createManager(client, { ...named, controllers: [controller] });
const running = manager.controller(controller);
const world = await createWorld({ name: 'manager' }, { workloads: 'idle' });
const lists = { listWatch: source, accessor };

afterAll(async () => {
  await factory.stop();
  await broadcaster.close();
  await world[Symbol.asyncDispose]();
  await client.close();
  await api.stop();
});

/** Adds an unknown option to the required ones, as plain JavaScript could. */
const bogus = <O extends object>(options?: O): O => ({ ...options, bogus: 1 }) as unknown as O;
const request = () => client.rest.get().absPath('/version');

/** Calls each public function that takes options with an unknown one. */
const calls: Readonly<Record<string, () => unknown>> = {
  // Deletions first.
  'ResourceClient.delete': () => pods.delete('a', bogus()),
  'ResourceClient.deleteCollection': () => pods.deleteCollection(bogus()),
  'ResourceClient.get': () => pods.get('a', bogus()),
  'ResourceClient.create': () => pods.create({ metadata: { name: 'a' } }, bogus()),
  'ResourceClient.update': () => pods.update({} as never, bogus()),
  'ResourceClient.updateStatus': () => pods.updateStatus({} as never, bogus()),
  'ResourceClient.patch': () => pods.patch('a', {}, bogus()),
  'ResourceClient.patchStatus': () => pods.patchStatus('a', {}, bogus()),
  'ResourceClient.apply': () => pods.apply({ metadata: { name: 'a' } }, bogus({ fieldManager: 'me' })),
  'CollectionClient.list': () => pods.list(bogus()),
  'CollectionClient.listAll': () => pods.listAll(bogus()),
  'CollectionClient.watch': () => pods.watch(bogus()),
  'SubresourceClient.get': () => subresource.get('a', bogus()),
  'SubresourceClient.create': () => subresource.create('a', {} as never, bogus()),
  'SubresourceClient.update': () => subresource.update('a', {} as never, bogus()),
  'SubresourceClient.patch': () => subresource.patch('a', {}, bogus()),
  'SubresourceClient.apply': () => subresource.apply('a', {} as never, bogus({ fieldManager: 'me' })),
  'LogClient.text': () => log.text('a', bogus()),
  'LogClient.lines': () => log.lines('a', bogus()),
  'PodClient.exec': () => pods.exec('a', bogus({ command: ['x'] })),
  'PodClient.attach': () => pods.attach('a', bogus()),
  'PodClient.connect': () => pods.connect('a', 80, bogus()),
  'PodClient.portForward': () => pods.portForward('a', 80, bogus()),
  'PodClient.copyTo': () => pods.copyTo('a', 'x', 'y', bogus()),
  'PodClient.copyFrom': () => pods.copyFrom('a', 'x', 'y', bogus()),
  'PodClient.logs': () => pods.logs('a', bogus()),
  'ApiDiscovery.describe': () => client.apis.describe(collection, bogus()),
  'ApiDiscovery.failures': () => client.apis.failures(bogus()),
  'ApiDiscovery.groups': () => client.apis.groups(bogus()),
  'ApiDiscovery.resolve': () => client.apis.resolve('pods', bogus()),
  'ApiDiscovery.resourceOf': () => client.apis.resourceOf({ group: '', kind: 'Pod' }, bogus()),
  'ApiDiscovery.resources': () => client.apis.resources(bogus()),
  'ApiDiscovery.version': () => client.apis.version(bogus()),
  retryOnConflict: () => front.retryOnConflict(async () => 1, bogus()),

  'new Client': () => new front.Client(bogus({ server: 'https://localhost:1' })),
  'Client.fromDefault': () => front.Client.fromDefault(bogus()),
  'Client.fromKubeconfig': () => front.Client.fromKubeconfig(kubeconfig, bogus()),
  'Client.apply': () => client.apply([], bogus()),
  'Client.delete': () => client.delete([], bogus()),
  'Client.diff': () => client.diff([], bogus()),
  'Client.waitFor': () => client.waitFor(front.resources.core.v1.pods, 'a', () => true, bogus()),
  'the set of prune': () => client.apply([], { prune: bogus({ name: 'a' }) }),
  'the files of a manifest': () => client.apply(bogus({ path: '/nowhere' })),
  'Client.topPods': () => client.topPods(bogus()),
  'Client.topNodes': () => client.topNodes(bogus()),
  'the target of a proxy': () => client.proxy(bogus({ node: 'a' })),
  'ApiDiscovery.openapi': () => client.apis.openapi({ group: '', version: 'v1' }, bogus()),
  readKubeconfig: () => rest.readKubeconfig(bogus()),
  updateKubeconfig: () => rest.updateKubeconfig(nothing, bogus()),
  'Client.resolve': () => client.resolve('pods', bogus()),
  connectionConfig: () => rest.connectionConfig(bogus({ server: 'https://localhost:1' })),
  defaultConfig: () => rest.defaultConfig(bogus()),
  inClusterConfig: () => rest.inClusterConfig(bogus()),
  loadKubeconfig: () => rest.loadKubeconfig(kubeconfig, bogus()),
  'new RestClient': () => new rest.RestClient({ server: 'https://localhost:1' }, bogus()),
  'new TokenBucket': () => new rest.TokenBucket(clock, bogus({ qps: 1, burst: 1 })),
  'TokenBucket.wait': () => new rest.TokenBucket(clock, { qps: 1, burst: 1 }).wait(bogus()),
  'Request.do': () => request().do(bogus()),
  'Request.doRaw': () => request().doRaw(bogus()),
  'Request.list': () => request().list(bogus()),
  'Request.stream': () => request().stream(bogus()),
  'Request.watch': () => request().watch(bogus()),

  'new SharedInformerFactory': () => new front.SharedInformerFactory(client, bogus()),
  'SharedInformerFactory.acquire': () => factory.acquire(collection, bogus()),
  'SharedInformerFactory.forResource': () => factory.forResource(collection, bogus()),
  'SharedInformerFactory.metadata': () => factory.metadata(collection, bogus()),
  'SharedInformerFactory.waitForCacheSync': () => factory.waitForCacheSync(bogus()),
  'InformerAccessor.call': () => factory.core.v1.pods(bogus()),
  'Lister.count': () => informer.lister.count(bogus()),
  'Lister.entries': () => informer.lister.entries(bogus()).next(),
  'Lister.keys': () => informer.lister.keys(bogus()),
  'Lister.list': () => informer.lister.list(bogus()),
  'Lister.scan': () => informer.lister.scan(bogus()).next(),
  'SharedIndexInformer.addEventHandler': () => informer.addEventHandler({}, bogus()),
  'SharedIndexInformer.enqueueInto': () => informer.enqueueInto({ add: nothing }, bogus()),
  'SharedIndexInformer.events': () => informer.events(bogus()),
  'SharedIndexInformer.subscribe': () => informer.subscribe(nothing, bogus()),
  'SharedIndexInformer.waitForResourceVersion': () => informer.waitForResourceVersion('1', bogus()),
  'SharedIndexInformer.whenSynced': () => informer.whenSynced(bogus()),
  'Subscription.whenSynced': () => informer.subscribe(nothing).whenSynced(bogus()),
  'new Reflector': () => new cache.Reflector(bogus({ ...lists, store })),
  'new Controller': () => new cache.Controller(bogus({ ...lists, queue: fifo, process: nothing })),
  'Controller.whenSynced': () => new cache.Controller({ ...lists, queue: fifo, process: nothing }).whenSynced(bogus()),
  newInformer: () => cache.newInformer(bogus({ ...lists, handler: {} })),
  'new ClientListWatch': () => new cache.ClientListWatch(client, collection, bogus()),
  'ListWatch.fromClient': () => cache.ListWatch.fromClient(client, collection, bogus()),
  until: () => cache.until(pods, () => true, bogus({ resourceVersion: '1' })),
  untilWithSync: () => cache.untilWithSync(pods, () => true, bogus()),
  'new RetryWatcher': () => new cache.RetryWatcher(pods, bogus({ resourceVersion: '1' })),
  'new DeltaFIFO': () => new cache.DeltaFIFO(bogus({ accessor })),
  'new RealFIFO': () => new cache.RealFIFO(bogus({ accessor })),
  'RealFIFO.popBatch': () => fifo.popBatch(nothing, nothing, bogus()),
  'Queue.pop': () => fifo.pop(nothing, bogus()),
  'Queue.whenSynced': () => fifo.whenSynced(bogus()),
  'new Indexer': () => new cache.Indexer(bogus({ accessor })),
  ownerKeys: () => front.ownerKeys(bogus({ group: '', kind: 'Pod' })),
  'a label selector': () => informer.lister.list({ labelSelector: bogus() }),
  'preconditions of a deletion': () => pods.delete('a', { preconditions: bogus() }),
  'a kubeconfig': () => front.Client.fromKubeconfig(bogus({ path: '/nowhere' })),

  processQueue: () => front.processQueue(new front.RateLimitingQueue(), bogus({ reconcile: nothing })),
  'new RateLimitingQueue': () => new front.RateLimitingQueue(bogus()),
  'new WorkQueue': () => new queues.WorkQueue(bogus()),
  'WorkQueue.get': () => priorities.get(bogus()),
  'WorkQueue.ready': () => priorities.ready(bogus()),
  'WorkQueue.shutDown': () => priorities.shutDown(bogus()),
  'new PriorityQueue': () => new queues.PriorityQueue(bogus()),
  'PriorityQueue.add': () => priorities.add('a', bogus()),
  'PriorityQueue.addAfter': () => priorities.addAfter('a', 1, bogus()),
  'PriorityQueue.addRateLimited': () => priorities.addRateLimited('a', bogus()),
  parallelizeUntil: () => queues.parallelizeUntil(bogus({ workers: 1, pieces: 0 }), nothing),
  defaultControllerLimiter: () => queues.defaultControllerLimiter(bogus()),
  'new BucketLimiter': () => new queues.BucketLimiter(bogus()),
  'new ItemExponentialLimiter': () => new queues.ItemExponentialLimiter(bogus()),
  'new ItemFastSlowLimiter': () => new queues.ItemFastSlowLimiter(bogus({ fastMs: 1, slowMs: 2, fastTries: 3 })),
  'new MaxWaitLimiter': () => new queues.MaxWaitLimiter(new queues.ItemExponentialLimiter(), bogus({ maxMs: 1 })),

  'new LeaderElector': () => new front.LeaderElector(client, bogus(lease)),
  'LeaderElector.run': () => elector.run(async () => {}, bogus()),
  'new LeaseLock': () => new LeaseLock(client, bogus({ ...lease, identity: 'me' })),
  'LeaseLock.get': () => elector.lock.get(bogus()),
  'LeaseLock.create': () => elector.lock.create({} as never, bogus()),
  'LeaseLock.update': () => elector.lock.update({} as never, bogus()),
  'new LeaderElectionHealth': () => new LeaderElectionHealth(bogus()),
  'new EventBroadcaster': () => new EventBroadcaster(bogus({ client })),
  'EventBroadcaster.recorder': () => broadcaster.recorder(bogus({ component: 'me' })),
  'EventBroadcaster.close': () => broadcaster.close(bogus()),
  'correlation of events': () => new EventBroadcaster({ client, correlation: bogus() }),
  'series of events': () => new EventBroadcaster({ client, api: 'events.k8s.io/v1', series: bogus() }),

  'Health.report': () => new Health().report('readyz', bogus()),
  httpHandler: () => httpHandler(bogus()),
  informersCheck: () => informersCheck([], bogus()),
  startMetrics: () => startMetrics(bogus()),
  startInspector: () => startInspector(bogus({ factory })),
  'MetricsRegistry.counter': () => new MetricsRegistry().counter(bogus({ name: 'a', help: 'b' })),
  'MetricsRegistry.gauge': () => new MetricsRegistry().gauge(bogus({ name: 'a', help: 'b' })),
  'MetricsRegistry.histogram': () => new MetricsRegistry().histogram(bogus({ name: 'a', help: 'b' })),

  startApiServer: () => startApiServer(bogus()),
  'Workloads.crash': () => api.workloads!.crash('default', 'a', bogus()),
  'ApiServer.client': () => api.client(bogus()),
  'ApiServer.restart': () => api.restart(bogus()),
  'Faults.refuseConnections': () => api.faults.refuseConnections(bogus()),
  'a fault': () => api.faults.inject(bogus({ delayMs: 1 })),
  'the answer of a fault': () => api.faults.inject({ respond: bogus({ status: 500 }) }),

  'new FakeClock': () => new FakeClock(bogus()),
  'FakeClock.sleep': () => clock.sleep(1, bogus()),
  'FakeClock.setTimer': () => clock.setTimer(1, nothing, bogus()),
  'FakeClock.until': () => clock.until(() => true, bogus()),
  'new FakeControllerSource': () => new FakeControllerSource(bogus()),
  'FakeControllerSource.add': () => source.add({} as never, bogus()),
  'FakeControllerSource.modify': () => source.modify({} as never, bogus()),
  'FakeControllerSource.delete': () => source.delete({} as never, bogus()),
  createWorld: () => createWorld(named, bogus()),
  'options of a manager in a world': () => createWorld(bogus(named)),
  explore: () =>
    explore(
      () => named,
      async () => {},
      bogus(),
    ),
  'World.settle': () => world.settle(bogus()),

  createController: () => controllers.createController(bogus({ name: 'a', for: controller.for, reconcile: nothing })),
  'RunningController.watch': () => running.watch(controller.for, bogus({ requests: () => [] })),
  addFinalizer: () => controllers.addFinalizer(pods, { metadata: {} } as never, 'a', bogus()),
  removeFinalizer: () => controllers.removeFinalizer(pods, { metadata: {} } as never, 'a', bogus()),
  applyOwned: () => controllers.applyOwned(client, controller.for, {} as never, bogus({ fieldManager: 'a' } as never)),
  ownerReference: () => controllers.ownerReference({ metadata: {} } as never, bogus()),
  createManager: () => controllers.createManager(client, bogus(named)),
  'Manager.run': () => manager.run(bogus()),
  'Manager.whenReady': () => manager.whenReady(bogus()),
  validate: () => controllers.validate(widgets, bogus({ check: nothing })),
  mutate: () => controllers.mutate(widgets, bogus({ change: nothing })),
  'the functions of convert': () =>
    controllers.convert(widgets, { ...widgets, version: 'v2' }, bogus({ up: nothing, down: nothing }) as never),
  'options of the webhook server': () => controllers.manifests({ ...named, webhookServer: bogus({}) }),
  'the service of the webhook server': () =>
    controllers.manifests({ ...named, webhookServer: { service: bogus({ name: 'a' }) } }),
  'the files of the webhook server': () =>
    controllers.manifests({ ...named, webhookServer: { certificates: bogus({ certFile: 'a', keyFile: 'b' }) } }),
  manifests: () => controllers.manifests(bogus(named)),
  'the deployment of manifests': () => controllers.manifests(named, bogus({ image: 'a' })),
  'new ListWatch': () =>
    new CompatListWatch('/', { config: {} as never }, async () => ({}) as never, false, undefined, undefined, bogus()),
};

/** Functions whose options users do not write. */
const leftOut: Readonly<Record<string, RegExp>> = {
  'called by the library, with options that it made':
    /^(Codec|ListSource|WatchSource|ListWatchFunctions|Watchable|Collection|RequestLimiter|LeaseClient|KubeConfigLike|ProcessOptions|ReconcileQueue|Clock)\./,
  'the seam between sources and reflectors':
    /ListWatch\.(list|open)$|^(ResourceSource|FakeControllerSource)\.(list|open)$/,
  'the same function under the name of its interface': /^(SharedInformer|SingleConsumerQueue|InformerWatcher)\./,
  'machinery of caches and codecs':
    /^(new )?(DecodeFlow|DeltaProcessor|ExpirationCache|Heap|MappedListWatch|MetricFamily|MutationCache|MutationDetector|ResourceSource|SlabArena|UndeltaStore)\b/,
  'called by controllers, within a run, or by a manager': /^Controller(Context|Options)\./,
  'takes any field on purpose': /^Request\.params$/,
  'has the shape of the official client, which takes any field':
    /^(KubeConfig|KubernetesObjectApi)\.|^setHeaderOptions$|^Log\.log$/,
};

it.each(Object.keys(calls))('%s refuses an unknown option', async (name) => {
  await expect(async () => calls[name]?.()).rejects.toThrow(/ has no option "bogus".*Its options are \w+/);
  await expect(async () => calls[name]?.()).rejects.toBeInstanceOf(TypeError);
});

it('every public function that takes options is one of these', () => {
  const folders = [
    'cache',
    'client',
    'rest',
    'workqueue',
    'election',
    'events',
    'controller',
    'observe',
    'inspector',
    'apiserver',
    'testing',
    'compat',
  ];
  const takers = optionTakers(['index.d.ts', ...folders.map((folder) => `${folder}/index.d.ts`)].map(distFile));
  expect(takers.length).toBeGreaterThan(100);
  const untested = takers.filter((name) => !(name in calls) && !Object.values(leftOut).some((why) => why.test(name)));
  expect(untested).toEqual([]);
}, 60_000);

it('a misspelt selector deletes nothing, and the error suggests the right name', async () => {
  const configMaps = client.core.v1.configMaps('default');
  for (const i of ['0', '1']) await configMaps.create({ metadata: { name: `c${i}`, labels: { i } } });
  const misspelt = { selector: 'i=0' } as object;
  await expect(configMaps.deleteCollection(misspelt)).rejects.toThrow(
    `deleteCollection has no option "selector"; did you mean 'labelSelector' or 'fieldSelector'?`,
  );
  await expect(configMaps.deleteCollection({ labelSelector: { i: '0' } as object })).rejects.toThrow(TypeError);
  expect((await configMaps.list()).items).toHaveLength(2);
  expect(() => new front.SharedInformerFactory(client, { namespaces: ['a'] } as object)).toThrow("'namespace'?");
  await expect(configMaps.list('default' as never)).rejects.toThrow('the options of list must be an object');
});
