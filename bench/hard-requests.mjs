// Expensive requests and answers: the time of each, the longest hold of the event loop, and the memory that it leaves.
//
//   node bench/hard-requests.mjs [--dist dist] [--only patch] [--json]
//
// The server runs in a process of its own, so that only its own holds are measured. A request is given up after two minutes.
import { fork } from 'node:child_process';
import { createServer, request as httpRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { holdMeter } from './hold-meter.mjs';

const { values } = parseArgs({
  options: { dist: { type: 'string' }, only: { type: 'string' }, json: { type: 'boolean', default: false } },
});
const dist = resolve(values.dist ?? fileURLToPath(new URL('../dist', import.meta.url)));
const GIVE_UP_MS = 120_000;
const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

const METADATA = { name: 'big' };
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const WIDGET = { kind: 'Widget', apiVersion: 'example.com/v1', metadata: METADATA };
const definition = (names = {}) => ({
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', ...names },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const account = (prefix, count, more = {}) => ({
  secrets: many(count, (i) => ({ name: `${prefix}${String(i).padStart(5, '0')}`, ...more })),
});
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const owner = (i, _, more = {}) => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: `u${i}`, ...more });
const strategic = 'application/strategic-merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';

/** Each case: the requests that prepare it, and the measured one. */
const requests = {
  'strategic merge patch: 30,000 items into 30,000': {
    setUp: [['POST', ACCOUNTS, { metadata: METADATA, ...account('a', 30_000) }]],
    request: ['PATCH', `${ACCOUNTS}/big`, account('b', 30_000), strategic],
  },
  'strategic merge patch: 30,000 items over the same 30,000': {
    setUp: [['POST', ACCOUNTS, { metadata: METADATA, ...account('a', 30_000) }]],
    request: ['PATCH', `${ACCOUNTS}/big`, account('a', 30_000, { namespace: 'x' }), strategic],
  },
  'strategic merge patch: 30,000 items deleted of 30,000': {
    setUp: [['POST', ACCOUNTS, { metadata: METADATA, ...account('a', 30_000) }]],
    request: ['PATCH', `${ACCOUNTS}/big`, account('a', 30_000, { $patch: 'delete' }), strategic],
  },
  'JSON patch: 10,000 inserts at 0 of 1,000,000 items': {
    setUp: [
      ['POST', DEFINITIONS, definition()],
      ['POST', WIDGETS, { ...WIDGET, items: many(1_000_000, () => 0) }],
    ],
    request: ['PATCH', `${WIDGETS}/big`, many(10_000, (i) => ({ op: 'add', path: '/items/0', value: i })), jsonPatch],
  },
  'JSON patch: 10,000 inserts at 0 of 3,000 items': {
    setUp: [
      ['POST', DEFINITIONS, definition()],
      ['POST', WIDGETS, { ...WIDGET, items: many(3000, () => 0) }],
    ],
    request: ['PATCH', `${WIDGETS}/big`, many(10_000, (i) => ({ op: 'add', path: '/items/0', value: i })), jsonPatch],
  },
  'merge patch: 100,000 fields': {
    setUp: [['POST', CONFIG_MAPS, { metadata: METADATA }]],
    request: [
      'PATCH',
      `${CONFIG_MAPS}/big`,
      { data: Object.fromEntries(many(100_000, (i) => [`k${i}`, 'v'])) },
      mergePatch,
    ],
  },
  'create: 100,000 invalid labels': {
    request: [
      'POST',
      CONFIG_MAPS,
      { metadata: { ...METADATA, labels: Object.fromEntries(many(100_000, (i) => [`-${i}`, '-'])) } },
    ],
  },
  'create: 100,000 valid labels': {
    request: [
      'POST',
      CONFIG_MAPS,
      { metadata: { ...METADATA, labels: Object.fromEntries(many(100_000, (i) => [`k${i}`, 'v'])) } },
    ],
  },
  'create: 100,000 invalid annotations': {
    request: [
      'POST',
      CONFIG_MAPS,
      { metadata: { ...METADATA, annotations: Object.fromEntries(many(100_000, (i) => [`-${i}`, '-'])) } },
    ],
  },
  'create: 100,000 invalid finalizers': {
    request: ['POST', CONFIG_MAPS, { metadata: { ...METADATA, finalizers: many(100_000, (i) => `-${i}`) } }],
  },
  'create: 5,000 controlling owners': {
    request: [
      'POST',
      CONFIG_MAPS,
      { metadata: { ...METADATA, ownerReferences: many(5000, (i) => owner(i, undefined, { controller: true })) } },
    ],
  },
  'update: 20,000 owners replaced by 20,000': {
    setUp: [
      ['POST', CONFIG_MAPS, { metadata: { ...METADATA, finalizers: ['a/b'], ownerReferences: many(20_000, owner) } }],
    ],
    request: [
      'PATCH',
      `${CONFIG_MAPS}/big`,
      { metadata: { ownerReferences: many(20_000, (i) => owner(i + 100_000)) } },
      mergePatch,
    ],
  },
  'update: 30,000 finalizers added while terminating': {
    setUp: [
      ['POST', CONFIG_MAPS, { metadata: { ...METADATA, finalizers: many(30_000, (i) => `a/${i}`) } }],
      ['DELETE', `${CONFIG_MAPS}/big`],
    ],
    request: ['PATCH', `${CONFIG_MAPS}/big`, { metadata: { finalizers: many(60_000, (i) => `a/${i}`) } }, mergePatch],
  },
  'create: a definition with 20,000 versions': {
    request: [
      'POST',
      DEFINITIONS,
      {
        ...definition(),
        spec: { ...definition().spec, versions: many(20_000, (i) => ({ name: `-${i}`, storage: true })) },
      },
    ],
  },
  'list: a selector of 3,000 values over 5,000 objects': {
    objects: 5000,
    request: [
      'GET',
      `${CONFIG_MAPS}?labelSelector=${encodeURIComponent('app notin (').concat(many(3000, (i) => i.toString(36)).join(','), ')')}`,
    ],
  },
  'list: 700 field requirements over 5,000 objects': {
    objects: 5000,
    request: ['GET', `${CONFIG_MAPS}?fieldSelector=${many(700, (i) => `metadata.name!=${i.toString(36)}`).join(',')}`],
  },
  'history: 100 small patches of an object of 2.9 MB': {
    setUp: [['POST', CONFIG_MAPS, { metadata: METADATA, data: { text: 'x'.repeat(2_900_000) } }]],
    request: ['PATCH', `${CONFIG_MAPS}/big`, { metadata: { labels: { a: 'b' } } }, mergePatch],
    times: 100,
  },
};

async function startServer(options) {
  const program = fileURLToPath(new URL('hard-requests/server.mjs', import.meta.url));
  const child = fork(program, [dist], { execArgv: ['--expose-gc'] });
  const answer = () => new Promise((done) => child.once('message', done));
  const ask = (question) => {
    const answered = answer();
    child.send(question);
    return answered;
  };
  const { url } = await ask(options);
  return { url, ask, kill: () => child.kill('SIGKILL') };
}

function send(url, [method, path, body, type = 'application/json'], timeoutMs = GIVE_UP_MS) {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  return new Promise((done) => {
    const timer = setTimeout(() => done({ status: `given up after ${timeoutMs / 1000} s` }), timeoutMs);
    const request = httpRequest(new URL(path, url), {
      method,
      headers: { 'content-type': type, accept: 'application/json' },
    });
    request.on('error', (error) => done({ status: error.message }));
    request.on('response', (response) => {
      let size = 0;
      response.on('data', (chunk) => {
        size += chunk.length;
      });
      response.on('end', () => {
        clearTimeout(timer);
        done({ status: response.statusCode, size });
      });
    });
    request.end(bytes);
  });
}

async function measureRequest({ setUp = [], request, objects = 0, times = 1 }) {
  const seeds = many(objects, (i) => ({
    kind: 'ConfigMap',
    metadata: { name: `object-${i}`, namespace: 'default', labels: { app: 'web' } },
  }));
  const server = await startServer({ objects: seeds });
  try {
    for (const first of setUp) {
      const { status } = await send(server.url, first);
      if (status !== 200 && status !== 201) throw new Error(`the preparation was answered ${status}`);
    }
    // A custom kind is served a moment after its definition.
    const { memoryMb: before } = await server.ask('start');
    const started = performance.now();
    let answer;
    for (let i = 0; i < times; i++) {
      const [method, path, body, type] = request;
      const sent = times === 1 ? body : { metadata: { labels: { a: `${i}` } } };
      answer = await send(server.url, [method, path, sent, type]);
    }
    const ms = performance.now() - started;
    if (typeof answer.status === 'string') return { ms, answer: answer.status };
    await sleep(50);
    const { holdMs, memoryMb } = await server.ask('stop');
    return { ms, holdMs, memoryMb: memoryMb - before, answer: answer.status };
  } finally {
    server.kill();
  }
}

/** 300 connections that send nothing, half a head or half a body: the time until the server has closed them all. */
async function measureSockets() {
  const timeouts = { headersTimeoutMs: 300, bodyTimeoutMs: 300, idleTimeoutMs: 300 };
  const server = await startServer(timeouts);
  const { hostname, port } = new URL(server.url);
  const HEAD =
    'POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n';
  const beginnings = ['', 'GET / HT', HEAD, `${HEAD}\r\n{`, 'PRI * HT'];
  await server.ask('start');
  const started = performance.now();
  let open = 0;
  const track = (emitter) => {
    open++;
    emitter.on('error', () => {}).on('close', () => open--);
  };
  for (let i = 0; i < 250; i++) {
    const socket = connect(Number(port), hostname, () => socket.write(beginnings[i % beginnings.length]));
    track(socket);
    socket.resume();
  }
  for (let i = 0; i < 50; i++) {
    const session = connectHttp2(server.url);
    track(session);
    if (i % 2 === 0)
      session
        .request({ ':method': 'POST', ':path': '/api/v1/namespaces' })
        .on('error', () => {})
        .write('{');
  }
  while (open > 0 && performance.now() - started < 5000) await sleep(5);
  const ms = performance.now() - started;
  const { holdMs } = await server.ask('stop');
  server.kill();
  return { ms, holdMs, answer: `${300 - open} of 300 closed` };
}

/** A log of one line of 32 MB, read with a limit above and below its length. */
async function measureLines(options) {
  const { Client } = await import(pathToFileURL(join(dist, 'index.js')).href);
  const piece = Buffer.alloc(64 * 1024, 'x');
  const source = createServer((_, response) => {
    let left = 512;
    const write = () => {
      while (left-- > 0) if (!response.write(piece)) return void response.once('drain', write);
      response.end('\n');
    };
    response.on('error', () => {});
    write();
  });
  await new Promise((done) => source.listen(0, '127.0.0.1', done));
  const client = new Client({ server: `http://127.0.0.1:${source.address().port}`, env: {} });
  const meter = holdMeter();
  const started = performance.now();
  let answer = 'no line';
  try {
    for await (const line of client.core.v1.pods('default').subresource('log').lines('p', options))
      answer = `a line of ${line.length}`;
  } catch (error) {
    answer = error.message.slice(0, 90);
  }
  const ms = performance.now() - started;
  const { ownHoldMs } = meter.stop();
  source.closeAllConnections();
  source.close();
  await client.close();
  return { ms, holdMs: ownHoldMs, answer };
}

const cases = {
  'log.lines(): one line of 32 MB, the limit raised': () => measureLines({ maxLineBytes: 64 * 1024 * 1024 }),
  'log.lines(): one line of 32 MB, the default limit': () => measureLines({}),
  ...Object.fromEntries(Object.entries(requests).map(([name, request]) => [name, () => measureRequest(request)])),
  'sockets: 300 that are half open': measureSockets,
};

const results = {};
for (const [name, run] of Object.entries(cases)) {
  if (values.only !== undefined && !name.includes(values.only)) continue;
  const result = await run();
  results[name] = result;
  const figure = (value, unit) => (value === undefined ? '-' : `${Math.round(value)} ${unit}`).padStart(10);
  if (!values.json) {
    const { ms, holdMs, memoryMb, answer } = result;
    console.log(`${name.padEnd(58)}${figure(ms, 'ms')}${figure(holdMs, 'ms')}${figure(memoryMb, 'MB')}  ${answer}`);
  }
}
if (values.json) console.log(JSON.stringify(results, undefined, 2));
process.exit(0);
