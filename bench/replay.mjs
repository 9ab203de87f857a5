// Measures a replay in virtual time: an hour with 50 changes a second is recorded from an embedded server, and replayed to an informer.
//
//   npm run build && node bench/replay.mjs [--changes 180000]
//
// Each replay is made three times: for an informer whose handler uses the key, for one that reads the object, and for one that compares every notification,
// byte for byte, with what an informer got while it was recorded.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startApiServer } from '../build/apiserver/index.js';
import { Recorder } from '../build/cli/recordings/recorder.js';
import { SharedInformerFactory } from '../build/index.js';
import { builtinResources } from '../build/resources/catalogue.js';
import { FakeClock } from '../build/time/fake-clock.js';
import { seededRandom } from '../build/time/seeded-random.js';
import { statusOf } from '../test/support/pod-status.mjs';

const { values } = parseArgs({ options: { changes: { type: 'string', default: '180000' } } });
const changes = Number(values.changes);
const pods = 200;
const changesPerSecond = 50;
// A long run needs no stacks of timers, which are for the messages of failing tests.
Error.stackTraceLimit = 0;

/** Handlers of an informer, each with what it has done. */
const handlers = {
  keys: () => {
    let count = 0;
    return { handle: ({ key }) => void (count += key.length > 0 ? 1 : 0), result: () => `${count} notifications` };
  },
  objects: () => {
    let count = 0;
    return {
      handle: ({ object }) => void (count += object.status === undefined ? 0 : 1),
      result: () => `${count} pods with a status`,
    };
  },
  compared: () => {
    const hash = createHash('sha256');
    return {
      handle: (event) => void hash.update(`${event.type} ${event.oldFacts?.resourceVersion} ${event.json()}`),
      result: () => hash.copy().digest('hex').slice(0, 16),
    };
  },
};

function follow(client, name) {
  const factory = new SharedInformerFactory(client);
  const { handle, result } = handlers[name]();
  factory.core.v1.pods({ managedFields: 'keep' }).subscribe(handle);
  factory.start();
  return { factory, result };
}

async function record() {
  const clock = new FakeClock({ seed: 1 });
  const api = await startApiServer({ clock, seed: 1, listen: false });
  const client = api.client({ wire: 'json' });
  const parts = [];
  let isListed = false;
  const recorder = new Recorder({
    client,
    resources: builtinResources.filter(({ group, resource }) => group === '' && resource === 'pods'),
    sink: { append: async (bytes) => void parts.push(bytes) },
    onListed: () => (isListed = true),
    onFailure: (error) => {
      throw error;
    },
  });
  const stop = new AbortController();
  let hasEnded = false;
  const running = recorder.run(stop.signal).finally(() => (hasEnded = true));
  await clock.until(() => isListed);
  const containers = [{ name: 'web', image: 'registry.example.com/shop/web:1.24.3' }];
  for (let i = 0; i < pods; i++) {
    const metadata = { name: `web-${i}`, labels: { app: 'web', 'pod-template-hash': '6d4b75cb6d', index: String(i) } };
    await client.core.v1.pods('default').create({ metadata, spec: { containers, nodeName: `node-${i % 9}` } });
  }
  const { factory, result } = follow(client, 'compared');
  await clock.advance(1000);
  const random = seededRandom(7);
  const collection = api.storage.collection('pods');
  for (let i = 0; i < changes; i++) {
    const pod = collection.get(`default/web-${Math.floor(random() * pods)}`);
    const object = { ...pod.decode(), status: statusOf(clock.now(), random) };
    collection.put({ namespace: 'default', name: pod.name, object, fields: pod.fields });
    await clock.advance(1000 / changesPerSecond);
  }
  await clock.advance(1500);
  await factory.stop();
  stop.abort();
  await clock.until(() => hasEnded);
  await running;
  await client.close();
  await api.stop();
  return { bytes: Buffer.concat(parts), totals: recorder.totals, result: result() };
}

async function replay(file, name) {
  const clock = new FakeClock({ seed: 9 });
  const before = { at: performance.now(), cpu: process.cpuUsage() };
  const api = await startApiServer({ clock, listen: false, replay: { file, from: 500 } });
  const client = api.client({ wire: 'json' });
  const { factory, result } = follow(client, name);
  await clock.until(() => api.replay.isAtEnd, { withinMs: 10 * 3_600_000 });
  await clock.advance(100);
  const { user, system } = process.cpuUsage(before.cpu);
  await factory.stop();
  await client.close();
  await api.stop();
  return { seconds: (performance.now() - before.at) / 1000, cpuSeconds: (user + system) / 1e6, result: result() };
}

const folder = mkdtempSync(join(tmpdir(), 'kubeflect-'));
try {
  const { bytes, totals, result } = await record();
  const file = join(folder, 'hour.kfr');
  writeFileSync(file, bytes);
  const share = (totals.jsonBytes / bytes.length).toFixed(0);
  console.log(`${changes} changes of ${pods} pods: ${bytes.length} bytes for ${totals.jsonBytes} of JSON (1/${share})`);
  for (const name of Object.keys(handlers)) {
    const { seconds, cpuSeconds, result: found } = await replay(file, name);
    const verdict = name !== 'compared' ? found : found === result ? 'the same' : `${found}, and not ${result}`;
    console.log(`${name.padEnd(9)} ${seconds.toFixed(2)} s, ${cpuSeconds.toFixed(2)} s of CPU time: ${verdict}`);
    if (name === 'compared' && found !== result) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
