import type { Undo } from '../meta/undo.js';
import { type DiagnosticsChannel, listen, openChannel } from './diagnostics-channel.js';
import type { Counter, Gauge, Histogram } from './metrics/instruments.js';
import type { MetricsRegistry } from './metrics/metrics-registry.js';

interface FromController {
  /** The controller's name; its work queue has the same. */
  readonly controller: string;
}

interface ControllerStartMessage extends FromController {
  /** How many objects it works on at the same time. */
  readonly workers: number;
}

/** A write that a run sent and the server answered. */
interface ControllerWrite {
  /** `create`, `update`, `patch`, `apply`, `delete` or `deletecollection`. */
  readonly verb: string;
  /** With group and subresource: `deployments.apps`, `websites.example.com/status`. */
  readonly resource: string;
  readonly key: string;
  /** Whether the server stored something new: the answer has another resourceVersion than the controller knew. */
  readonly changed: boolean;
  /** The resourceVersion of the answer; undefined if it has none, as that of most deletions. */
  readonly resourceVersion: string | undefined;
  /** When the server answered, in ms since 1970, on the clock of the manager's client. */
  readonly answeredAt: number;
}

interface ControllerBeginMessage extends FromController {
  readonly key: string;
  /** Identifies the run among those of its controller. */
  readonly id: string;
  readonly what: 'reconcile' | 'finalize';
  readonly causes: readonly string[];
  /** 1 plus the number of failures since the last success. */
  readonly attempt: number;
  /** In ms since 1970, on the clock of the manager's client. */
  readonly startedAt: number;
}

interface ControllerRunMessage extends ControllerBeginMessage {
  readonly durationMs: number;
  readonly outcome: 'done' | 'requeued' | 'waiting' | 'failed' | 'terminal' | 'aborted';
  /** What the run threw; undefined if it did not. */
  readonly error: unknown;
  /** Whether it threw before it returned a promise. */
  readonly threwSynchronously: boolean;
  /** Whether `timeoutMs` ended it. */
  readonly timedOut: boolean;
  readonly writes: readonly ControllerWrite[];
}

interface ControllerKeyMessage extends FromController {
  readonly key: string;
}

interface ShardMessage {
  /** The name of the manager. */
  readonly manager: string;
  readonly shard: number;
}

interface ShardHeldMessage extends ShardMessage {
  /** Whether this replica holds the shard from now on, or no longer does. */
  readonly isHeld: boolean;
}

interface ShardObjectsMessage extends FromController {
  /** How many objects of the controller this replica has, of the shards that it holds or is about to take over. */
  readonly objects: number;
}

export interface ControllerChannels {
  /** A controller was started in a manager. */
  readonly controllerStart: DiagnosticsChannel<ControllerStartMessage>;
  /** A run began. */
  readonly controllerBegin: DiagnosticsChannel<ControllerBeginMessage>;
  /** A run has ended, and its status is written. */
  readonly controllerRun: DiagnosticsChannel<ControllerRunMessage>;
  /** A key waits because a cache has not seen the controller's own write for long. */
  readonly controllerStale: DiagnosticsChannel<ControllerKeyMessage>;
  /** An apply was not sent, because it would change nothing. */
  readonly controllerSkip: DiagnosticsChannel<ControllerKeyMessage>;
  /** A replica of a manager that shards has got a shard, or does not hold it any more. */
  readonly shardHeld: DiagnosticsChannel<ShardHeldMessage>;
  /** The number of objects in the sharded cache of a controller has changed. */
  readonly shardObjects: DiagnosticsChannel<ShardObjectsMessage>;
}

export const controllerChannels: ControllerChannels = {
  controllerStart: openChannel('controller:start'),
  controllerBegin: openChannel('controller:begin'),
  controllerRun: openChannel('controller:run'),
  controllerStale: openChannel('controller:stale'),
  controllerSkip: openChannel('controller:skip'),
  shardHeld: openChannel('shard:held'),
  shardObjects: openChannel('shard:objects'),
};

/** The metrics of the controllers of one name. */
interface ControllerSeries {
  readonly results: Readonly<Record<'success' | 'error' | 'requeue' | 'requeue_after', Counter>>;
  readonly errors: Counter;
  readonly terminalErrors: Counter;
  readonly panics: Counter;
  readonly timeouts: Counter;
  readonly time: Histogram;
  readonly workers: Gauge;
  readonly active: Gauge;
  readonly staleWaits: Counter;
  readonly skips: Counter;
}

/** The label `result` of each outcome, in the words of controller-runtime. An aborted run is queued again. */
const resultOf = {
  done: 'success',
  requeued: 'requeue_after',
  waiting: 'requeue_after',
  failed: 'error',
  terminal: 'error',
  aborted: 'requeue',
} as const;

/** controller-runtime's, in seconds. */
const buckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** Metrics under controller-runtime's names, so that its dashboards work, and two of kubeflect's own. */
export function feedControllerMetrics(registry: MetricsRegistry): Undo[] {
  const make = declareController(registry);
  const controllers = new Map<string, ControllerSeries>();
  const of = (name: string): ControllerSeries => {
    let series = controllers.get(name);
    if (series === undefined) controllers.set(name, (series = make(name)));
    return series;
  };
  const { controllerStart, controllerBegin, controllerRun, controllerStale, controllerSkip } = controllerChannels;
  return [
    listen(controllerStart, ({ controller, workers }) => of(controller).workers.set(workers)),
    listen(controllerBegin, ({ controller }) => of(controller).active.inc()),
    listen(controllerRun, ({ controller, outcome, durationMs, threwSynchronously, timedOut }) => {
      const series = of(controller);
      // A run that began before `startMetrics` was not counted.
      if (series.active.value > 0) series.active.dec();
      series.results[resultOf[outcome]].inc();
      series.time.observe(durationMs / 1000);
      if (outcome === 'failed' || outcome === 'terminal') series.errors.inc();
      if (outcome === 'terminal') series.terminalErrors.inc();
      if (threwSynchronously) series.panics.inc();
      if (timedOut) series.timeouts.inc();
    }),
    listen(controllerStale, ({ controller }) => of(controller).staleWaits.inc()),
    listen(controllerSkip, ({ controller }) => of(controller).skips.inc()),
    ...feedShardMetrics(registry),
  ];
}

function feedShardMetrics(registry: MetricsRegistry): Undo[] {
  const held = registry.gauge({
    name: 'kubeflect_shard_held',
    help: 'Whether this replica holds the shard.',
    labels: ['shard'],
  });
  const objects = registry.gauge({
    name: 'kubeflect_shard_objects',
    help: 'Objects of the controller that this replica has in its cache.',
    labels: ['controller'],
  });
  const moves = registry.counter({
    name: 'kubeflect_shard_moves_total',
    help: 'Shards that this replica has got or given away.',
    labels: ['manager'],
  });
  const { shardHeld, shardObjects } = controllerChannels;
  return [
    listen(shardHeld, ({ manager, shard, isHeld }) => {
      held.labels(`${shard}`).set(isHeld ? 1 : 0);
      moves.labels(manager).inc();
    }),
    listen(shardObjects, ({ controller, objects: count }) => objects.labels(controller).set(count)),
  ];
}

function declareController(registry: MetricsRegistry): (controller: string) => ControllerSeries {
  const labels = ['controller'];
  const counter = (name: string, help: string) => registry.counter({ name, help, labels });
  const gauge = (name: string, help: string) => registry.gauge({ name, help, labels });
  const total = registry.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Runs that have ended, by result.',
    labels: ['controller', 'result'],
  });
  const errors = counter('controller_runtime_reconcile_errors_total', 'Runs that failed.');
  const terminal = counter(
    'controller_runtime_terminal_reconcile_errors_total',
    'Runs that failed with a TerminalError and are not retried.',
  );
  const panics = counter(
    'controller_runtime_reconcile_panics_total',
    'Runs that threw before they returned a promise.',
  );
  const timeouts = counter('controller_runtime_reconcile_timeouts_total', 'Runs that took longer than timeoutMs.');
  const time = registry.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long runs took.',
    labels,
    buckets,
  });
  const workers = gauge('controller_runtime_max_concurrent_reconciles', 'How many runs are possible at the same time.');
  const active = gauge('controller_runtime_active_workers', 'Runs under way.');
  const stale = counter(
    'kubeflect_stale_waits_total',
    "Keys that waited for long because a cache had not seen the controller's own write.",
  );
  const skipped = counter('kubeflect_apply_skipped_total', 'Applies that were not sent: they would change nothing.');
  return (name) => ({
    results: {
      success: total.labels(name, 'success'),
      error: total.labels(name, 'error'),
      requeue: total.labels(name, 'requeue'),
      requeue_after: total.labels(name, 'requeue_after'),
    },
    errors: errors.labels(name),
    terminalErrors: terminal.labels(name),
    panics: panics.labels(name),
    timeouts: timeouts.labels(name),
    time: time.labels(name),
    workers: workers.labels(name),
    active: active.labels(name),
    staleWaits: stale.labels(name),
    skips: skipped.labels(name),
  });
}
