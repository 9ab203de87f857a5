import type { Undo } from '../meta/undo.js';
import { type DiagnosticsChannel, listen, openChannel } from './diagnostics-channel.js';
import type { Counter, Gauge, Histogram } from './metrics/instruments.js';
import type { MetricsRegistry } from './metrics/metrics-registry.js';

interface FromWebhook {
  /** The webhook's name; `convert.` and the resource for conversions. */
  readonly webhook: string;
}

interface WebhookAnswerMessage extends FromWebhook {
  /** The HTTP status: 200 for every verdict, 400 for what is no review, 500 if the webhook threw or took too long. */
  readonly code: number;
  readonly durationMs: number;
}

interface CertificateReadMessage {
  /** Why the certificate could not be used; missing if it is used. */
  readonly error?: unknown;
}

export interface WebhookChannels {
  /** A webhook was called. */
  readonly webhookCall: DiagnosticsChannel<FromWebhook>;
  /** A webhook has answered. */
  readonly webhookAnswer: DiagnosticsChannel<WebhookAnswerMessage>;
  /** The certificate of the webhook server was read, from its Secret or its files. */
  readonly certificateRead: DiagnosticsChannel<CertificateReadMessage>;
}

export const webhookChannels: WebhookChannels = {
  webhookCall: openChannel('webhook:call'),
  webhookAnswer: openChannel('webhook:answer'),
  certificateRead: openChannel('certificate:read'),
};

/** The metrics of the webhooks of one name. */
interface WebhookSeries {
  readonly inFlight: Gauge;
  readonly latency: Histogram;
  code(code: number): Counter;
}

/** Metrics under controller-runtime's names, so that its dashboards work. The label `webhook` is the name and not the path. */
export function feedWebhookMetrics(registry: MetricsRegistry): Undo[] {
  const of = declareWebhooks(registry);
  const reads = registry.counter({
    name: 'certwatcher_read_certificate_total',
    help: 'How often the certificate of the webhook server was read.',
  });
  const failures = registry.counter({
    name: 'certwatcher_read_certificate_errors_total',
    help: 'How often the certificate of the webhook server was read and could not be used.',
  });
  const { webhookCall, webhookAnswer, certificateRead } = webhookChannels;
  return [
    listen(webhookCall, ({ webhook }) => of(webhook).inFlight.inc()),
    listen(webhookAnswer, ({ webhook, code, durationMs }) => {
      const series = of(webhook);
      // A call that came before `startMetrics` was not counted.
      if (series.inFlight.value > 0) series.inFlight.dec();
      series.latency.observe(durationMs / 1000);
      series.code(code).inc();
    }),
    listen(certificateRead, ({ error }) => {
      reads.labels().inc();
      if (error !== undefined) failures.labels().inc();
    }),
  ];
}

function declareWebhooks(registry: MetricsRegistry): (webhook: string) => WebhookSeries {
  const labels = ['webhook'];
  const total = registry.counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Calls of webhooks, by HTTP status.',
    labels: ['webhook', 'code'],
  });
  const latency = registry.histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'How long webhooks took to answer.',
    labels,
  });
  const inFlight = registry.gauge({
    name: 'controller_runtime_webhook_requests_in_flight',
    help: 'Calls of webhooks that are being answered.',
    labels,
  });
  const known = new Map<string, WebhookSeries>();
  return (webhook) => {
    let series = known.get(webhook);
    if (series === undefined) {
      series = {
        inFlight: inFlight.labels(webhook),
        latency: latency.labels(webhook),
        code: (code) => total.labels(webhook, String(code)),
      };
      known.set(webhook, series);
    }
    return series;
  };
}
