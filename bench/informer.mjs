// Compares informers: kubeflect, the two floors, @kubernetes/client-node, kubernetes-fluent-client and client-go, all
// on the load server over plain HTTP, alternately, several times, so that a slow minute of the machine affects all of them.
//
//   npm run build && node bench/informer.mjs [--runs 3] [--quick]      prints JSON; `npm run bench` prints tables
import { parseArgs } from 'node:util';
import { isMain } from './load-server/is-main.mjs';
import { startLoadServer } from './load-server/start.mjs';
import { buildClientGo, measure } from './processes.mjs';

const child = 'informer/child.mjs';
const ours = ['keys', 'objects', 'keys, managedFields kept', 'stored objects', 'stored objects, managedFields kept'];

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

/** The medians of each figure of several results. */
function medians(results) {
  const names = Object.keys(results[0]);
  return Object.fromEntries(names.map((name) => [name, median(results.map((result) => result[name]))]));
}

/** Subjects that take ten times as long as the others: they run once, with fewer events. */
const slow = new Set(['client-go, JSON', 'client-go, dynamic']);

/** Runs the subjects alternately, `runs` times; returns the medians by name. */
export async function inTurn(runs, subjects, log) {
  const results = new Map(Object.keys(subjects).map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (const [name, once] of Object.entries(subjects)) {
      if (run > 0 && slow.has(name)) continue;
      const result = await once();
      log(`  ${name}: ${JSON.stringify(result)}`);
      results.get(name).push(result);
    }
  }
  return Object.fromEntries([...results].map(([name, all]) => [name, medians(all)]));
}

/** Starts a load server with this many pods, and if Go is installed one that also sends protobuf. */
async function withServers(pods, go, work) {
  const server = await startLoadServer({ pods });
  const twin = await go?.serve(server.url);
  try {
    return await work(server.url, twin?.url);
  } finally {
    await twin?.stop();
    await server.stop();
  }
}

const goPeers = { 'client-go, JSON': 'json', 'client-go, protobuf': 'protobuf', 'client-go, dynamic': 'dynamic' };

/** Subjects by name, each a function that measures it once. */
function subjectsOf(what, names, go, { url, twin }, pods, events, rate) {
  const subjects = {};
  const eventsFor = (name) => (typeof events === 'function' ? events(name) : (events ?? 0));
  for (const name of names) subjects[name] = () => measure(child, what, name, url, pods, eventsFor(name), rate ?? 0);
  for (const [name, kind] of go === undefined ? [] : Object.entries(goPeers)) {
    const at = kind === 'protobuf' ? twin : url;
    subjects[name] = () => go.measure(what, kind, at, pods, eventsFor(name), rate ?? 0);
  }
  return subjects;
}

/** Runs all measurements of informers. `quick` uses fewer objects, and one run. */
export async function measureInformers({ runs = 3, quick = false, go, log = () => {} } = {}) {
  const size = quick
    ? { sync: 10_000, watch: 5_000, events: 30_000, holds: 20_000, growth: [1_000], seconds: 1 }
    : { sync: 50_000, watch: 10_000, events: 200_000, holds: 100_000, growth: [1_000, 10_000, 100_000], seconds: 5 };
  const times = quick ? 1 : runs;

  log(`first sync of ${size.sync} pods`);
  const sync = await withServers(size.sync, go, (url, twin) => {
    const names = ['bytes', 'floor', 'client-node', 'fluent-client', ...ours, 'keys, custom resource'];
    return inTurn(times, subjectsOf('sync', names, go, { url, twin }, size.sync), log);
  });

  log(`${size.events} changes of ${size.watch} pods`);
  const events = (name) => (slow.has(name) ? size.events / 10 : size.events);
  const [watch, latency] = await withServers(size.watch, go, async (url, twin) => {
    const names = ['bytes', 'floor', 'client-node', 'fluent-client', ...ours];
    const speed = await inTurn(times, subjectsOf('watch', names, go, { url, twin }, size.watch, events), log);
    const late = {};
    for (const rate of [1_000, 5_000]) {
      log(`latency at ${rate} events/s`);
      const subjects = subjectsOf(
        'latency',
        ['floor', 'versions', 'objects'],
        go,
        // One server for all, so that differences are those of the clients.
        { url: twin ?? url, twin },
        size.watch,
        rate * size.seconds,
        rate,
      );
      // These cannot process 5,000 events per second.
      if (rate > 1_000) for (const name of slow) delete subjects[name];
      late[rate] = await inTurn(times, subjects, log);
    }
    return [speed, late];
  });

  log(`holds of the event loop at ${size.holds} pods`);
  const holds = await withServers(size.holds, undefined, (url) => measureHolds(url, size.holds, times, log));
  const informers = 30;
  const each = Math.ceil(size.holds / informers);
  Object.assign(holds, await withServers(each, undefined, (url) => measureHolds(url, each, times, log, informers)));

  const growth = {};
  for (const pods of size.growth) {
    log(`first sync of ${pods} pods`);
    growth[pods] = await withServers(pods, go, (url, twin) => {
      const subjects = subjectsOf('sync', ['floor', 'keys'], go, { url, twin }, pods);
      delete subjects['client-go, JSON'];
      delete subjects['client-go, dynamic'];
      return inTurn(times, subjects, log);
    });
  }
  return { size, sync, watch, latency, holds, growth };
}

async function measureHolds(url, pods, runs, log, informers = 1) {
  const results = [];
  for (let run = 0; run < runs; run++) {
    results.push(await measure('informer/hold-child.mjs', url, pods, informers));
    log(`  ${JSON.stringify(results.at(-1))}`);
  }
  return Object.fromEntries(
    Object.keys(results[0]).map((what) => [what, medians(results.map((result) => result[what]))]),
  );
}

if (isMain(import.meta)) {
  const { values } = parseArgs({ options: { runs: { type: 'string', default: '3' }, quick: { type: 'boolean' } } });
  const go = await buildClientGo({ onlyIfBuilt: values.quick });
  const { runs, quick } = { runs: Number(values.runs), quick: values.quick };
  console.log(JSON.stringify(await measureInformers({ runs, quick, go, log: console.error }), null, 1));
}
