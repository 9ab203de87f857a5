// What one replica holds and does, and what a kube-apiserver pays for it: the figures of docs/scale.md.
//
//   npm run build && node bench/scale.mjs holds|lists|changes|events [--count 10000]    measures a part, keeps it in bench/results/scale.json
//   node bench/scale.mjs page                                                            writes the tables of docs/scale.md from it
//
// Each part takes a few minutes, most of them for creating the objects. `events` needs Go, as `npm run bench` does.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client, resources } from '../dist/index.js';
import { startRealApiServer } from '../test/real/real-api-server.mjs';
import { inTurn } from './informer.mjs';
import { isMain } from './load-server/is-main.mjs';
import { startLoadServer } from './load-server/start.mjs';
import { buildClientGo, measureOn, scriptOn } from './processes.mjs';
import { costOfChanges, costOfReading } from './scale/server-cost.mjs';
import { withTables } from './scale/tables.mjs';

const resultsFile = fileURLToPath(new URL('results/scale.json', import.meta.url));
const pageFile = fileURLToPath(new URL('../docs/scale.md', import.meta.url));
const log = (line) => process.stderr.write(`${line}\n`);
const podsPath = '/api/v1/namespaces/scale/pods';

/** Pods as a cluster has them: with a status, and about 5 KB of JSON without managedFields. */
function podOf(i) {
  const container = (n) => ({
    name: `container-${n}`,
    image: `registry.example.com/team/service-${n}:v1.${i % 100}`,
    env: Array.from({ length: 12 }, (_, v) => ({ name: `VARIABLE_${v}`, value: `value ${v} of service ${n}` })),
    ports: [{ containerPort: 8080, name: 'http' }],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 10 },
    volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
  });
  return {
    metadata: { name: `pod-${i}`, labels: { app: `app-${i % 500}`, 'pod-template-hash': `${i % 1000}` } },
    spec: {
      containers: [container(1), container(2)],
      volumes: [{ name: 'config', configMap: { name: `config-${i % 500}` } }],
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
    },
  };
}

const configMapOf = (i) => ({
  metadata: { name: `map-${i}`, labels: { app: `app-${i % 500}` } },
  data: { 'settings.json': JSON.stringify({ i, text: 'x'.repeat(900) }) },
});

const widgetOf = (i) => ({
  metadata: { name: `widget-${i}`, labels: { app: `app-${i % 500}` } },
  spec: { size: i, host: `widget-${i}.example.com`, rules: Array.from({ length: 10 }, (_, n) => `rule ${n} of ${i}`) },
});

const widgetDefinition = {
  metadata: { name: 'widgets.scale.kubeflect.dev' },
  spec: {
    group: 'scale.kubeflect.dev',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** Runs the work with a real server that has a namespace for the objects. */
async function withServer(work) {
  const real = await startRealApiServer();
  const folder = mkdtempSync(join(tmpdir(), 'kubeflect-bench-'));
  const caFile = join(folder, 'ca.crt');
  writeFileSync(caFile, real.ca);
  const server = { url: real.url, ca: real.ca, caFile, token: real.adminToken, pid: real.pid };
  const client = new Client({ server: real.url, caFile, token: real.adminToken });
  try {
    await client.core.v1.namespaces().create({ metadata: { name: 'scale' } });
    return await work(server, client);
  } finally {
    await client.close();
    await real.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Sends so many requests, 50 at a time. */
async function inParallel(count, send) {
  let next = 0;
  const worker = async () => {
    while (next < count) await send(next++);
  };
  await Promise.all(Array.from({ length: 50 }, worker));
}

async function create(client, resource, count, objectOf) {
  const started = performance.now();
  const objects = client.forResource(resource, 'scale');
  await inParallel(count, (i) => objects.create(objectOf(i)));
  log(`${count} ${resource.resource} in ${Math.round((performance.now() - started) / 1000)} s`);
}

/** Bytes of memory per object, by kind and form. */
async function holds(count) {
  return withServer(async (server, client) => {
    const { pods, configMaps } = resources.core.v1;
    await client.apiextensions.v1.customResourceDefinitions().create(widgetDefinition);
    const widgets = {
      group: 'scale.kubeflect.dev',
      version: 'v1',
      resource: 'widgets',
      kind: 'Widget',
      namespaced: true,
    };
    await create(client, pods, count, podOf);
    await create(client, configMaps, count, configMapOf);
    await create(client, widgets, count, widgetOf);
    const forms = ['keys', 'JSON', 'metadata only', 'transform', 'objects'];
    const result = {};
    for (const kind of ['pods', 'configmaps', 'widgets']) {
      // Custom resources are always JSON.
      const names = kind === 'widgets' ? forms.filter((form) => form !== 'JSON') : forms;
      const subjects = names.map((form) => [
        form,
        () => scriptOn(server, 'scale/child.mjs', server.url, kind, form, count),
      ]);
      result[kind] = await inTurn(2, Object.fromEntries(subjects), log);
    }
    return { count, kinds: result };
  });
}

/** What the server pays for lists and watch-lists. */
async function lists(count) {
  return withServer(async (server, client) => {
    await create(client, resources.core.v1.pods, count, podOf);
    const subjects = {};
    for (const how of ['list', 'watch-list'])
      for (const wire of ['JSON', 'protobuf'])
        subjects[`${how}, ${wire}`] = () => costOfReading(server, how, wire, podsPath, count);
    // The first of each fills caches of the server.
    await inTurn(1, subjects, () => {});
    return { count, ways: await inTurn(3, subjects, log) };
  });
}

/** What the server pays for changes, with no watch and with many. */
async function changes(count) {
  const objects = Math.min(count, 2000);
  const all = 2000;
  return withServer(async (server, client) => {
    const pods = client.core.v1.pods('scale');
    await create(client, resources.core.v1.pods, objects, podOf);
    let round = 0;
    const cause = () => {
      const n = `${++round}`;
      return inParallel(all, (i) => pods.patch(`pod-${i % objects}`, { metadata: { annotations: { n, i: `${i}` } } }));
    };
    const subjects = {};
    for (const watches of [0, 1, 10, 100])
      for (const wire of watches === 0 ? ['protobuf'] : ['JSON', 'protobuf'])
        subjects[`${watches}, ${wire}`] = async () => {
          const { metadata } = await pods.list({ limit: 1 });
          return costOfChanges(server, watches, wire, podsPath, metadata.resourceVersion, all, cause);
        };
    await cause();
    return { changes: all, watches: await inTurn(3, subjects, log) };
  });
}

/** How many changes a second one informer follows, on a load server that sends prepared bytes. */
async function events() {
  const go = await buildClientGo();
  if (go === undefined) throw new Error('events needs Go: the load server in protobuf is a Go program');
  const source = await startLoadServer({ pods: 10_000 });
  const server = await go.serve(source.url);
  try {
    const subject = (name) => () => measureOn(server.tls, 'watch', name, 10_000, 200_000, 0);
    const names = ['keys', 'objects', 'keys, JSON', 'objects, JSON'];
    return await inTurn(2, Object.fromEntries(names.map((name) => [name, subject(name)])), log);
  } finally {
    await server.stop();
    await source.stop();
  }
}

const parts = { holds, lists, changes, events };
const stored = () => (existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')) : {});

if (isMain(import.meta)) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { count: { type: 'string' } } });
  for (const name of positionals) {
    if (name === 'page') writeFileSync(pageFile, withTables(readFileSync(pageFile, 'utf8'), stored()));
    else if (parts[name] === undefined)
      throw new Error(`there is no part ${name}: ${Object.keys(parts).join(', ')}, page`);
    else {
      const result = await parts[name](Number(values.count ?? 10_000));
      const machine = `${cpus().length} cores (${cpus()[0].model}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
      writeFileSync(resultsFile, `${JSON.stringify({ ...stored(), machine, [name]: result }, undefined, 2)}\n`);
    }
  }
}
