import { checkOptions } from '../meta/options/known-options.js';
import { optionError } from '../meta/options/validate.js';
import { type Undo, undoOnce } from '../meta/undo.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import { feedControllerMetrics } from './controller-telemetry.js';
import { feedElectionMetrics } from './election-telemetry.js';
import { feedInformerMetrics } from './informer-telemetry.js';
import { MetricsRegistry, metrics } from './metrics/metrics-registry.js';
import { feedRestMetrics } from './rest-telemetry.js';
import { feedWebhookMetrics } from './webhook-telemetry.js';
import { feedWorkqueueMetrics } from './workqueue-telemetry.js';

/** Options of {@link startMetrics}. */
interface StartMetricsOptions {
  /** The registry that the metrics are added to. @default `metrics`, the registry of the process */
  readonly registry?: MetricsRegistry | undefined;
  /** Measures how long items have been processed: the clock of your queues. @default realClock */
  readonly clock?: Clock | undefined;
}

const fed = new WeakSet<MetricsRegistry>();

/**
 * Updates the metrics of a registry from the channels of informers, work queues, requests, electors, controllers and webhooks, under the
 * names of client-go and controller-runtime. The undo stops that and leaves the values in the registry.
 *
 * @throws Error if the registry is updated already: its counters would count twice
 */
export function startMetrics(options: StartMetricsOptions = {}): Undo {
  const { registry = metrics, clock = realClock } = checkOptions('startMetrics', options, {
    registry: true,
    clock: true,
  });
  if (!(registry instanceof MetricsRegistry)) throw optionError('registry', 'a MetricsRegistry', registry);
  if (fed.has(registry))
    throw new Error('startMetrics was already called for this registry: call the undo that it returned first');
  fed.add(registry);
  const undos = [
    ...feedInformerMetrics(registry),
    ...feedWorkqueueMetrics(registry, clock),
    ...feedRestMetrics(registry),
    ...feedElectionMetrics(registry),
    ...feedControllerMetrics(registry),
    ...feedWebhookMetrics(registry),
  ];
  return undoOnce(() => {
    for (const undo of undos) undo();
    fed.delete(registry);
  });
}

/** Like {@link startMetrics} on the registry of the process. Does nothing if the program has called that already. */
export function ensureMetrics(clock: Clock): Undo {
  return fed.has(metrics) ? undoOnce(() => {}) : startMetrics({ clock });
}
