// Measures the embedded API server from another process over real sockets: start, events to many watches, writes, and a
// long list with the longest hold of the event loop. Runs on dist/.
//
//   node bench/apiserver.mjs [start|events|writes|list …]
import { fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
if (process.send === undefined) await main(process.argv.slice(2));
else await serve();

/** The server's process: one server, controlled by messages of the client's process. */
async function serve() {
  const imported = performance.now();
  const { startApiServer } = await import('../dist/apiserver/index.js');
  const started = performance.now();
  const pods = Number(process.env.PODS ?? 0);
  const objects = Array.from({ length: pods }, (_, i) => pod(i));
  const api = await startApiServer({ objects });
  process.send({ url: api.url, importMs: started - imported, startMs: performance.now() - started });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  process.on('message', async (message) => {
    if (message === 'measure') {
      delay.reset();
      delay.enable();
      process.send({ measuring: true });
    } else if (message === 'measured') {
      delay.disable();
      process.send({ longestHoldMs: delay.max / 1e6, rssMb: process.memoryUsage.rss() / 1e6 });
    } else {
      await api.stop();
      process.disconnect();
    }
  });
}

async function main(wanted) {
  const benchmarks = { start: benchStart, events: benchEvents, writes: benchWrites, list: benchList };
  for (const name of wanted.length > 0 ? wanted : Object.keys(benchmarks)) {
    for (const [what, value] of Object.entries(await benchmarks[name]()))
      console.log(`${name.padEnd(8)}${what.padEnd(34)}${value}`);
  }
}

async function benchStart() {
  const runs = [];
  for (let i = 0; i < 5; i++) {
    const server = await launch();
    runs.push(server.ready);
    await server.stop();
  }
  const median = (key) =>
    runs
      .map((run) => run[key])
      .sort((a, b) => a - b)[2]
      .toFixed(1);
  return { 'import, ms': median('importMs'), 'startApiServer, ms': median('startMs') };
}

/** A thousand watches of one resource while eight writers change it. */
async function benchEvents(watchers = 1000, writes = 1000) {
  const server = await launch();
  const { hostname, port } = new URL(server.ready.url);
  await call(server, 'POST', '/api/v1/namespaces/default/configmaps', configMap('bench', 0));
  const expected = watchers * writes;
  let received = 0;
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));
  const sockets = await Promise.all(
    Array.from({ length: watchers }, async () => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.write(`GET /api/v1/configmaps?watch=1&resourceVersion=0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      let isOpen = false;
      await new Promise((resolve) => {
        socket.on('data', (chunk) => {
          let events = 0;
          for (let at = chunk.indexOf('{"type":"MODIFIED"'); at >= 0; at = chunk.indexOf('{"type":"MODIFIED"', at + 18))
            events++;
          received += events;
          if (received >= expected) finish();
          if (!isOpen && chunk.includes('"ADDED"')) {
            isOpen = true;
            resolve();
          }
        });
      });
      return socket;
    }),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const started = performance.now();
  let next = 0;
  const writer = async () => {
    while (next < writes)
      await call(server, 'PUT', '/api/v1/namespaces/default/configmaps/bench', configMap('bench', ++next), agent);
  };
  await Promise.all(Array.from({ length: 8 }, writer));
  const written = performance.now();
  await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, 30_000))]);
  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.destroy();
  agent.destroy();
  await server.stop();
  return {
    watchers,
    'writes, then all events seen, s': `${((written - started) / 1000).toFixed(2)}, ${seconds.toFixed(2)}`,
    'events/s in total': Math.round(received / seconds),
    'events not split over chunks': `${received} of ${expected}`,
  };
}

/** Sixteen connections with one request at a time each; plain sockets, so that the client is not the bottleneck. */
async function benchWrites(writes = 20_000) {
  const server = await launch();
  const { hostname, port } = new URL(server.ready.url);
  const path = '/api/v1/namespaces/default/configmaps';
  const run = (total, requestOf) =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      let next = 0;
      let done = 0;
      for (let i = 0; i < 16; i++) {
        const socket = connect({ host: hostname, port: Number(port), noDelay: true });
        const send = () => {
          if (next >= total) return socket.end();
          const [method, target, body] = requestOf(next++);
          const payload = JSON.stringify(body);
          const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${payload.length}\r\n\r\n`;
          socket.write(head + payload);
        };
        socket.on('data', (chunk) => {
          // Small answers arrive in one chunk; a chunk without a status line continues the one before.
          if (chunk.indexOf('HTTP/1.1 ') !== 0) return;
          if (chunk[9] !== 0x32) reject(new Error(chunk.toString()));
          if (++done === total) resolve(Math.round(total / ((performance.now() - started) / 1000)));
          send();
        });
        socket.on('error', reject);
        send();
      }
    });
  await run(500, (i) => ['POST', path, configMap(`warm-${i}`, i)]);
  const creates = await run(writes, (i) => ['POST', path, configMap(`c-${i}`, i)]);
  const updates = await run(writes, (i) => ['PUT', `${path}/c-${i % 1000}`, configMap(`c-${i % 1000}`, i)]);
  await server.stop();
  return { 'creates/s': creates, 'updates/s': updates };
}

async function benchList(pods = 50_000) {
  const server = await launch({ PODS: String(pods) });
  const lists = [];
  for (let i = 0; i < 3; i++) {
    await server.ask('measure');
    const started = performance.now();
    const bytes = await call(server, 'GET', '/api/v1/pods', undefined, undefined, true);
    const ms = performance.now() - started;
    lists.push({ ms, bytes, ...(await server.ask('measured')) });
  }
  await server.stop();
  const best = lists.sort((a, b) => a.ms - b.ms)[1];
  return {
    pods,
    'list, ms': Math.round(best.ms),
    'list, MB': (best.bytes / 1e6).toFixed(0),
    'longest hold of the loop, ms': lists.map((list) => list.longestHoldMs.toFixed(1)).join(', '),
    'server, MB resident': Math.round(best.rssMb),
  };
}

function launch(env = {}) {
  const child = fork(self, { env: { ...process.env, ...env } });
  const once = () => new Promise((resolve) => child.once('message', resolve));
  const server = {
    ask(message) {
      const answer = once();
      child.send(message);
      return answer;
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.send('stop');
      }),
  };
  return once().then((ready) => Object.assign(server, { ready }));
}

function call(server, method, path, body, agent, countsBytes = false) {
  return new Promise((resolve, reject) => {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers =
      payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
    const req = request(`${server.ready.url}${path}`, { method, headers, agent }, (response) => {
      let bytes = 0;
      response.on('data', (chunk) => (bytes += chunk.length));
      response.on('end', () => {
        if (response.statusCode >= 300) reject(new Error(`${method} ${path} answered ${response.statusCode}`));
        else resolve(countsBytes ? bytes : undefined);
      });
    });
    req.on('error', reject);
    req.end(payload);
  });
}

function configMap(name, n) {
  return { metadata: { name }, data: { n: String(n), text: 'x'.repeat(400) } };
}

function pod(i) {
  const env = Array.from({ length: 20 }, (_, n) => ({
    name: `VARIABLE_${n}`,
    value: `the value of variable number ${n}`,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${i}`,
      namespace: `namespace-${i % 50}`,
      labels: { app: `app-${i % 200}`, tier: 'backend' },
    },
    spec: {
      nodeName: `node-${i % 500}`,
      containers: ['main', 'sidecar'].map((name) => ({ name, image: `registry.example.com/team/${name}:1.2.3`, env })),
    },
    status: { phase: 'Running', podIP: `10.0.${i >> 8}.${i & 255}`, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}
