// What a user's program does, on any runtime: informers over http and https, many writes at once, large answers, a controller in
// virtual time, a worker thread. Prints one line per part, and exits with 1 if a part failed.
import assert from 'node:assert/strict';
import { Client, resources, SharedInformerFactory } from 'kubeflect';
import { startApiServer } from 'kubeflect/apiserver';
import { createController } from 'kubeflect/controller';
import { createWorld } from 'kubeflect/testing';

const { configMaps } = resources.core.v1;
const OBJECTS = 2000;
const LARGE_BYTES = 200_000;
const LARGE_OBJECTS = 60;

/** An informer must see all objects, changes and deletions of a server. */
async function informer(options) {
  const api = await startApiServer(options);
  const client = await Client.fromKubeconfig({ text: api.kubeconfig });
  try {
    const maps = client.core.v1.configMaps('default');
    const names = Array.from({ length: OBJECTS }, (_, i) => `map-${i}`);
    await Promise.all(names.map((name) => maps.create({ metadata: { name }, data: { round: '1' } })));
    const factory = new SharedInformerFactory(client);
    const informer = factory.forResource(configMaps);
    let seen = 0;
    informer.addEventHandler({ onUpdate: () => seen++, onDelete: () => seen++ });
    factory.start();
    await informer.whenSynced({ signal: AbortSignal.timeout(60_000) });
    const count = () => informer.lister.list({ namespace: 'default' }).filter(({ data }) => data?.round).length;
    assert.equal(count(), OBJECTS);
    await Promise.all(names.map((name) => maps.patch(name, { data: { round: '2' } })));
    await Promise.all(names.slice(0, 10).map((name) => maps.delete(name)));
    await until(() => seen >= OBJECTS + 10);
    assert.equal(count(), OBJECTS - 10);
    await factory.stop();
  } finally {
    await client.close();
    await api.stop();
  }
}

/** An informer on a server in another process, whose runtime is Node. */
async function otherProcess() {
  const client = await Client.fromKubeconfig({ path: process.env.RUNTIMES_KUBECONFIG });
  const factory = new SharedInformerFactory(client);
  const informer = factory.forResource(configMaps);
  factory.start();
  await informer.whenSynced({ signal: AbortSignal.timeout(60_000) });
  const items = await informer.lister.list({ namespace: 'large' });
  assert.equal(items.filter(({ data }) => data?.text?.length === LARGE_BYTES).length, LARGE_OBJECTS);
  const maps = client.core.v1.configMaps('large');
  const name = `from-${process.pid}`;
  await maps.create({ metadata: { name } });
  await until(() => informer.lister.get(`large/${name}`) !== undefined);
  await maps.delete(name);
  await until(() => informer.lister.get(`large/${name}`) === undefined);
  await factory.stop();
  await client.close();
}

/** A list of many megabytes must arrive whole, also while others are read. */
async function largeAnswers(options) {
  const api = await startApiServer(options);
  const client = await Client.fromKubeconfig({ text: api.kubeconfig });
  try {
    const maps = client.core.v1.configMaps('default');
    const text = 'x'.repeat(LARGE_BYTES);
    for (let i = 0; i < LARGE_OBJECTS; i++) await maps.create({ metadata: { name: `large-${i}` }, data: { text } });
    const lists = await Promise.all([maps.list(), maps.list(), maps.list()]);
    for (const { items } of lists) {
      assert.equal(items.filter(({ data }) => data?.text?.length === LARGE_BYTES).length, LARGE_OBJECTS);
    }
  } finally {
    await client.close();
    await api.stop();
  }
}

/** Text of more than 16 KB is read in a thread, where the package is not bundled. */
async function manifests() {
  const api = await startApiServer();
  const client = api.client();
  const documents = Array.from({ length: 3 }, (_, i) => {
    const text = 'x'.repeat(20_000);
    return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m${i}, namespace: default}\ndata: {text: ${text}}\n`;
  });
  await client.apply(documents.join('---\n'), { fieldManager: 'program' });
  assert.equal((await client.core.v1.configMaps('default').get('m2')).data?.text?.length, 20_000);
  await client.close();
  await api.stop();
}

/** A controller on a server in memory, on a clock that the program moves. */
async function world() {
  const controller = createController({
    name: 'copies',
    for: configMaps,
    cache: { labelSelector: 'copy=yes' },
    owns: [resources.core.v1.secrets],
    async reconcile({ metadata: { name }, data = {} }, { apply }) {
      await apply(resources.core.v1.secrets, { metadata: { name }, stringData: { ...data } });
    },
  });
  const object = { kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default', labels: { copy: 'yes' } } };
  const made = await createWorld({ name: 'copier', controllers: [controller] }, { objects: [object] });
  await made.settle();
  const { items } = await made.client.core.v1.secrets('default').list();
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['a'],
  );
  await made[Symbol.asyncDispose]();
}

async function until(condition) {
  for (let i = 0; !condition(); i++) {
    if (i > 6000) throw new Error('not within a minute');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const parts = {
  'an informer over http': () => informer({}),
  'an informer over https': () => informer({ tls: true }),
  'large answers over http': () => largeAnswers({}),
  'large answers over https': () => largeAnswers({ tls: true }),
  ...(process.env.RUNTIMES_KUBECONFIG === undefined ? {} : { 'an informer of a server on Node': otherProcess }),
  'manifests in YAML': manifests,
  'a controller in virtual time': world,
};

async function main() {
  let failed = false;
  for (const [name, part] of Object.entries(parts)) {
    const started = performance.now();
    try {
      await part();
      console.log(`ok   ${name} (${Math.round(performance.now() - started)} ms)`);
    } catch (error) {
      failed = true;
      console.log(`FAIL ${name}: ${error?.stack ?? error}`);
    }
  }
  process.exit(failed ? 1 : 0);
}

// Not awaited, so that the program can be bundled as CommonJS too.
void main();
