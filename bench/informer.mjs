// Compares informers: kubeflect, the two floors, @kubernetes/client-node, kubernetes-fluent-client and client-go, all
// on a load server over TLS and HTTP/2, alternately, several times, so that a slow minute of the machine affects all of them.
//
//   npm run build && node bench/informer.mjs [--runs 3] [--quick]      prints JSON; `npm run bench` prints tables
import { parseArgs } from 'node:util';
import { isMain } from './load-server/is-main.mjs';
import { startLoadServer } from './load-server/start.mjs';
import { buildClientGo, measureHoldsOn, measureOn } from './processes.mjs';

const ours = [
  'keys',
  'objects',
  'keys, JSON',
  'objects, JSON',
  'keys, managedFields kept',
  'stored objects',
  'stored objects, managedFields kept',
];

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

/** The medians of each figure of several results. */
export function medians(results) {
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

/**
 * Starts a load server with this many pods. With Go it is one that sends protobuf and JSON, over TLS with HTTP/2 (`tls`) and
 * over HTTP/1.1 (`plain`); without, there is only a plain one, which sends JSON.
 */
async function withServers(pods, go, work) {
  const source = await startLoadServer({ pods });
  const server = await go?.serve(source.url);
  try {
    return await work(server ?? { plain: source, tls: source });
  } finally {
    await server?.stop();
    await source.stop();
  }
}

export const goPeers = {
  'client-go, JSON': 'json',
  'client-go, protobuf': 'protobuf',
  'client-go, dynamic': 'dynamic',
};

/** Subjects by name, each a function that measures it once. */
function subjectsOf(what, names, go, server, pods, events, rate) {
  const subjects = {};
  const eventsFor = (name) => (typeof events === 'function' ? events(name) : (events ?? 0));
  for (const name of names) {
    const kind = goPeers[name];
    if (kind === undefined) subjects[name] = () => measureOn(server, what, name, pods, eventsFor(name), rate ?? 0);
    else if (go !== undefined)
      subjects[name] = () => go.measureOn(server, what, [kind], pods, eventsFor(name), rate ?? 0);
  }
  return subjects;
}

/** Runs all measurements of informers. `quick` uses fewer objects, and one run. */
export async function measureInformers({ runs = 3, quick = false, go, log = () => {} } = {}) {
  const size = quick
    ? { sync: 10_000, watch: 5_000, events: 30_000, holds: 20_000, growth: [1_000], seconds: 1 }
    : { sync: 50_000, watch: 10_000, events: 200_000, holds: 100_000, growth: [1_000, 10_000, 100_000], seconds: 5 };
  const times = quick ? 1 : runs;
  const peers = Object.keys(goPeers);
  // Without Go there is no server that sends protobuf.
  const floors = go === undefined ? ['bytes, JSON', 'floor'] : ['bytes', 'bytes, JSON', 'floor'];
  const names = [...floors, 'client-node', 'fluent-client', ...ours, ...peers];
  const plainNames = ['keys', 'objects', 'keys, JSON', 'client-go, protobuf'];

  log(`first sync of ${size.sync} pods`);
  const sync = {};
  const plain = {};
  await withServers(size.sync, go, async (server) => {
    const all = [...names, 'keys, custom resource'];
    Object.assign(sync, await inTurn(times, subjectsOf('sync', all, go, server.tls, size.sync), log));
    if (go === undefined) return;
    log('  over plain HTTP/1.1');
    plain.sync = await inTurn(times, subjectsOf('sync', plainNames, go, server.plain, size.sync), log);
  });

  log(`${size.events} changes of ${size.watch} pods`);
  const events = (name) => (slow.has(name) ? size.events / 10 : size.events);
  const [watch, latency] = await withServers(size.watch, go, async (server) => {
    const speed = await inTurn(times, subjectsOf('watch', names, go, server.tls, size.watch, events), log);
    if (go !== undefined) {
      log('  over plain HTTP/1.1');
      const subjects = subjectsOf('watch', plainNames, go, server.plain, size.watch, events);
      plain.watch = await inTurn(times, subjects, log);
    }
    const late = {};
    for (const rate of [1_000, 5_000]) {
      log(`latency at ${rate} events/s`);
      const subjects = subjectsOf(
        'latency',
        // The slow ones cannot process 5,000 events per second.
        ['floor', 'versions', 'objects', ...peers].filter((name) => rate <= 1_000 || !slow.has(name)),
        go,
        server.tls,
        size.watch,
        rate * size.seconds,
        rate,
      );
      late[rate] = await inTurn(times, subjects, log);
    }
    return [speed, late];
  });

  log(`holds of the event loop at ${size.holds} pods`);
  const holds = await withServers(size.holds, go, ({ tls }) => measureHolds(tls, size.holds, times, log));
  const informers = 30;
  const each = Math.ceil(size.holds / informers);
  Object.assign(holds, await withServers(each, go, ({ tls }) => measureHolds(tls, each, times, log, informers)));

  const growth = {};
  for (const pods of size.growth) {
    log(`first sync of ${pods} pods`);
    growth[pods] = await withServers(pods, go, ({ tls }) => {
      const subjects = subjectsOf('sync', ['floor', 'keys', 'client-go, protobuf'], go, tls, pods);
      return inTurn(times, subjects, log);
    });
  }
  return { size, sync, watch, plain, latency, holds, growth };
}

async function measureHolds(server, pods, runs, log, informers = 1) {
  const results = [];
  for (let run = 0; run < runs; run++) {
    results.push(await measureHoldsOn(server, pods, informers));
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
