// Measures an update of a metric, and a message of a channel with metrics on it. Run after `npm run build`.
import { channels, MetricsRegistry, startMetrics } from '../dist/observe/index.js';
import { nanoseconds } from './nanoseconds.mjs';

const TIMES = 5_000_000;

function report(name, work) {
  console.log(`${name.padEnd(34)} ${nanoseconds(TIMES, work).toFixed(1).padStart(7)} ns`);
}

const registry = new MetricsRegistry();
const counters = registry.counter({ name: 'c_total', help: 'C.', labels: ['name'] });
const counter = counters.labels('a');
const gauge = registry.gauge({ name: 'g', help: 'G.' }).labels();
const histogram = registry.histogram({ name: 'h', help: 'H.' }).labels();
report('counter.inc()', (times) => {
  for (let i = 0; i < times; i++) counter.inc();
});
report('gauge.set()', (times) => {
  for (let i = 0; i < times; i++) gauge.set(i);
});
report('histogram.observe(), 11 buckets', (times) => {
  for (let i = 0; i < times; i++) histogram.observe((i & 1023) / 200);
});
report("family.labels('a').inc()", (times) => {
  for (let i = 0; i < times; i++) counters.labels('a').inc();
});

const source = { name: 'pods', group: '', version: 'v1', resource: 'pods' };
const stop = startMetrics({ registry });
report('queue:depth message to gauge', (times) => {
  for (let i = 0; i < times; i++) {
    if (channels.queueDepth.hasSubscribers) channels.queueDepth.publish({ source, length: i });
  }
});
report('workqueue add, get and done', (times) => {
  for (let i = 0; i < times; i++) {
    channels.workqueueAdd.publish({ queue: 'q', item: 'a', depth: 1 });
    channels.workqueueGet.publish({ queue: 'q', item: 'a', depth: 0, waitedMs: 1 });
    channels.workqueueDone.publish({ queue: 'q', item: 'a', depth: 0, workedMs: 1 });
  }
});
report('rest:request message', (times) => {
  for (let i = 0; i < times; i++)
    channels.restRequest.publish({ verb: 'get', method: 'GET', host: 'kube', path: '/', status: 200, durationMs: 5 });
});
stop();
