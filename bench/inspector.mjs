// Measures what the inspector costs the process that it shows: CPU time per change with no inspector, with one without a page, and with one with an open
// page, in short turns in one process.
//
//   npm run build && node bench/inspector.mjs [--pods 50000] [--rate 2000] [--seconds 6] [--rounds 20]
//
// The process has an informer of pods. Each change is one event for a handler that reads the pod, and one item of a work queue that workers take. The
// page is a program that reads the stream, in a process of its own. The turns are short because the store uses fresh memory for some seconds, and then
// compacts: both are a large part of the CPU time, and must fall on all three alike.
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
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '20' },
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
let changes = 0;
let images = 0;
informer.enqueueInto(queue);
informer.subscribe(({ object }) => {
  images += object.spec.containers.length;
  changes++;
});
factory.start();
await factory.waitForCacheSync();
const working = processQueue(queue, { reconcile: () => {}, workers: 4, signal });

/** The CPU time of this process for each change in the next seconds, in microseconds. */
async function measure() {
  // What V8 compiles again after a channel has got its first listener does not count.
  await sleep(1000);
  const before = { changes, ...process.cpuUsage() };
  await sleep(seconds * 1000);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (changes - before.changes);
}

async function withInspector(work) {
  const inspector = await startInspector({ factory, queues: [queue] });
  try {
    return await work(inspector.url);
  } finally {
    await inspector.stop();
  }
}

/** Opens the stream of each address that it reads, which ends when the inspector stops. */
const viewer = spawn(
  process.execPath,
  [
    '-e',
    `require('node:readline').createInterface(process.stdin).on('line', (url) => {
      require('node:http').get(url + 'api/stream', (response) => {
        response.once('data', () => process.stdout.write('.')).on('error', () => {}).resume();
      });
    });`,
  ],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);

const ways = {
  'no inspector': measure,
  'an inspector without a page': () => withInspector(measure),
  'an inspector with a page': () =>
    withInspector(async (url) => {
      viewer.stdin.write(`${url}\n`);
      await once(viewer.stdout, 'data');
      return measure();
    }),
};
const names = Object.keys(ways);
const micros = Object.fromEntries(names.map((name) => [name, []]));
const longestSeconds = (rounds + 1) * names.length * (seconds + 3);
get(
  `${server.url}/bench/events?count=${rate * longestSeconds}&rate=${rate}`,
  { agent: false },
  (response) => void text(response),
);
for (let round = -1; round < rounds; round++) {
  // Each round begins with another one. The code is optimized in the first round, which does not count.
  for (let i = 0; i < names.length; i++) {
    const name = names[(round + 1 + i) % names.length];
    const taken = await ways[name]();
    if (round >= 0) micros[name].push(taken);
  }
  const last = names.map((name) => `${name} ${micros[name].at(-1)?.toFixed(1)} µs`);
  if (round >= 0) console.error(`  round ${round + 1}: ${last.join(', ')}`);
}
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
console.log(
  `${pods} pods, ${rate} changes a second, ${rounds} rounds of ${seconds} s; means of CPU µs for each change`,
);
for (const name of names) {
  // The means are of as many turns, so that the error of their ratio is that of the differences between the turns of a round.
  const differences = micros[name].map((value, round) => (value - micros[names[0]][round]) / mean(micros[names[0]]));
  const ratio = 1 + mean(differences);
  const error = Math.sqrt(mean(differences.map((one) => (one + 1 - ratio) ** 2)) / (rounds - 1));
  console.log(`${name.padEnd(28)} ${mean(micros[name]).toFixed(2)}  ratio ${ratio.toFixed(3)} ± ${error.toFixed(3)}`);
}
viewer.kill();
stop.abort();
await working;
await factory.stop();
await client.close();
await server.stop();
if (images === 0) throw new Error('the handler has read nothing');
