/** `kubeflect/observe`: the diagnostics channels, metrics made of them, and health checks. */
export {
  type ChannelMessage,
  type Channels,
  channels,
  type DiagnosticsChannel,
  type InformerSource,
  listen,
} from './channels.js';
export { Health, type HealthCheck, type HealthReport } from './health.js';
export { httpHandler } from './http-handler.js';
export { informersCheck } from './informers-check.js';
export { Counter, Gauge, Histogram } from './metrics/instruments.js';
export { MetricFamily, type MetricOptions } from './metrics/metric-family.js';
export { MetricsRegistry, metrics } from './metrics/metrics-registry.js';
export { startMetrics } from './start-metrics.js';
export { traceRuns } from './trace-runs.js';
