// Measures streams to pods beside kubectl: bytes through exec and port-forward in both directions, and many port-forwards at
// once. Time, CPU time and memory of the client alone; each measurement is a process of its own. The server is the embedded one
// with TLS, or with --real a kube-apiserver in front of it that takes it for a kubelet.
//
//   node bench/streams.mjs [--gigabytes 1] [--real] [--json FILE]      needs npm run build
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const self = fileURLToPath(import.meta.url);
const MEGABYTE = 1e6;
/** A port of the pod that sends the bytes, and one that counts what it receives. */
const [SOURCE, SINK] = [1001, 1002];
const FORWARDS = 200;
const FORWARD_BYTES = MEGABYTE;
const CHUNK = Buffer.alloc(64 * 1024, 'kubeflect ');
/** The bytes that this process has sent and received. */
let moved = 0;

if (process.send === undefined) await main();
else if (process.argv[2] === 'serve') await serve(JSON.parse(process.argv[3]));
else await runClient(JSON.parse(process.argv[2]));

/** Sends bytes no faster than they are taken. */
async function pour(stream, bytes) {
  for (let left = bytes; left > 0; left -= CHUNK.length) {
    moved += CHUNK.length;
    if (!stream.write(CHUNK.subarray(0, left))) await once(stream, 'drain');
  }
}

/** Counts the bytes of a stream. */
async function drain(stream) {
  let count = 0;
  stream.on('data', (chunk) => {
    count += chunk.length;
    moved += chunk.length;
  });
  await once(stream, 'end');
  return count;
}

/** The server's process. */
async function serve({ isReal, bytes }) {
  const { startApiServer } = await import('../build/apiserver/index.js');
  const kubelet = {
    async exec({ command, stdin, stdout }) {
      if (command[0] === 'source') await pour(stdout, bytes);
      else stdout.write(String(await drain(stdin)));
    },
    async portForward({ port, connection }) {
      if (port === SOURCE) {
        // Its end is read, or the connection would never close.
        connection.resume();
        await pour(connection, bytes);
        connection.end();
      } else connection.end(String(await drain(connection)));
      if (!connection.closed) await once(connection, 'close').catch(() => {});
    },
  };
  if (!isReal) {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one', namespace: 'default' } };
    const spec = { nodeName: 'n', containers: [{ name: 'app', image: 'app:1' }] };
    const status = { phase: 'Running' };
    const api = await startApiServer({ tls: true, objects: [{ ...pod, spec, status }], kubelet });
    process.send({ kubeconfig: api.kubeconfig });
    await once(process, 'message');
    await api.stop();
  } else {
    const { startRealApiServer } = await import('../test/real/real-api-server.mjs');
    const { startStreamKubelet } = await import('../test/real/stream-kubelet.mjs');
    const { CertificateAuthority } = await import('../build/certificates/certificate-authority.js');
    const { realClock } = await import('../build/time/real-clock.js');
    const authority = new CertificateAuthority(realClock);
    const pods = [{ name: 'one', containers: ['app'] }];
    const standIn = await startStreamKubelet({ startApiServer, authority, pods, kubelet });
    const real = await startRealApiServer();
    await real.request('POST', '/api/v1/nodes', { body: standIn.node });
    const headers = { 'content-type': 'application/merge-patch+json' };
    const status = { status: standIn.node.status };
    await real.request('PATCH', '/api/v1/nodes/stream-node/status', { body: status, headers });
    for (const pod of standIn.objects) {
      const path = '/api/v1/namespaces/default/pods';
      await real.request('POST', path, { body: pod });
      const running = { status: { phase: 'Running' } };
      await real.request('PATCH', `${path}/${pod.metadata.name}/status`, { body: running, headers });
    }
    process.send({ kubeconfig: real.kubeconfig });
    await once(process, 'message');
    await real.stop();
    await standIn.stop();
  }
  process.disconnect();
}

/** A measurement of our client, in a process of its own. */
async function runClient({ kubeconfig, what, bytes }) {
  const { Client } = await import('../build/client/client.js');
  const client = await Client.fromKubeconfig({ text: kubeconfig });
  const pods = client.core.v1.pods('default');
  let received = 0;
  const stdout = () =>
    new Writable({
      write(chunk, _encoding, done) {
        received += chunk.length;
        moved += chunk.length;
        done();
      },
    });
  const source = (count) => Readable.from(chunksOf(count), { objectMode: false, highWaterMark: CHUNK.length });
  const kinds = {
    'exec, down': () => pods.exec('one', { command: ['source'], stdout: stdout() }),
    'exec, up': async () => {
      let said = '';
      const output = new Writable({
        write(chunk, _encoding, done) {
          said += chunk;
          done();
        },
      });
      await pods.exec('one', { command: ['sink'], stdin: source(bytes), stdout: output });
      received = Number(said);
    },
    'port-forward, down': async () => {
      const forward = await pods.portForward('one', SOURCE);
      received = await download(forward.ports[0].local);
      await forward.close();
    },
    'port-forward, up': async () => {
      const forward = await pods.portForward('one', SINK);
      received = await upload(forward.ports[0].local, bytes);
      await forward.close();
    },
    forwards: async () => {
      const forwards = await Promise.all(Array.from({ length: FORWARDS }, () => pods.portForward('one', SINK)));
      const counts = await Promise.all(forwards.map(({ ports }) => upload(ports[0].local, FORWARD_BYTES)));
      received = counts.reduce((sum, count) => sum + count, 0);
      await Promise.all(forwards.map((forward) => forward.close()));
    },
  };
  let [base, peak] = [0, 0];
  const sample = setInterval(() => {
    const rss = process.memoryUsage.rss();
    // The first tenth warms up buffers and code.
    if (moved >= bytes / 10) base ||= rss;
    peak = Math.max(peak, rss);
  }, 50);
  const cpu = process.cpuUsage();
  const started = performance.now();
  await kinds[what]();
  const seconds = (performance.now() - started) / 1000;
  clearInterval(sample);
  const { user, system } = process.cpuUsage(cpu);
  await client.close();
  process.send({
    received,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    baseMb: base / MEGABYTE,
    peakMb: peak / MEGABYTE,
  });
  process.disconnect();
}

function* chunksOf(bytes) {
  for (let left = bytes; left > 0; left -= CHUNK.length) {
    moved += CHUNK.length;
    yield CHUNK.subarray(0, left);
  }
}

async function download(port) {
  const socket = connect(port, '127.0.0.1');
  socket.end();
  return drain(socket);
}

/** Sends bytes to a sink, and returns the number that it has counted. */
async function upload(port, bytes) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let said = '';
  socket.on('data', (chunk) => {
    said += chunk;
  });
  const ended = once(socket, 'end');
  await pour(socket, bytes);
  socket.end();
  await ended;
  return Number(said);
}

/** A measurement of kubectl. */
async function runKubectl({ kubectl, kubeconfigPath, folder, what, bytes }) {
  const env = { HOME: folder, KUBECONFIG: kubeconfigPath, PATH: process.env.PATH };
  const args = {
    'exec, down': ['exec', 'one', '--', 'source'],
    'exec, up': ['exec', '-i', 'one', '--', 'sink'],
    'port-forward, down': ['port-forward', 'pod/one', `:${SOURCE}`],
    'port-forward, up': ['port-forward', 'pod/one', `:${SINK}`],
  }[what];
  const started = performance.now();
  const child = spawn(kubectl, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const usage = { cpuSeconds: 0, peakMb: 0 };
  const sample = setInterval(() => Object.assign(usage, usageOf(child.pid, usage)), 50);
  const exited = once(child, 'exit');
  let received = 0;
  let from = started;
  if (what === 'exec, down') {
    child.stdin.end();
    received = await drain(child.stdout);
  } else if (what === 'exec, up') {
    const counted = text(child.stdout);
    await pour(child.stdin, bytes);
    Object.assign(usage, usageOf(child.pid, usage));
    child.stdin.end();
    received = Number(await counted);
  } else {
    const [line = ''] = await Promise.race([once(child.stdout, 'data'), exited.then(() => [])]);
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(String(line))?.[1]);
    if (!(port > 0)) throw new Error('kubectl forwards no port');
    child.stdout.resume();
    from = performance.now();
    received = what === 'port-forward, down' ? await download(port) : await upload(port, bytes);
    Object.assign(usage, usageOf(child.pid, usage));
    child.kill();
  }
  const seconds = (performance.now() - from) / 1000;
  clearInterval(sample);
  await exited;
  return { received, seconds, ...usage };
}

async function text(stream) {
  let said = '';
  for await (const chunk of stream) said += chunk;
  return said;
}

/** CPU time and peak of memory of a process so far, as Linux counts them. */
function usageOf(pid, before) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0;
    return { cpuSeconds: (Number(user) + Number(system)) / 100, peakMb: Number(peak) / 1000 };
  } catch {
    return before;
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      gigabytes: { type: 'string', default: '1' },
      real: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  });
  const bytes = Math.round(Number(values.gigabytes) * 1e9);
  const { buildKubectl } = await import('../test/real/build.mjs');
  const kubectl = await buildKubectl();
  const folder = mkdtempSync(join(tmpdir(), 'kubeflect-streams-'));
  const server = fork(self, ['serve', JSON.stringify({ isReal: values.real, bytes })]);
  const results = {};
  try {
    const [{ kubeconfig }] = await once(server, 'message');
    const kubeconfigPath = join(folder, 'config');
    writeFileSync(kubeconfigPath, kubeconfig);
    for (const what of ['exec, down', 'exec, up', 'port-forward, down', 'port-forward, up']) {
      const own = await measureOwn({ kubeconfig, what, bytes });
      const other = await runKubectl({ kubectl, kubeconfigPath, folder, what, bytes });
      for (const { received } of [own, other]) {
        if (received !== bytes) throw new Error(`${what}: ${received} of ${bytes} bytes have arrived`);
      }
      results[what] = { kubeflect: figures(own, bytes), kubectl: figures(other, bytes) };
      log(what, results[what]);
    }
    const forwards = await measureOwn({ kubeconfig, what: 'forwards', bytes: FORWARDS * FORWARD_BYTES });
    if (forwards.received !== FORWARDS * FORWARD_BYTES) throw new Error(`forwards: ${forwards.received} bytes`);
    results.forwards = { kubeflect: figures(forwards, FORWARDS * FORWARD_BYTES) };
    log(`${FORWARDS} port-forwards, ${FORWARD_BYTES / MEGABYTE} MB each`, results.forwards);
  } finally {
    server.send('stop');
    await once(server, 'exit');
    rmSync(folder, { recursive: true });
  }
  if (values.json !== undefined) {
    const about = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, bytes, isReal: values.real };
    writeFileSync(values.json, `${JSON.stringify({ about, results }, undefined, 2)}\n`);
  }
}

async function measureOwn(task) {
  const child = fork(self, [JSON.stringify(task)]);
  const exited = once(child, 'exit');
  const [result] = await Promise.race([once(child, 'message'), exited.then(() => [undefined])]);
  await exited;
  if (result === undefined) throw new Error(`${task.what}: the process has ended without a result`);
  return result;
}

function figures({ seconds, cpuSeconds, baseMb, peakMb }, bytes) {
  const round = (value) => Math.round(value * 100) / 100;
  return {
    mbPerSecond: Math.round(bytes / MEGABYTE / seconds),
    seconds: round(seconds),
    cpuSeconds: round(cpuSeconds),
    peakMb: Math.round(peakMb),
    ...(baseMb === undefined ? {} : { growthMb: Math.round(peakMb - baseMb) }),
  };
}

function log(what, result) {
  for (const [name, values] of Object.entries(result)) {
    console.log(`${what.padEnd(36)} ${name.padEnd(10)} ${JSON.stringify(values)}`);
  }
}
