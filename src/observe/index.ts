/** What every stage tells about itself, metrics made of it, and whether the process is well. */
export {
  type ChannelMessage,
  type Channels,
  channels,
  type DiagnosticsChannel,
  type InformerSource,
  listen,
} from './channels.js';
export {
  Health,
  type HealthCheck,
  type HealthReport,
} from './health.js';
export { type HttpHandlerOptions, httpHandler } from './http-handler.js';
export { type InformersCheckOptions, informersCheck } from './informers-check.js';
export { Counter, Gauge, Histogram } from './instruments.js';
export { MetricFamily, type MetricOptions } from './metric-family.js';
export { MetricsRegistry, metrics } from './metrics-registry.js';
export { type StartMetricsOptions, startMetrics } from './start-metrics.js';
