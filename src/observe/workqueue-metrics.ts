import type { Clock } from '../time/clock.js';
import { channels, listen } from './channels.js';
import type { Counter, Gauge, Histogram } from './instruments.js';
import type { MetricsRegistry } from './metrics-registry.js';

/** Everything about the work queues of one name. */
interface QueueSeries {
  readonly depth: Gauge;
  readonly adds: Counter;
  readonly waited: Histogram;
  readonly worked: Histogram;
  readonly unfinished: Gauge;
  readonly longest: Gauge;
  readonly retries: Counter;
  /** What workers have in hand, and since when. */
  readonly inHand: Map<unknown, number>;
}

/** From 10 ns to 10 s, each ten times the one before. */
const buckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];

/** Counts what work queues tell. Returns the undos. */
export function feedWorkqueueMetrics(registry: MetricsRegistry, clock: Clock): (() => void)[] {
  const make = declareQueue(registry);
  const queues = new Map<string, QueueSeries>();
  const of = (queue: string): QueueSeries => {
    let series = queues.get(queue);
    if (series === undefined) queues.set(queue, (series = make(queue)));
    return series;
  };
  return [
    listen(channels.workqueueAdd, ({ queue, depth }) => {
      const series = of(queue);
      series.adds.inc();
      series.depth.set(depth);
    }),
    listen(channels.workqueueGet, ({ queue, item, depth, waitedMs }) => {
      const series = of(queue);
      series.depth.set(depth);
      series.waited.observe(waitedMs / 1000);
      series.inHand.set(item, clock.monotonicNow());
    }),
    listen(channels.workqueueDone, ({ queue, item, depth, workedMs }) => {
      const series = of(queue);
      series.depth.set(depth);
      // Whatever was taken before anybody listened has no beginning that is known.
      if (series.inHand.delete(item)) series.worked.observe(workedMs / 1000);
    }),
    listen(channels.workqueueRetry, ({ queue }) => of(queue).retries.inc()),
    // Time goes by for work under way without a message, so it is looked at when somebody asks: no timer needs to run.
    registry.onCollect(() => {
      const now = clock.monotonicNow();
      for (const { inHand, unfinished, longest } of queues.values()) {
        let sum = 0;
        let most = 0;
        for (const since of inHand.values()) {
          sum += now - since;
          most = Math.max(most, now - since);
        }
        unfinished.set(sum / 1000);
        longest.set(most / 1000);
      }
    }),
  ];
}

function declareQueue(registry: MetricsRegistry): (queue: string) => QueueSeries {
  const labels = ['name'];
  const depth = registry.gauge({ name: 'workqueue_depth', help: 'Items that are still to be taken.', labels });
  const adds = registry.counter({ name: 'workqueue_adds_total', help: 'Items that were new to the queue.', labels });
  const waited = registry.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long items waited until they were taken.',
    labels,
    buckets,
  });
  const worked = registry.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long items were worked on.',
    labels,
    buckets,
  });
  const unfinished = registry.gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'How long the items in hand have been worked on, all together. A steady rise is a worker that hangs.',
    labels,
  });
  const longest = registry.gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How long the item that was taken first has been worked on.',
    labels,
  });
  const retries = registry.counter({
    name: 'workqueue_retries_total',
    help: 'Items that were to be added again after a while.',
    labels,
  });
  return (queue) => ({
    depth: depth.labels(queue),
    adds: adds.labels(queue),
    waited: waited.labels(queue),
    worked: worked.labels(queue),
    unfinished: unfinished.labels(queue),
    longest: longest.labels(queue),
    retries: retries.labels(queue),
    inHand: new Map(),
  });
}
