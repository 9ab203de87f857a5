// Work queues: add → get → done one by one, in bulk and delayed; what an item in the queue weighs; and how long a million
// delayed items hold the event loop. Beside client-go's figures for the same in bench/client-go. Runs on dist/.
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

/** Added with delays spread over a second, and taken as they come; the time includes that second's waiting for none. */
async function delayed(keys) {
  const queue = queueOf();
  let addedMs = 0;
  const meter = holdMeter();
  const started = performance.now();
  // In pieces, as real work comes: what counts is that the queue itself never holds the loop.
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
    // A worker that never waits for anything must give way now and then.
    if (taken % 2000 === 0) await new Promise(setImmediate);
  }
  const ms = performance.now() - started;
  const { holdMs, ownHoldMs } = meter.stop();
  return { perSecond: keys.length / (ms / 1000), addsPerSecond: keys.length / (addedMs / 1000), holdMs, ownHoldMs };
}

/** Beyond the keys themselves, which belong to whoever adds them. Typed arrays count, though they are not on the heap. */
function weight(keys) {
  const used = () => {
    // What typed arrays have given back is counted one collection late.
    for (let i = 0; i < 3; i++) gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  const queue = queueOf();
  for (const key of keys) queue.add(key);
  return (used() - before) / queue.length;
}

/** All of it, as `[name, value]` pairs of one run. */
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
