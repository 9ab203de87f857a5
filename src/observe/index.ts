/** What every stage tells about itself, metrics made of it, and whether the process is well. */
export {
  type Channels,
  channels,
  type DiagnosticsChannel,
  type ElectionAcquiredMessage,
  type ElectionLostMessage,
  type ElectionRenewMessage,
  type ElectionStartedMessage,
  type EventRecordMessage,
  type HandlerErrorMessage,
  type HandlerLagMessage,
  type HandlerPendingMessage,
  type HandlerSlowMessage,
  type InformerSource,
  listen,
  type QueueDepthMessage,
  type QueueProcessMessage,
  type ReflectorBackoffMessage,
  type ReflectorListMessage,
  type ReflectorRelistMessage,
  type ReflectorStatusMessage,
  type ReflectorWatchMessage,
  type RestRequestMessage,
  type RestRetryMessage,
  type RestThrottleMessage,
  type SchedulerErrorMessage,
  type SchedulerOverrunMessage,
  type StoreVersionMessage,
  type WorkqueueAddMessage,
  type WorkqueueDoneMessage,
  type WorkqueueGetMessage,
  type WorkqueueRetryMessage,
} from './channels.js';
export {
  type CheckResult,
  Health,
  type HealthCheck,
  type HealthReport,
  type Probe,
  type ReportOptions,
  reportText,
} from './health.js';
export { type HttpHandlerOptions, httpHandler } from './http-handler.js';
export { type InformerLike, type InformersCheckOptions, informersCheck } from './informers-check.js';
export { Counter, Gauge, Histogram } from './instruments.js';
export { MetricFamily, type MetricOptions, type MetricType } from './metric-family.js';
export { defaultBuckets, type HistogramOptions, MetricsRegistry, metrics } from './metrics-registry.js';
export { type StartMetricsOptions, startMetrics } from './start-metrics.js';
