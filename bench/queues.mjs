// Measures work queues: add → get → done one by one, in bulk and delayed; the memory of an item; and how long a million
// delayed items hold the event loop. bench/client-go measures the same in client-go. Runs on dist/.
//
//   npm run build && node --expose-gc bench/queues.mjs [--quick]
import { parseArgs } from 'node:util';
import { RateLimitingQueue } from '../dist/index.js';
import { holdMeter } from './hold-meter.mjs';
import { isMain } from './load-server/is-main.mjs';

const million = 1_000_000;
const keyOf = (i) => `team-${i % 20}/app-${i % 100}-6d4b75cb6d-${i}`;
const keysOf = (count) => Array.from({ length: count }, (_, i) => Buffer.from(keyOf(i)).toString());
const queueOf = () => new RateLimitingQueue({ name: 'bench' });
const perSecond = (count, started) => count / ((performance.now() - started) / 1000);

function oneByOne(keys) {
  const queue = queueOf();
  const started = performance.now();
  for (const key of keys) {
    queue.add(key);
    queue.done(queue.tryGet());
  }
  return perSecond(keys.length, started);
}

async function awaited(keys) {
  const queue = queueOf();
  const started = performance.now();
  for (const key of keys) {
    queue.add(key);
    queue.done(await queue.get());
  }
  return perSecond(keys.length, started);
}

function bulk(keys) {
  const queue = queueOf();
  const started = performance.now();
  for (const key of keys) queue.add(key);
  for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) queue.done(key);
  return perSecond(keys.length, started);
}

/** Adds items with delays spread over a second, and takes them when they are due; the time does not include idle waiting. */
async function delayed(keys) {
  const queue = queueOf();
  let addedMs = 0;
  const meter = holdMeter();
  const started = performance.now();
  // Adds in pieces, as real programs do: the holds of the queue itself are measured.
  for (let at = 0; at < keys.length; ) {
    const piece = performance.now();
    for (const end = Math.min(at + 2000, keys.length); at < end; at++) queue.addAfter(keys[at], 1 + (at % 1000));
    addedMs += performance.now() - piece;
    await new Promise(setImmediate);
  }
  let taken = 0;
  while (taken < keys.length) {
    queue.done(await queue.get());
    taken++;
    // A worker that never waits must yield now and then.
    if (taken % 2000 === 0) await new Promise(setImmediate);
  }
  const ms = performance.now() - started;
  const { holdMs, ownHoldMs } = meter.stop();
  return { perSecond: keys.length / (ms / 1000), addsPerSecond: keys.length / (addedMs / 1000), holdMs, ownHoldMs };
}

/** The memory per item, without the keys themselves. Typed arrays count, though they are not on the heap. */
function weight(keys) {
  const used = () => {
    // Freed typed arrays are counted one collection late.
    for (let i = 0; i < 3; i++) gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  const queue = queueOf();
  for (const key of keys) queue.add(key);
  return (used() - before) / queue.length;
}

/** All figures of one run, as `[name, value]` pairs. */
export async function measureQueues(count = million) {
  const keys = keysOf(count);
  oneByOne(keys.slice(0, 100_000));
  const { perSecond: delayedPerSecond, addsPerSecond, ownHoldMs } = await delayed(keys);
  return {
    oneByOne: oneByOne(keys),
    awaited: await awaited(keys),
    bulk: bulk(keys),
    addAfter: addsPerSecond,
    delayed: delayedPerSecond,
    bytesPerItem: weight(keys),
    delayedHoldMs: ownHoldMs,
  };
}

if (isMain(import.meta)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' } } });
  console.log(JSON.stringify(await measureQueues(values.quick ? 200_000 : million)));
}
