// Measures creates and updates of the embedded API server from another process over loopback HTTP/1.1: ConfigMaps, Pods and
// custom resources, by 1 and by 64 writers. Prints the rate and, since other processes disturb it less, the processor
// time of the server per write. Runs on dist/, or on that of another build.
//
//   node bench/writes.mjs [--count 4000] [--dist FOLDER] [--data FOLDER] [--real]
//
// --data measures the server with a data directory too, in a new folder below this one, and the disk's own time of a sync there.
// --real measures kube-apiserver too (see test/real), over HTTPS.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '4000' },
    dist: { type: 'string', default: fileURLToPath(new URL('../dist', import.meta.url)) },
    data: { type: 'string' },
    real: { type: 'boolean', default: false },
  },
});
const COUNT = Number(values.count);
const NAMESPACE = 'default';

const CONTAINER = {
  name: 'main',
  image: 'example.com/app:1.2.3',
  ports: [{ name: 'http', containerPort: 8080 }],
  env: [1, 2, 3].map((i) => ({ name: `VARIABLE_${i}`, value: `value ${i}` })),
  resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
  volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
};

/** What is written: the collection's path, an object, and a patch that changes it. */
const KINDS = {
  ConfigMap: {
    path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
    object: (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1', b: '2', c: '3' } }),
    patch: (i) => ({ data: { a: String(i) } }),
  },
  Pod: {
    path: `/api/v1/namespaces/${NAMESPACE}/pods`,
    object: (name) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { app: 'bench', tier: 'web' } },
      spec: { containers: [CONTAINER], volumes: [{ name: 'config', configMap: { name: 'config' } }] },
    }),
    patch: (i) => ({ metadata: { labels: { run: String(i) } } }),
  },
  'custom resource': {
    path: `/apis/bench.example.com/v1/namespaces/${NAMESPACE}/widgets`,
    object: (name) => ({
      apiVersion: 'bench.example.com/v1',
      kind: 'Widget',
      metadata: { name },
      spec: {
        size: 3,
        color: 'blue',
        parts: [
          { name: 'a', count: 1 },
          { name: 'b', count: 2 },
        ],
      },
    }),
    patch: (i) => ({ spec: { size: i } }),
  },
};

const property = (type) => ({ type });
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.bench.example.com' },
  spec: {
    group: 'bench.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: property('integer'),
                  color: property('string'),
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: property('string'), count: property('integer') },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

if (process.send === undefined) await main();
else await serve();

/** The server's process. */
async function serve() {
  const { startApiServer } = await import(pathToFileURL(resolve(values.dist, 'apiserver/index.js')).href);
  const data = process.env.KUBEFLECT_BENCH_DATA;
  const api = await startApiServer(data === undefined ? {} : { data });
  process.send({ url: api.url, token: api.token });
  process.on('message', async (message) => {
    if (message === 'cpu') process.send({ cpu: process.cpuUsage() });
    else {
      await api.stop();
      process.disconnect();
    }
  });
}

async function main() {
  await measure('embedded', await startEmbedded());
  if (values.data !== undefined) {
    const folder = await mkdtemp(resolve(values.data, 'kubeflect-bench-'));
    try {
      await measureSync(folder);
      await measure('with --data', await startEmbedded(join(folder, 'data')));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  if (values.real) await measure('kube-apiserver', await startReal());
}

/** Prints how long the disk takes to append and sync as many bytes as a small object has. */
async function measureSync(folder) {
  const file = await open(join(folder, 'sync'), 'wx');
  const bytes = Buffer.alloc(1024, 1);
  const times = [];
  for (let i = 0; i < 1000; i++) {
    const startedAt = performance.now();
    await file.write(bytes);
    await file.datasync();
    times.push(performance.now() - startedAt);
  }
  await file.close();
  times.sort((a, b) => a - b);
  const at = (part) => `${times[Math.floor(times.length * part)].toFixed(2)} ms`;
  console.log(`the disk alone: append and sync of 1 KiB take ${at(0.5)} (median), ${at(0.99)} (99 of 100)`);
}

async function startEmbedded(data) {
  const env = data === undefined ? process.env : { ...process.env, KUBEFLECT_BENCH_DATA: data };
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), { env });
  const ask = (message) =>
    new Promise((resolve) => {
      child.once('message', resolve);
      if (message !== undefined) child.send(message);
    });
  const { url, token } = await ask();
  return {
    send: sender(url, token, new Agent({ keepAlive: true }), request),
    cpu: async () => {
      const { cpu } = await ask('cpu');
      return cpu.user + cpu.system;
    },
    stop: () => child.send('stop'),
  };
}

async function startReal() {
  const { startRealApiServer } = await import('../test/real/real-api-server.mjs');
  const server = await startRealApiServer({ flags: ['--disable-admission-plugins=ServiceAccount'] });
  const agent = new SecureAgent({ keepAlive: true, ca: server.ca });
  return {
    send: sender(server.url, server.adminToken, agent, secureRequest),
    cpu: async () => processorTime(server.pid),
    stop: () => server.stop(),
  };
}

/** The processor time of another process in microseconds, where /proc has it. */
function processorTime(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return Number.NaN;
  }
}

function sender(base, token, agent, makeRequest) {
  const url = new URL(base);
  return (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': contentType, accept: 'application/json' };
      if (token !== undefined) headers.authorization = `Bearer ${token}`;
      const options = { host: url.hostname, port: url.port, method, path, headers, agent };
      const sent = makeRequest(options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part) => (text += part));
        response.on('end', () => {
          if (response.statusCode < 300) resolve();
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
        });
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
}

async function measure(server, { send, cpu, stop }) {
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION);
  await retried(() => send('GET', KINDS['custom resource'].path));
  let run = 0;
  for (const [kind, { path, object, patch }] of Object.entries(KINDS)) {
    for (const writers of [1, 64]) {
      const prefix = `w${run++}`;
      const writes = {
        create: (i) => send('POST', path, object(`${prefix}-${i}`)),
        patch: (i) => send('PATCH', `${path}/${prefix}-${i}`, patch(i), 'application/merge-patch+json'),
      };
      await inParallel(writers, Math.ceil(COUNT / 10), (i) => send('POST', path, object(`${prefix}-warm-${i}`)));
      for (const [verb, write] of Object.entries(writes)) {
        const [startedAt, before] = [performance.now(), await cpu()];
        await inParallel(writers, COUNT, write);
        const seconds = (performance.now() - startedAt) / 1000;
        const micros = ((await cpu()) - before) / COUNT;
        const what = `${server.padEnd(15)}${kind.padEnd(16)}${verb.padEnd(7)}${String(writers).padStart(3)} writers`;
        console.log(`${what}${(COUNT / seconds).toFixed(0).padStart(7)}/s${micros.toFixed(0).padStart(7)} µs`);
      }
    }
  }
  await stop();
}

async function inParallel(writers, count, write) {
  let next = 0;
  const work = async () => {
    while (next < count) await write(next++);
  };
  await Promise.all(Array.from({ length: writers }, work));
}

async function retried(attempt) {
  for (let left = 100; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
