import type { Undo } from '../meta/undo.js';
import { type DiagnosticsChannel, listen, openChannel } from './diagnostics-channel.js';
import type { MetricFamily } from './metric-family.js';
import type { MetricsRegistry } from './metrics-registry.js';

interface FromRest {
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** Host and port. */
  readonly host: string;
  /** Without the query. */
  readonly path: string;
}

interface RestRequestMessage extends FromRest {
  /** Kubernetes' verb: get, list, watch, create, update, patch, delete, deletecollection; '' outside of the API. */
  readonly verb: string;
  /** The status code; undefined if the request failed without a response. */
  readonly status: number | undefined;
  /** Until the response headers arrived, or the request failed. */
  readonly durationMs: number;
  readonly error?: unknown;
}

interface RestRetryMessage extends FromRest {
  /** The number of the next attempt; the first retry is 2. */
  readonly attempt: number;
  readonly delayMs: number;
  /** Why it is retried: the status code, or `error` if there was no response. */
  readonly status: number | undefined;
  readonly error?: unknown;
}

interface RestThrottleMessage extends FromRest {
  readonly waitedMs: number;
}

export interface RestChannels {
  /** The headers of a response arrived, or the request failed. */
  readonly restRequest: DiagnosticsChannel<RestRequestMessage>;
  /** A request will be sent again. */
  readonly restRetry: DiagnosticsChannel<RestRetryMessage>;
  /** A request waited for the client-side rate limit. */
  readonly restThrottle: DiagnosticsChannel<RestThrottleMessage>;
}

export const restChannels: RestChannels = {
  restRequest: openChannel('rest:request'),
  restRetry: openChannel('rest:retry'),
  restThrottle: openChannel('rest:throttle'),
};

const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** The label `code` of a request without a response, as in client-go. */
const NO_RESPONSE = '<error>';

/** The label `verb` is the HTTP method, as in client-go. */
export function feedRestMetrics(registry: MetricsRegistry): Undo[] {
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
      help: 'Time until the response headers arrived, by HTTP method and host.',
      labels: ['verb', 'host'],
      buckets,
    }),
  );
  const retries = byCode(
    registry.counter({
      name: 'rest_client_request_retries_total',
      help: 'Requests that were sent again, by the status code that caused it, HTTP method and host.',
      labels: ['code', 'verb', 'host'],
    }),
  );
  const throttled = byHost(
    registry.histogram({
      name: 'rest_client_rate_limiter_duration_seconds',
      help: 'Time that requests waited for the client-side rate limit, by HTTP method and host.',
      labels: ['verb', 'host'],
      buckets,
    }),
  );
  return [
    listen(restChannels.restRequest, ({ status, method, host, durationMs }) => {
      requests(status, method, host).inc();
      duration(method, host).observe(durationMs / 1000);
    }),
    listen(restChannels.restRetry, ({ status, method, host }) => retries(status, method, host).inc()),
    listen(restChannels.restThrottle, ({ method, host, waitedMs }) => throttled(method, host).observe(waitedMs / 1000)),
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
    return entry(ofMethod, status, () => family.labels(String(status ?? NO_RESPONSE), method, host));
  };
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
