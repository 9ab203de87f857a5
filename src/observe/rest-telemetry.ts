import type { Undo } from '../meta/undo.js';
import { type DiagnosticsChannel, listen, openChannel } from './diagnostics-channel.js';
import type { MetricFamily } from './metrics/metric-family.js';
import type { MetricsRegistry } from './metrics/metrics-registry.js';

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

interface RestCloseMessage {
  /** Host and port. */
  readonly host: string;
}

export interface RestChannels {
  /** The headers of a response arrived, or the request failed. */
  readonly restRequest: DiagnosticsChannel<RestRequestMessage>;
  /** A request will be sent again. */
  readonly restRetry: DiagnosticsChannel<RestRetryMessage>;
  /** A request waited for the client-side rate limit. */
  readonly restThrottle: DiagnosticsChannel<RestThrottleMessage>;
  /** The last client of a server was closed. */
  readonly restClose: DiagnosticsChannel<RestCloseMessage>;
}

export const restChannels: RestChannels = {
  restRequest: openChannel('rest:request'),
  restRetry: openChannel('rest:retry'),
  restThrottle: openChannel('rest:throttle'),
  restClose: openChannel('rest:close'),
};

const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** The label `code` of a request without a response, as in client-go. */
const NO_RESPONSE = '<error>';

/** The label `verb` is the HTTP method, as in client-go. */
export function feedRestMetrics(registry: MetricsRegistry): Undo[] {
  const requests = new ByHost(
    registry.counter({
      name: 'rest_client_requests_total',
      help: 'Requests by status code, HTTP method and host.',
      labels: ['code', 'method', 'host'],
    }),
  );
  const duration = new ByHost(
    registry.histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'Time until the response headers arrived, by HTTP method and host.',
      labels: ['verb', 'host'],
      buckets,
    }),
  );
  const retries = new ByHost(
    registry.counter({
      name: 'rest_client_request_retries_total',
      help: 'Requests that were sent again, by the status code that caused it, HTTP method and host.',
      labels: ['code', 'verb', 'host'],
    }),
  );
  const throttled = new ByHost(
    registry.histogram({
      name: 'rest_client_rate_limiter_duration_seconds',
      help: 'Time that requests waited for the client-side rate limit, by HTTP method and host.',
      labels: ['verb', 'host'],
      buckets,
    }),
  );
  return [
    listen(restChannels.restRequest, ({ status, method, host, durationMs }) => {
      requests.of(host, method, codeOf(status)).inc();
      duration.of(host, method).observe(durationMs / 1000);
    }),
    listen(restChannels.restRetry, ({ status, method, host }) => retries.of(host, method, codeOf(status)).inc()),
    listen(restChannels.restThrottle, ({ method, host, waitedMs }) =>
      throttled.of(host, method).observe(waitedMs / 1000),
    ),
    listen(restChannels.restClose, ({ host }) => {
      for (const series of [requests, duration, retries, throttled]) series.remove(host);
    }),
  ];
}

const codeOf = (status: number | undefined): string => (status === undefined ? NO_RESPONSE : String(status));

/** The members of a family with the labels code, method and host, or without the code. */
class ByHost<M> {
  readonly #family: MetricFamily<M>;
  readonly #known = new Map<string, Map<string, { readonly member: M; readonly labels: readonly string[] }>>();

  constructor(family: MetricFamily<M>) {
    this.#family = family;
  }

  of(host: string, method: string, code?: string): M {
    let ofHost = this.#known.get(host);
    if (ofHost === undefined) this.#known.set(host, (ofHost = new Map()));
    const key = code === undefined ? method : `${code} ${method}`;
    let known = ofHost.get(key);
    if (known === undefined) {
      const labels = code === undefined ? [method, host] : [code, method, host];
      ofHost.set(key, (known = { member: this.#family.labels(...labels), labels }));
    }
    return known.member;
  }

  /** Removes the members of a host, so that clusters that come and go do not collect here. */
  remove(host: string): void {
    for (const { labels } of this.#known.get(host)?.values() ?? []) this.#family.remove(...labels);
    this.#known.delete(host);
  }
}
