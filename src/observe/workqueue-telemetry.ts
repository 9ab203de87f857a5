import type { Undo } from '../meta/undo.js';
import { controllerChannels } from './controller-telemetry.js';
import { type DiagnosticsChannel, listen, openChannel } from './diagnostics-channel.js';
import type { Counter, Gauge, Histogram } from './metrics/instruments.js';
import type { MetricsRegistry } from './metrics/metrics-registry.js';

interface FromWorkqueue {
  /** The queue's name. */
  readonly queue: string;
  readonly item: unknown;
}

interface WorkqueueAddMessage extends FromWorkqueue {
  /** Queued items, and dirty ones, which will be queued again. */
  readonly depth: number;
}

interface WorkqueueGetMessage extends FromWorkqueue {
  readonly depth: number;
  /** Since the item was queued. */
  readonly waitedMs: number;
}

interface WorkqueueDoneMessage extends FromWorkqueue {
  readonly depth: number;
  readonly workedMs: number;
}

interface WorkqueueRetryMessage extends FromWorkqueue {
  readonly delayMs: number;
}

/** Only queues with a name publish. */
export interface WorkqueueChannels {
  /** An item became queued or dirty. */
  readonly workqueueAdd: DiagnosticsChannel<WorkqueueAddMessage>;
  /** An item was handed to a worker. */
  readonly workqueueGet: DiagnosticsChannel<WorkqueueGetMessage>;
  /** `done` was called for an item. */
  readonly workqueueDone: DiagnosticsChannel<WorkqueueDoneMessage>;
  /** An item will be added after a delay. */
  readonly workqueueRetry: DiagnosticsChannel<WorkqueueRetryMessage>;
}

export const workqueueChannels: WorkqueueChannels = {
  workqueueAdd: openChannel('workqueue:add'),
  workqueueGet: openChannel('workqueue:get'),
  workqueueDone: openChannel('workqueue:done'),
  workqueueRetry: openChannel('workqueue:retry'),
};

/** The metrics of the work queues of one name. */
interface QueueSeries {
  readonly depth: Gauge;
  readonly adds: Counter;
  readonly waited: Histogram;
  readonly worked: Histogram;
  readonly unfinished: Gauge;
  readonly longest: Gauge;
  readonly retries: Counter;
  /** Items that are being processed, and when each was handed out. */
  readonly processing: Map<unknown, number>;
}

/** From 10 ns to 10 s, each ten times the one before. */
const buckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];

export function feedWorkqueueMetrics(registry: MetricsRegistry, clock: { monotonicNow(): number }): Undo[] {
  const make = declareQueue(registry);
  const queues = new Map<string, QueueSeries>();
  const controllers = new Set<string>();
  const of = (queue: string): QueueSeries => {
    let series = queues.get(queue);
    if (series === undefined) queues.set(queue, (series = make(queue, controllers.has(queue) ? queue : '')));
    return series;
  };
  return [
    // The queue of a controller has its name; the message comes before the first one of the queue.
    listen(controllerChannels.controllerStart, ({ controller }) => controllers.add(controller)),
    listen(workqueueChannels.workqueueAdd, ({ queue, depth }) => {
      const series = of(queue);
      series.adds.inc();
      series.depth.set(depth);
    }),
    listen(workqueueChannels.workqueueGet, ({ queue, item, depth, waitedMs }) => {
      const series = of(queue);
      series.depth.set(depth);
      series.waited.observe(waitedMs / 1000);
      series.processing.set(item, clock.monotonicNow());
    }),
    listen(workqueueChannels.workqueueDone, ({ queue, item, depth, workedMs }) => {
      const series = of(queue);
      series.depth.set(depth);
      // An item that was handed out before `startMetrics` has no known start.
      if (series.processing.delete(item)) series.worked.observe(workedMs / 1000);
    }),
    listen(workqueueChannels.workqueueRetry, ({ queue }) => of(queue).retries.inc()),
    // Computed when the text is written, because no message tells that time passes; so no timer is needed.
    registry.onCollect(() => {
      const now = clock.monotonicNow();
      for (const { processing, unfinished, longest } of queues.values()) {
        let sum = 0;
        let most = 0;
        for (const since of processing.values()) {
          sum += now - since;
          most = Math.max(most, now - since);
        }
        unfinished.set(sum / 1000);
        longest.set(most / 1000);
      }
    }),
  ];
}

function declareQueue(registry: MetricsRegistry): (queue: string, controller: string) => QueueSeries {
  const labels = ['name', 'controller'];
  const depth = registry.gauge({ name: 'workqueue_depth', help: 'Items that wait to be processed.', labels });
  const adds = registry.counter({ name: 'workqueue_adds_total', help: 'Items that became queued or dirty.', labels });
  const waited = registry.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long items waited in the queue.',
    labels,
    buckets,
  });
  const worked = registry.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long items were processed.',
    labels,
    buckets,
  });
  const unfinished = registry.gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'Sum of how long the items being processed have taken so far. A steady rise means that a worker hangs.',
    labels,
  });
  const longest = registry.gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How long the longest running item has been processed so far.',
    labels,
  });
  const retries = registry.counter({
    name: 'workqueue_retries_total',
    help: 'Items added with a delay.',
    labels,
  });
  return (queue, controller) => ({
    depth: depth.labels(queue, controller),
    adds: adds.labels(queue, controller),
    waited: waited.labels(queue, controller),
    worked: worked.labels(queue, controller),
    unfinished: unfinished.labels(queue, controller),
    longest: longest.labels(queue, controller),
    retries: retries.labels(queue, controller),
    processing: new Map(),
  });
}
