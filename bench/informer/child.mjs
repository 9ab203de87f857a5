// One measurement of bench/informer.mjs, in its own process so that each begins with an empty heap:
//
//   node --expose-gc bench/informer/child.mjs sync|watch|latency|follow <subject> <url> <pods> [events] [rate]
//
// `follow` prints `ready` when it has synced, and measures until so many events have come that another program causes.
import { get as getPlain } from 'node:http';
import { get as getOverTls } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { subjects } from './subjects.mjs';

const [, , what, subject, url, podsText, eventsText = '0', rateText = '0'] = process.argv;
const pods = Number(podsText);
const events = Number(eventsText);
/** The same number as for client-go. */
const warmUpEvents = 20_000;

const ask = (path) =>
  new Promise((resolve, reject) => {
    const get = url.startsWith('https:') ? getOverTls : getPlain;
    get(`${url}${path}`, { agent: false }, (response) => resolve(text(response))).on('error', reject);
  });

const memory = () => {
  const { heapUsed, external } = process.memoryUsage();
  return { heapUsed, external };
};

const cpuMs = (since) => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

/** From the first request to the last call of the handler for the first list. */
async function sync() {
  let before;
  let cpu;
  let started;
  await subjects[subject](url, {
    pods,
    begin() {
      gc();
      before = memory();
      cpu = process.cpuUsage();
      started = performance.now();
    },
    onUpdate() {},
  });
  const ms = performance.now() - started;
  const cpuUsed = cpuMs(cpu);
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  await sleep(500);
  gc();
  await sleep(500);
  gc();
  const after = memory();
  return {
    ms,
    cpuMs: cpuUsed,
    peakRssMb,
    settledRssMb: process.memoryUsage.rss() / 1048576,
    heapPerPod: (after.heapUsed - before.heapUsed) / pods,
    bytesPerPod: (after.heapUsed + after.external - before.heapUsed - before.external) / pods,
  };
}

/** Starts an informer; resolves with a function that makes the server send changes, and resolves after the last call of the handler. */
async function receiver(onUpdate, cause = (count, rate) => ask(`/bench/events?count=${count}&rate=${rate}`)) {
  let left = 0;
  let finish;
  await subjects[subject](url, {
    pods,
    begin() {},
    onUpdate(version) {
      onUpdate(version);
      if (--left === 0) finish();
    },
  });
  return async (count, rate) => {
    left = count;
    const finished = new Promise((resolve) => {
      finish = resolve;
    });
    await cause(count, rate);
    await finished;
  };
}

async function settle() {
  await sleep(300);
  gc();
}

async function watch(cause) {
  const receive = await receiver(() => {}, cause);
  await settle();
  const cpu = process.cpuUsage();
  const started = performance.now();
  await receive(events, 0);
  const ms = performance.now() - started;
  return {
    ms,
    perSecond: (events / ms) * 1000,
    cpuMicros: (cpuMs(cpu) * 1000) / events,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
  };
}

/** Changes that another program causes. */
const follow = () => watch(() => console.log('ready'));

/** Changes at a rate: right after the first sync, and after the code has been optimized. */
async function latency() {
  const received = new Map();
  const receive = await receiver((version) => received.set(version, performance.timeOrigin + performance.now()));
  const round = async () => {
    await settle();
    await receive(events, Number(rateText));
    const sent = JSON.parse(await ask('/bench/sent'));
    const late = Object.entries(sent)
      .filter(([version]) => received.has(version))
      .map(([version, at]) => received.get(version) - at)
      .sort((a, b) => a - b);
    if (late.length === 0) throw new Error('no event was received that says when it was sent');
    return { p50: late[late.length >> 1], p99: late[Math.floor(late.length * 0.99)], most: late.at(-1) };
  };
  const cold = await round();
  await receive(warmUpEvents, 0);
  return { ...(await round()), coldP99: cold.p99 };
}

const result = await { sync, watch: () => watch(), latency, follow }[what]();
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
