// Measures what the inspector costs the process that it shows: CPU time per change without and with a page open, alternately in one process.
//
//   npm run build && node bench/inspector.mjs [--pods 50000] [--rate 2000] [--seconds 15] [--rounds 5]
//
// The process has an informer of pods. Each change is one event for a handler that reads the pod, and one item of a work queue that workers take. The
// page is a program that reads the stream, in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, processQueue, RateLimitingQueue, SharedInformerFactory } from '../dist/index.js';
import { startInspector } from '../dist/inspector/index.js';
import { startLoadServer } from './load-server/start.mjs';

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '50000' },
    rate: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '15' },
    rounds: { type: 'string', default: '5' },
  },
});
const [pods, rate, seconds, rounds] = [values.pods, values.rate, values.seconds, values.rounds].map(Number);
const stop = new AbortController();
const { signal } = stop;
const server = await startLoadServer({ pods });
const client = new Client({ server: server.url });
const factory = new SharedInformerFactory(client, { signal, onError: () => {} });
const queue = new RateLimitingQueue({ name: 'pods' });
const informer = factory.core.v1.pods();
let left = 0;
let finish = () => {};
let images = 0;
informer.enqueueInto(queue);
informer.subscribe(({ object }) => {
  images += object.spec.containers.length;
  if (--left === 0) finish();
});
factory.start();
await factory.waitForCacheSync();
const working = processQueue(queue, { reconcile: () => {}, workers: 4, signal });

/** Receives changes for some seconds; the CPU time of this process for each, in microseconds. */
async function receive() {
  await sleep(1000);
  globalThis.gc?.();
  left = rate * seconds;
  const finished = new Promise((resolve) => {
    finish = resolve;
  });
  const before = process.cpuUsage();
  get(`${server.url}/bench/events?count=${left}&rate=${rate}`, { agent: false }, (response) => void text(response));
  await finished;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (rate * seconds);
}

/** The same with a page that is open. */
async function receiveWithViewer() {
  const inspector = await startInspector({ factory, queues: [queue] });
  const program = `
    let bytes = 0;
    require('node:http').get(process.argv[1] + 'api/stream', (response) => {
      response.on('data', (chunk) => { bytes += chunk.length; if (bytes > 2000) process.stdout.write('.'); });
    });`;
  const viewer = spawn(process.execPath, ['-e', program, inspector.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(viewer.stdout, 'data');
  const micros = await receive();
  viewer.kill();
  await inspector.stop();
  return micros;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const without = [];
const viewed = [];
// The code is optimized in a round that does not count.
await receive();
await receiveWithViewer();
for (let round = 0; round < rounds; round++) {
  without.push(await receive());
  viewed.push(await receiveWithViewer());
  console.error(
    `  round ${round + 1}: ${without.at(-1).toFixed(2)} µs without, ${viewed.at(-1).toFixed(2)} µs with a page`,
  );
}
const ratios = viewed.map((micros, i) => micros / without[i]);
console.log(
  `${pods} pods, ${rate} changes a second, ${rounds} rounds of ${seconds} s; medians of CPU µs for each change`,
);
console.log(`without a page  ${median(without).toFixed(2)}`);
console.log(`with a page     ${median(viewed).toFixed(2)}`);
console.log(`ratio           ${median(ratios).toFixed(3)} (${ratios.map((ratio) => ratio.toFixed(3)).join(', ')})`);
if (images === 0) throw new Error('nothing was read');
stop.abort();
await working;
await factory.stop();
await client.close();
await server.stop();
