// A program that the inspector's page is tested with: an operator with informers and controllers on an API server of its own, under load.
//
//   node test/inspector/busy-process.mjs [--changes N] [--problems] [--load-server URL] [--for SECONDS]
//
// It prints one line of JSON with the address of its inspector. Each line that it reads on its standard input is answered with one line of
// JSON: what the program itself knows about its caches, runs and problems. With --problems it has the faults that the page must show: an
// informer whose lists and watches fail, a handler that holds the event loop, a loop that wakes itself by what it writes, and a key that fails.
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { Client, defineResource, processQueue, RateLimitingQueue, resources, SharedInformerFactory } from 'kubeflect';
import { startApiServer } from 'kubeflect/apiserver';
import { createController, createManager, field } from 'kubeflect/controller';
import { startInspector } from 'kubeflect/inspector';

const { values: options } = parseArgs({
  options: {
    changes: { type: 'string', default: '50' },
    problems: { type: 'boolean', default: false },
    'load-server': { type: 'string' },
    for: { type: 'string', default: '300' },
  },
});

const ending = new AbortController();
const { signal } = ending;
process.once('SIGTERM', () => ending.abort());
setTimeout(() => ending.abort(), Number(options.for) * 1000).unref();

const websites = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  spec: { image: field.string(), replicas: field.integer({ minimum: 0, default: 2 }) },
  status: { replicas: field.optional(field.integer()), conditions: field.conditions() },
});
const { deployments } = resources.apps.v1;
const names = ['shop', 'blog', 'wiki', 'docs', 'mail', 'chat'];
const runs = { ended: 0, failed: 0 };

const site = createController({
  name: 'websites',
  for: websites,
  owns: [deployments],
  async reconcile({ metadata: { name }, spec: { image, replicas } }, { apply, status }) {
    runs.ended++;
    if (options.problems && name === 'broken') {
      runs.failed++;
      throw new Error('the registry does not have the image nginx:unknown');
    }
    const labels = { website: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } };
    await apply(deployments, {
      metadata: { name, labels },
      spec: { replicas, selector: { matchLabels: labels }, template },
    });
    status({ replicas });
    return undefined;
  },
});
const api = await startApiServer({ bookmarkIntervalMs: 1000, controllers: ['system-namespaces'] });
const client = api.client();
const manager = createManager(client, {
  name: 'website-operator',
  controllers: [site],
  definitions: 'apply',
  port: false,
});
const managing = manager.run({ signal });
await manager.whenReady();

const pod = (i) => ({
  metadata: { name: `web-${i}`, labels: { app: names[i % names.length] } },
  spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] },
});
const pods = client.core.v1.pods('default');
for (let i = 0; i < 40; i++) await pods.create(pod(i));
await client.core.v1
  .secrets('default')
  .create({ metadata: { name: 'tls' }, stringData: { password: 'a-secret-value' } });
await client.core.v1.configMaps('default').create({ metadata: { name: 'settings' }, data: { step: '0' } });
await client.core.v1.nodes().create({ metadata: { name: 'worker-1' } });

const factory = new SharedInformerFactory(client, { signal });
const cached = {
  pods: factory.core.v1.pods(),
  configmaps: factory.core.v1.configMaps(),
  secrets: factory.core.v1.secrets(),
  nodes: factory.core.v1.nodes(),
};
const byApp = cached.pods.addIndex('app', ['metadata', 'labels', 'app']);
const queue = new RateLimitingQueue({ name: 'pods-by-hand' });
cached.pods.enqueueInto(queue);
cached.pods.subscribe(() => {}, { name: 'pod counter' });
cached.configmaps.subscribe(
  () => {
    if (options.problems) holdEventLoop(80);
  },
  { name: 'settings reader' },
);
factory.start();
const processing = processQueue(queue, { signal, workers: 2, reconcile: count });
await factory.waitForCacheSync({ signal });

const load = options['load-server'] === undefined ? undefined : new Client({ server: options['load-server'] });
const loaded = load === undefined ? undefined : new SharedInformerFactory(load, { signal });
if (loaded !== undefined) {
  loaded.core.v1.pods().subscribe(() => {}, { name: 'load' });
  loaded.start();
  await loaded.waitForCacheSync({ signal });
}

const sites = client.forResource(websites, 'default');
for (const name of names) await sites.create({ metadata: { name }, spec: { image: 'nginx:1.29' } });
if (options.problems) {
  await sites.create({ metadata: { name: 'broken' }, spec: { image: 'nginx:unknown' } });
  for (const verb of ['list', 'watch'])
    api.faults.inject({
      resource: 'nodes',
      verb,
      respond: { status: 500, reason: 'InternalError' },
      times: Number.POSITIVE_INFINITY,
    });
  api.faults.dropConnections();
}

const inspector = await startInspector({
  factory: loaded === undefined ? [factory] : [factory, loaded],
  manager,
  queues: [queue],
});
console.log(JSON.stringify({ url: inspector.url }));

createInterface({ input: process.stdin }).on('line', () => console.log(JSON.stringify(report())));
await churn();
await inspector.stop();
await Promise.allSettled([managing, processing, factory.stop(), loaded?.stop()]);
await Promise.all([client.close(), load?.close()]);
await api.stop();

/** Writes the pod that it was called for, if it is this one, and is so called again: a hot loop. */
async function count(key) {
  if (!options.problems || key !== 'default/web-0') return;
  await new Promise((resolve) => setTimeout(resolve, 25));
  await pods.patch('web-0', { metadata: { annotations: { counted: String(performance.now()) } } });
}

/** What the program knows without the inspector. */
function report() {
  return {
    objects: Object.fromEntries(
      Object.entries(cached).map(([name, informer]) => [name, informer.lister.list().length]),
    ),
    shopPods: byApp.count('shop'),
    runs,
    pid: process.pid,
  };
}

/** Changes pods, settings and websites in turn, `--changes` times a second. */
async function churn() {
  const perTick = Math.max(1, Math.round(Number(options.changes) / 20));
  for (let step = 0; !signal.aborted; step++) {
    const began = performance.now();
    for (let i = 0; i < perTick; i++) {
      const name = `web-${(step * perTick + i) % 40}`;
      await pods.patch(name, { metadata: { annotations: { step: String(step) } } }).catch(() => {});
    }
    if (step % 10 === 0) {
      await client.core.v1
        .configMaps('default')
        .patch('settings', { data: { step: String(step) } })
        .catch(() => {});
      const name = names[(step / 10) % names.length];
      await sites.patch(name, { spec: { replicas: (step / 10) % 5 } }).catch(() => {});
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 50 - (performance.now() - began))));
  }
}

function holdEventLoop(ms) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
