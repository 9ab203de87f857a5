import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parsePrometheusSamples, parsePrometheusText } from '../../test/support/prometheus-text.js';
import { FakeClock } from '../time/fake-clock.js';
import { RateLimitingQueue } from '../workqueue/rate-limiting-queue.js';
import { WorkQueue } from '../workqueue/work-queue.js';
import { channels } from './channels.js';
import { MetricsRegistry, metrics } from './metrics/metrics-registry.js';
import { startMetrics } from './start-metrics.js';

const source = { name: 'pods', host: 'kube:6443', group: '', version: 'v1', resource: 'pods' };

/** The metrics of client-go and controller-runtime, and two of our own: type and labels. `host` of informers is our own. */
const clientGo: Readonly<Record<string, readonly [type: string, labels: string]>> = {
  certwatcher_read_certificate_errors_total: ['COUNTER', ''],
  certwatcher_read_certificate_total: ['COUNTER', ''],
  controller_runtime_active_workers: ['GAUGE', 'controller'],
  controller_runtime_max_concurrent_reconciles: ['GAUGE', 'controller'],
  controller_runtime_reconcile_errors_total: ['COUNTER', 'controller'],
  controller_runtime_reconcile_panics_total: ['COUNTER', 'controller'],
  controller_runtime_reconcile_time_seconds: ['HISTOGRAM', 'controller'],
  controller_runtime_reconcile_timeouts_total: ['COUNTER', 'controller'],
  controller_runtime_reconcile_total: ['COUNTER', 'controller result'],
  controller_runtime_terminal_reconcile_errors_total: ['COUNTER', 'controller'],
  controller_runtime_webhook_latency_seconds: ['HISTOGRAM', 'webhook'],
  controller_runtime_webhook_requests_in_flight: ['GAUGE', 'webhook'],
  controller_runtime_webhook_requests_total: ['COUNTER', 'code webhook'],
  kubeflect_apply_skipped_total: ['COUNTER', 'controller'],
  kubeflect_shard_held: ['GAUGE', 'shard'],
  kubeflect_shard_objects: ['GAUGE', 'controller'],
  kubeflect_shard_moves_total: ['COUNTER', 'manager'],
  kubeflect_stale_waits_total: ['COUNTER', 'controller'],
  informer_queued_items: ['GAUGE', 'group host name resource version'],
  informer_processing_latency_seconds: ['HISTOGRAM', 'group host name resource version'],
  informer_store_resource_version: ['GAUGE', 'group host name resource version'],
  leader_election_master_status: ['GAUGE', 'name'],
  leader_election_slowpath_total: ['COUNTER', 'name'],
  reflector_items_per_list: ['HISTOGRAM', 'host name'],
  reflector_items_per_watch: ['HISTOGRAM', 'host name'],
  reflector_last_resource_version: ['GAUGE', 'host name'],
  reflector_list_duration_seconds: ['HISTOGRAM', 'host name'],
  reflector_lists_total: ['COUNTER', 'host name'],
  reflector_short_watches_total: ['COUNTER', 'host name'],
  reflector_watch_duration_seconds: ['HISTOGRAM', 'host name'],
  reflector_watches_total: ['COUNTER', 'host name'],
  rest_client_rate_limiter_duration_seconds: ['HISTOGRAM', 'host verb'],
  rest_client_request_duration_seconds: ['HISTOGRAM', 'host verb'],
  rest_client_request_retries_total: ['COUNTER', 'code host verb'],
  rest_client_requests_total: ['COUNTER', 'code host method'],
  workqueue_adds_total: ['COUNTER', 'controller name'],
  workqueue_depth: ['GAUGE', 'controller name'],
  workqueue_longest_running_processor_seconds: ['GAUGE', 'controller name'],
  workqueue_queue_duration_seconds: ['HISTOGRAM', 'controller name'],
  workqueue_retries_total: ['COUNTER', 'controller name'],
  workqueue_unfinished_work_seconds: ['GAUGE', 'controller name'],
  workqueue_work_duration_seconds: ['HISTOGRAM', 'controller name'],
};

let clock: FakeClock;
let registry: MetricsRegistry;
let stop: () => void;

beforeEach(() => {
  clock = new FakeClock();
  registry = new MetricsRegistry();
  stop = startMetrics({ registry, clock });
});
afterEach(() => stop());

/** The value of the first line that starts with this text. */
function value(line: string, of: MetricsRegistry = registry): number | undefined {
  const found = of
    .text()
    .split('\n')
    .find((candidate) => candidate.startsWith(`${line} `) || candidate.startsWith(`${line}{`));
  return found === undefined ? undefined : Number(found.slice(found.lastIndexOf(' ') + 1));
}

function publishOnce(): void {
  channels.shardHeld.publish({ manager: 'widgets', shard: 3, isHeld: true });
  channels.shardObjects.publish({ controller: 'widgets', objects: 7 });
  const rest = { method: 'GET', host: 'kube:6443', path: '/api/v1/pods' };
  const election = { lease: 'system/boss', identity: 'me' };
  const item = { queue: 'q', item: 'a' };
  channels.queueDepth.publish({ source, length: 3 });
  channels.queueProcess.publish({ source, items: 2, durationMs: 4 });
  channels.storeVersion.publish({ source, resourceVersion: '7' });
  channels.reflectorList.publish({ source, how: 'list', items: 40, resourceVersion: '5', durationMs: 30 });
  channels.reflectorWatch.publish({ source, resourceVersion: '5', events: 0, durationMs: 10 });
  channels.workqueueAdd.publish({ ...item, depth: 1 });
  channels.workqueueGet.publish({ ...item, depth: 0, waitedMs: 1 });
  channels.workqueueDone.publish({ ...item, depth: 0, workedMs: 1 });
  channels.workqueueRetry.publish({ ...item, delayMs: 1 });
  channels.restRequest.publish({ ...rest, verb: 'list', status: 200, durationMs: 10 });
  channels.restRetry.publish({ ...rest, attempt: 2, delayMs: 1, status: 429 });
  channels.restThrottle.publish({ ...rest, waitedMs: 1 });
  channels.controllerStart.publish({ controller: 'widgets', workers: 4 });
  channels.webhookCall.publish({ webhook: 'w' });
  channels.webhookAnswer.publish({ webhook: 'w', code: 200, durationMs: 1 });
  channels.electionStarted.publish(election);
  channels.electionRenew.publish({ ...election, durationMs: 1, slowPath: true });
}

describe('startMetrics', () => {
  it('has the names, types and labels of client-go, in text that Prometheus reads', () => {
    publishOnce();
    const samples = new Map(parsePrometheusSamples(registry.text()).map((family) => [family.name, family]));
    const found = parsePrometheusText(registry.text()).map(({ name, type }) => {
      const [sample] = samples.get(type === 'HISTOGRAM' ? `${name}_count` : name)?.metrics ?? [];
      return [
        name,
        [
          type,
          Object.keys(sample?.labels ?? {})
            .sort()
            .join(' '),
        ],
      ];
    });
    // client-go does not have this one: it fails the list instead.
    expect(Object.fromEntries(found)).toEqual({
      ...clientGo,
      reflector_skipped_objects_total: ['COUNTER', 'host name'],
    });
    const waited = samples.get('workqueue_queue_duration_seconds_bucket')?.metrics ?? [];
    expect(waited.map(({ labels, value: count }) => `${labels?.['le']}: ${count}`)).toEqual([
      '1e-08: 0',
      '1e-07: 0',
      '1e-06: 0',
      '1e-05: 0',
      '0.0001: 0',
      '0.001: 1',
      '0.01: 1',
      '0.1: 1',
      '1: 1',
      '10: 1',
      '+Inf: 1',
    ]);
  });

  it('has listeners only between startMetrics and its undo', () => {
    const listenedTo = (): boolean[] => Object.values(channels).map(({ hasSubscribers }) => hasSubscribers);
    expect(listenedTo()).toContain(true);
    expect(() => startMetrics({ registry })).toThrow(/already called for this registry/);
    stop();
    stop();
    expect(listenedTo()).not.toContain(true);
    publishOnce();
    expect(value('workqueue_adds_total')).toBeUndefined();
    stop = startMetrics({ registry, clock });
    publishOnce();
    expect(value('workqueue_adds_total')).toBe(1);
  });

  it('[S142] updates the registry of the process by default', () => {
    const stopDefault = startMetrics();
    channels.storeVersion.publish({ source, resourceVersion: '12' });
    stopDefault();
    expect(value('informer_store_resource_version', metrics)).toBe(12);
    expect(() => startMetrics({ registry: {} as MetricsRegistry })).toThrow(/registry must be a MetricsRegistry/);
  });

  it('follows informers: queued deltas, duration of a batch, resourceVersion of the store', () => {
    publishOnce();
    const labels = '{name="pods",host="kube:6443",group="",version="v1",resource="pods"}';
    expect(value(`informer_queued_items${labels}`)).toBe(3);
    expect(value(`informer_processing_latency_seconds_sum${labels}`)).toBe(0.004);
    expect(value(`informer_store_resource_version${labels}`)).toBe(7);
    channels.storeVersion.publish({ source, resourceVersion: '123456789012345678901234567890' });
    expect(value(`informer_store_resource_version${labels}`)).toBe(678901234567890);
    channels.storeVersion.publish({ source, resourceVersion: 'opaque' });
    expect(value(`informer_store_resource_version${labels}`)).toBe(678901234567890);
  });

  it('tells informers of one name in several clusters apart', () => {
    const other = { ...source, host: 'other:6443' };
    channels.queueDepth.publish({ source, length: 3 });
    channels.queueDepth.publish({ source: other, length: 5 });
    const labels = (host: string): string => `{name="pods",host="${host}",group="",version="v1",resource="pods"}`;
    expect(value(`informer_queued_items${labels('kube:6443')}`)).toBe(3);
    expect(value(`informer_queued_items${labels('other:6443')}`)).toBe(5);
    channels.reflectorStatus.publish({ source: other, state: 'stopped', previous: 'watching' });
    expect(value(`informer_queued_items${labels('kube:6443')}`)).toBe(3);
    expect(registry.text()).not.toContain('other:6443');
  });

  it('removes the metrics of a stopped informer, unless another one has its name', () => {
    const other = { ...source };
    const stop = (which: typeof source) =>
      channels.reflectorStatus.publish({ source: which, state: 'stopped', previous: 'watching' });
    for (const each of [source, other]) {
      channels.queueDepth.publish({ source: each, length: 3 });
      channels.reflectorWatch.publish({ source: each, resourceVersion: '5', events: 0, durationMs: 999 });
    }
    stop(source);
    stop(source);
    expect(registry.text()).toContain('informer_queued_items{');
    expect(registry.text()).toContain('reflector_watches_total{');
    stop(other);
    channels.queueDepth.publish({ source, length: 0 });
    expect(registry.text()).not.toContain(`"${source.name}"`);
  });

  it('follows reflectors: lists, watches and short watches', () => {
    channels.reflectorList.publish({ source, how: 'list', items: 0, resourceVersion: '', durationMs: 5, error: 'no' });
    channels.reflectorList.publish({ source, how: 'watchList', items: 40, resourceVersion: '5', durationMs: 30 });
    channels.reflectorWatch.publish({ source, resourceVersion: '5', events: 0, durationMs: 999 });
    channels.reflectorWatch.publish({ source, resourceVersion: '5', events: 1, durationMs: 999 });
    channels.reflectorWatch.publish({ source, resourceVersion: '6', events: 0, durationMs: 1000 });
    expect(value('reflector_lists_total')).toBe(2);
    expect(value('reflector_list_duration_seconds_count')).toBe(2);
    expect(value('reflector_items_per_list_count')).toBe(1);
    expect(value('reflector_last_resource_version')).toBe(5);
    expect(value('reflector_watches_total')).toBe(3);
    expect(value('reflector_short_watches_total')).toBe(1);
    expect(value('reflector_items_per_watch_sum')).toBe(1);
  });

  it('follows requests by code, method and host', () => {
    const rest = { method: 'POST', host: 'kube:6443', path: '/api/v1/namespaces', verb: 'create', durationMs: 20 };
    channels.restRequest.publish({ ...rest, status: 201 });
    channels.restRequest.publish({ ...rest, status: 201 });
    channels.restRequest.publish({ ...rest, status: undefined, error: new Error('reset') });
    channels.restRetry.publish({ ...rest, attempt: 2, delayMs: 0, status: undefined });
    expect(value('rest_client_requests_total{code="201",method="POST",host="kube:6443"}')).toBe(2);
    expect(value('rest_client_requests_total{code="<error>",method="POST",host="kube:6443"}')).toBe(1);
    expect(value('rest_client_request_duration_seconds_count{verb="POST",host="kube:6443"}')).toBe(3);
    expect(value('rest_client_request_retries_total{code="<error>",verb="POST",host="kube:6443"}')).toBe(1);
  });

  it('removes the metrics of requests to a host whose last client was closed', () => {
    const rest = { method: 'GET', path: '/api/v1/pods', verb: 'list', status: 200, durationMs: 10 };
    for (const host of ['kube:6443', 'other:6443']) {
      channels.restRequest.publish({ ...rest, host });
      channels.restRetry.publish({ ...rest, host, attempt: 2, delayMs: 1 });
      channels.restThrottle.publish({ ...rest, host, waitedMs: 1 });
    }
    channels.restClose.publish({ host: 'other:6443' });
    expect(registry.text()).toContain('"kube:6443"');
    expect(registry.text()).not.toContain('other:6443');
  });

  it('follows electors by the name of the Lease', () => {
    const election = { lease: 'system/boss', identity: 'me' };
    channels.electionStarted.publish(election);
    expect(value('leader_election_master_status{name="boss"}')).toBe(0);
    channels.electionAcquired.publish({ ...election, transitions: 1 });
    expect(value('leader_election_master_status{name="boss"}')).toBe(1);
    channels.electionRenew.publish({ ...election, durationMs: 1, slowPath: false });
    expect(value('leader_election_slowpath_total{name="boss"}')).toBeUndefined();
    channels.electionLost.publish(election);
    expect(value('leader_election_master_status{name="boss"}')).toBe(0);
  });
});

describe('metrics of work queues', () => {
  it('[S255] have the depth, the waiting times and the unfinished work', async () => {
    const queue = new WorkQueue({ name: 'test', clock });
    queue.add('foo');
    expect([value('workqueue_adds_total'), value('workqueue_depth')]).toEqual([1, 1]);
    await clock.advance(0.05);
    queue.tryGet();
    expect(value('workqueue_depth')).toBe(0);
    expect(value('workqueue_queue_duration_seconds_sum')).toBeCloseTo(50e-6);
    for (let i = 0; i < 5; i++) queue.add('foo');
    expect([value('workqueue_adds_total'), value('workqueue_depth')]).toEqual([2, 1]);
    await clock.advance(0.025);
    queue.done('foo');
    expect(value('workqueue_work_duration_seconds_sum')).toBeCloseTo(25e-6);
    queue.tryGet();
    expect(value('workqueue_queue_duration_seconds_sum')).toBeCloseTo(75e-6);
    await clock.advance(1);
    expect(value('workqueue_unfinished_work_seconds')).toBeCloseTo(0.001);
    expect(value('workqueue_longest_running_processor_seconds')).toBeCloseTo(0.001);
    queue.done('foo');
    expect(value('workqueue_unfinished_work_seconds')).toBe(0);
    expect(value('workqueue_work_duration_seconds_sum')).toBeCloseTo(0.001025);
    expect(value('workqueue_work_duration_seconds_count')).toBe(2);
    expect(value('workqueue_work_duration_seconds_bucket{name="test",controller="",le="0.0001"}')).toBe(1);
    expect(value('workqueue_retries_total')).toBe(0);
  });

  it('[S254] are computed by text(): no timer runs, and no value changes after shutdown', async () => {
    const queue = new RateLimitingQueue({ name: 'test', clock });
    queue.add('foo');
    queue.tryGet();
    expect(clock.pendingTimers).toEqual([]);
    await clock.advance(1000);
    expect(value('workqueue_unfinished_work_seconds')).toBe(1);
    const drained = queue.shutDown({ drain: true });
    queue.done('foo');
    await drained;
    const before = registry.text();
    await clock.advance(3_600_000);
    expect(registry.text()).toBe(before);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('compare items by value, not by identity', async () => {
    const queue = new RateLimitingQueue<{ namespace: string; name: string }>({ name: 'test', clock });
    queue.add({ namespace: 'a', name: 'b' });
    queue.tryGet();
    queue.addAfter({ namespace: 'a', name: 'c' }, 0);
    await clock.advance(500);
    expect(value('workqueue_longest_running_processor_seconds')).toBe(0.5);
    queue.done({ namespace: 'a', name: 'b' });
    expect(value('workqueue_longest_running_processor_seconds')).toBe(0);
    expect(value('workqueue_work_duration_seconds_sum')).toBe(0.5);
    expect(value('workqueue_retries_total')).toBe(1);
  });

  it('ignore items that were handed out before startMetrics', async () => {
    stop();
    const queue = new WorkQueue({ name: 'test', clock });
    queue.add('foo');
    queue.tryGet();
    stop = startMetrics({ registry, clock });
    await clock.advance(1000);
    queue.done('foo');
    expect(value('workqueue_work_duration_seconds_count')).toBe(0);
  });
});

describe('metrics of controllers', () => {
  const start = {
    controller: 'widgets',
    key: 'default/a',
    id: '1',
    what: 'reconcile',
    causes: [],
    attempt: 1,
    startedAt: 0,
  };
  const end = { ...start, durationMs: 20, error: undefined, threwSynchronously: false, timedOut: false, writes: [] };

  it('count runs by result, in the words of controller-runtime', () => {
    const outcomes = ['done', 'requeued', 'waiting', 'failed', 'terminal', 'aborted'] as const;
    channels.controllerStart.publish({ controller: 'widgets', workers: 4 });
    for (const outcome of outcomes) {
      channels.controllerBegin.publish(start as never);
      channels.controllerRun.publish({ ...end, outcome } as never);
    }
    channels.controllerBegin.publish(start as never);
    const of = 'controller="widgets"';
    expect(value(`controller_runtime_reconcile_total{${of},result="success"}`)).toBe(1);
    expect(value(`controller_runtime_reconcile_total{${of},result="requeue_after"}`)).toBe(2);
    expect(value(`controller_runtime_reconcile_total{${of},result="error"}`)).toBe(2);
    expect(value(`controller_runtime_reconcile_total{${of},result="requeue"}`)).toBe(1);
    expect(value('controller_runtime_reconcile_errors_total')).toBe(2);
    expect(value('controller_runtime_terminal_reconcile_errors_total')).toBe(1);
    expect(value('controller_runtime_active_workers')).toBe(1);
    expect(value('controller_runtime_max_concurrent_reconciles')).toBe(4);
    expect(value('controller_runtime_reconcile_time_seconds_count')).toBe(6);
  });

  it('count calls of webhooks, and certificates', () => {
    const webhook = 'validate.v1.widgets.example.com';
    channels.webhookCall.publish({ webhook });
    channels.webhookCall.publish({ webhook });
    channels.webhookAnswer.publish({ webhook, code: 500, durationMs: 20 });
    channels.certificateRead.publish({});
    channels.certificateRead.publish({ error: new Error('no key') });
    expect(value(`controller_runtime_webhook_requests_total{webhook="${webhook}",code="500"}`)).toBe(1);
    expect(value('controller_runtime_webhook_requests_in_flight')).toBe(1);
    expect(value('controller_runtime_webhook_latency_seconds_count')).toBe(1);
    expect(value('certwatcher_read_certificate_total')).toBe(2);
    expect(value('certwatcher_read_certificate_errors_total')).toBe(1);
  });

  it('show the shards of a replica, and how many objects it has', () => {
    channels.shardHeld.publish({ manager: 'widgets', shard: 3, isHeld: true });
    channels.shardObjects.publish({ controller: 'widgets', objects: 7 });
    expect(value('kubeflect_shard_held')).toBe(1);
    expect(value('kubeflect_shard_objects')).toBe(7);
    channels.shardHeld.publish({ manager: 'widgets', shard: 3, isHeld: false });
    expect(value('kubeflect_shard_held')).toBe(0);
    expect(value('kubeflect_shard_moves_total')).toBe(2);
  });

  it('count synchronous throws, timeouts, stale waits and skipped applies', () => {
    channels.controllerRun.publish({ ...end, outcome: 'failed', threwSynchronously: true, timedOut: true } as never);
    channels.controllerStale.publish({ controller: 'widgets', key: 'default/a' });
    channels.controllerSkip.publish({ controller: 'widgets', key: 'default/a' });
    expect(value('controller_runtime_reconcile_panics_total')).toBe(1);
    expect(value('controller_runtime_reconcile_timeouts_total')).toBe(1);
    expect(value('kubeflect_stale_waits_total')).toBe(1);
    expect(value('kubeflect_apply_skipped_total')).toBe(1);
    expect(value('controller_runtime_active_workers')).toBe(0);
  });

  it('name the controller of a queue', () => {
    channels.controllerStart.publish({ controller: 'widgets', workers: 4 });
    channels.workqueueAdd.publish({ queue: 'widgets', item: 'a', depth: 1 });
    channels.workqueueAdd.publish({ queue: 'other', item: 'a', depth: 1 });
    expect(value('workqueue_depth{name="widgets",controller="widgets"}')).toBe(1);
    expect(value('workqueue_depth{name="other",controller=""}')).toBe(1);
  });
});
