import { checkOptions } from '../meta/known-options.js';
import { optionError } from '../meta/validate.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import { feedElectionMetrics } from './election-metrics.js';
import { feedInformerMetrics } from './informer-metrics.js';
import { MetricsRegistry, metrics } from './metrics-registry.js';
import { feedRestMetrics } from './rest-metrics.js';
import { feedWorkqueueMetrics } from './workqueue-metrics.js';

/** Options of {@link startMetrics}. */
export interface StartMetricsOptions {
  /** What is fed. @default metrics, the registry of the process */
  readonly registry?: MetricsRegistry | undefined;
  /** Measures work under way; the clock of your queues. @default the machine's clock */
  readonly clock?: Clock | undefined;
}

const fed = new WeakSet<MetricsRegistry>();

/**
 * Feeds a registry with what informers, work queues, requests and electors tell from now on, under the names that
 * client-go uses. Returns the undo; what was counted stays. Before this is called no message is even built.
 *
 * Each registry is fed once at a time: twice would count double.
 */
export function startMetrics(options: StartMetricsOptions = {}): () => void {
  const { registry = metrics, clock = realClock } = checkOptions('startMetrics', options, {
    registry: true,
    clock: true,
  });
  if (!(registry instanceof MetricsRegistry)) throw optionError('registry', 'a MetricsRegistry', registry);
  if (fed.has(registry))
    throw new Error('This registry is fed already: call the undo of the first startMetrics before');
  fed.add(registry);
  const stops = [
    ...feedInformerMetrics(registry),
    ...feedWorkqueueMetrics(registry, clock),
    ...feedRestMetrics(registry),
    ...feedElectionMetrics(registry),
    () => fed.delete(registry),
  ];
  return () => {
    for (const stop of stops.splice(0)) stop();
  };
}
