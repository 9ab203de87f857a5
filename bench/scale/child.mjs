// What one informer holds, in its own process:
//
//   node --expose-gc bench/scale/child.mjs <url> <kind> <form> <count>
//
// Prints the bytes of memory per object, and the CPU time of the first sync.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, defineResource, drop, resources, SharedInformerFactory } from '../../dist/index.js';

const [, , url, kind, form, countText] = process.argv;
const count = Number(countText);
const { BENCH_CA: caFile, BENCH_TOKEN: token } = process.env;

const kinds = {
  pods: resources.core.v1.pods,
  configmaps: resources.core.v1.configMaps,
  widgets: defineResource({
    group: 'scale.kubeflect.dev',
    version: 'v1',
    resource: 'widgets',
    kind: 'Widget',
    namespaced: true,
  }),
};

const dropped = { pods: 'spec', configmaps: 'data', widgets: 'spec' };
const forms = {
  keys: {},
  'metadata only': { metadataOnly: true },
  transform: { informer: { transform: drop([dropped[kind]]) } },
  objects: { informer: { storage: 'objects' } },
  JSON: { wire: 'json' },
};

const { wire = 'protobuf', metadataOnly, informer: options = {} } = forms[form];
const client = new Client({ server: url, caFile, token, wire });
const factory = new SharedInformerFactory(client);
const memory = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
// The modules of the codec are loaded by the first request.
await client.forResource(kinds[kind], 'default').list({ limit: 1 });
gc();
const before = memory();
const cpu = process.cpuUsage();
const { informer } = factory.acquire(kinds[kind], { metadataOnly, informer: { namespace: 'scale', ...options } });
informer.subscribe(() => {});
await informer.whenSynced();
while (informer.lister.count() < count) await sleep(50);
const { user, system } = process.cpuUsage(cpu);
await sleep(500);
gc();
await sleep(500);
gc();
const result = {
  bytes: (memory() - before) / count,
  cpuMicros: (user + system) / count,
  held: informer.lister.count(),
};
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
