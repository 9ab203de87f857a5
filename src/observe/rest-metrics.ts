import { channels, listen } from './channels.js';
import type { MetricFamily } from './metric-family.js';
import type { MetricsRegistry } from './metrics-registry.js';

const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** What stands for a status when no answer came. */
const NO_ANSWER = '<error>';

/** Counts what requests tell. The label `verb` is the HTTP method, as it is in client-go. Returns the undos. */
export function feedRestMetrics(registry: MetricsRegistry): (() => void)[] {
  const requests = byCode(
    registry.counter({
      name: 'rest_client_requests_total',
      help: 'Requests by status code, HTTP method and host.',
      labels: ['code', 'method', 'host'],
    }),
  );
  const duration = byHost(
    registry.histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'How long it took until an answer began, by HTTP method and host.',
      labels: ['verb', 'host'],
      buckets,
    }),
  );
  const retries = byCode(
    registry.counter({
      name: 'rest_client_request_retries_total',
      help: 'Requests that were sent again, by the status code that was the reason, HTTP method and host.',
      labels: ['code', 'verb', 'host'],
    }),
  );
  const throttled = byHost(
    registry.histogram({
      name: 'rest_client_rate_limiter_duration_seconds',
      help: 'How long requests waited for the rate limit of the client itself, by HTTP method and host.',
      labels: ['verb', 'host'],
      buckets,
    }),
  );
  return [
    listen(channels.restRequest, ({ status, method, host, durationMs }) => {
      requests(status, method, host).inc();
      duration(method, host).observe(durationMs / 1000);
    }),
    listen(channels.restRetry, ({ status, method, host }) => retries(status, method, host).inc()),
    listen(channels.restThrottle, ({ method, host, waitedMs }) => throttled(method, host).observe(waitedMs / 1000)),
  ];
}

function byHost<M>(family: MetricFamily<M>): (method: string, host: string) => M {
  const known = new Map<string, Map<string, M>>();
  return (method, host) => {
    const ofHost = entry(known, host, () => new Map<string, M>());
    return entry(ofHost, method, () => family.labels(method, host));
  };
}

function byCode<M>(family: MetricFamily<M>): (status: number | undefined, method: string, host: string) => M {
  const known = new Map<string, Map<string, Map<number | undefined, M>>>();
  return (status, method, host) => {
    const ofHost = entry(known, host, () => new Map<string, Map<number | undefined, M>>());
    const ofMethod = entry(ofHost, method, () => new Map<number | undefined, M>());
    return entry(ofMethod, status, () => family.labels(String(status ?? NO_ANSWER), method, host));
  };
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
