// Measures a server with a data directory of many objects: how long it takes to start, and to list all pods, beside the same
// list of a server that has its objects in memory only. Runs on dist/.
//
//   node bench/data.mjs [--pods 50000] [--config-maps 50000] [--folder FOLDER]
//
// Each start is a process of its own. The directory is created in a new folder below FOLDER, and removed at the end.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '50000' },
    'config-maps': { type: 'string', default: '50000' },
    folder: { type: 'string', default: tmpdir() },
    run: { type: 'string' },
    data: { type: 'string' },
  },
});
const self = fileURLToPath(import.meta.url);

const pod = (i) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `pod-${i}`, namespace: `ns-${i % 50}`, labels: { app: 'bench', tier: `t-${i % 7}` } },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'example.com/app:1.2.3',
        ports: [{ name: 'http', containerPort: 8080 }],
        env: [1, 2, 3].map((n) => ({ name: `VARIABLE_${n}`, value: `value ${n}` })),
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
        volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
      },
    ],
    volumes: [{ name: 'config', configMap: { name: 'config' } }],
  },
  status: { phase: 'Running', podIP: '10.1.2.3', conditions: [{ type: 'Ready', status: 'True' }] },
});
const configMap = (i) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `config-${i}`, namespace: `ns-${i % 50}` },
  data: { a: 'x'.repeat(200), b: String(i) },
});

if (values.run === undefined) await main();
else await serve();

/** One process: starts a server, lists all pods three times, prints the times as JSON. */
async function serve() {
  const { startApiServer } = await import('../dist/apiserver/index.js');
  const objects =
    values.run === 'empty'
      ? []
      : [
          ...Array.from({ length: Number(values.pods) }, (_, i) => pod(i)),
          ...Array.from({ length: Number(values['config-maps']) }, (_, i) => configMap(i)),
        ];
  const startedAt = performance.now();
  const api = await startApiServer({ data: values.data, objects });
  const start = performance.now() - startedAt;
  const sinceProcess = performance.now();
  const lists = [];
  let bytes = 0;
  for (let i = 0; i < 5; i++) {
    const listedAt = performance.now();
    bytes = await get(`${api.url}/api/v1/pods`);
    lists.push(performance.now() - listedAt);
  }
  const rss = process.memoryUsage.rss();
  await api.stop();
  console.log(JSON.stringify({ start, sinceProcess, list: lists.sort((a, b) => a - b)[2], bytes, rss }));
}

function get(url) {
  return new Promise((resolve, reject) => {
    request(url, (response) => {
      let bytes = 0;
      response.on('data', (part) => (bytes += part.length));
      response.on('end', () => resolve(bytes));
    })
      .on('error', reject)
      .end();
  });
}

async function main() {
  const folder = await mkdtemp(join(values.folder, 'kubeflect-bench-'));
  const data = join(folder, 'data');
  const counts = ['--pods', values.pods, '--config-maps', values['config-maps']];
  const run = async (...args) => {
    const { stdout } = await promisify(execFile)(process.execPath, [self, ...counts, ...args], { maxBuffer: 1e6 });
    return JSON.parse(stdout);
  };
  try {
    report('in memory, objects given', await run('--run', 'objects'));
    report('--data, objects written', await run('--run', 'objects', '--data', data));
    for (let i = 0; i < 3; i++) report('--data, started again', await run('--run', 'empty', '--data', data));
    for (const name of await readdir(data)) console.log(`${name}: ${mib((await stat(join(data, name))).size)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function report(what, { start, sinceProcess, list, bytes, rss }) {
  const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
  const started = `start ${seconds(start)} (${seconds(sinceProcess)} since the process began)`;
  console.log(`${what.padEnd(26)} ${started}, list ${seconds(list)} of ${mib(bytes)}, memory ${mib(rss)}`);
}

function mib(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
