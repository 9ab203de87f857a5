import { checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { requireInteger, requireNumber } from '../meta/options/validate.js';
import type { Clock } from '../time/clock.js';
import type { CoreEvent } from './core-event.js';
import { EventAggregator } from './event-aggregator.js';
import { EventCounter } from './event-counter.js';
import type { EventNames } from './event-names.js';
import type { EventRecord } from './event-record.js';
import { SpamFilter } from './spam-filter.js';

/** How events of core/v1 are counted, combined and rate limited; the defaults are client-go's. */
export interface CorrelationOptions {
  /** With this many different messages, events that are otherwise the same are combined into one. @default 10 */
  readonly maxSimilar?: number | undefined;
  /** How long after the last similar event another one is combined with it. @default 600000 */
  readonly similarWithinMs?: number | undefined;
  /** How many events of one type about one object are written at once. @default 25 */
  readonly burst?: number | undefined;
  /** The time after which one more is written. @default 300000 */
  readonly refillMs?: number | undefined;
  /** How many events, groups of similar events and rate limits are remembered, each. @default 4096 */
  readonly cacheSize?: number | undefined;
}

const correlationNames: OptionNames<CorrelationOptions> = {
  maxSimilar: true,
  similarWithinMs: true,
  burst: true,
  refillMs: true,
  cacheSize: true,
};

/** The result of {@link EventCorrelator.correlate}. */
export interface Correlation {
  /** The event that it was counted on. */
  readonly record: EventRecord<CoreEvent>;
  /** Whether the rate limit forbids a write now. It is counted nevertheless, and the next write has the count. */
  readonly isSpam: boolean;
}

/**
 * Decides what is written of an event: combines it with similar ones, counts it, and applies the rate limit.
 */
export class EventCorrelator {
  readonly #aggregator: EventAggregator;
  readonly #counter: EventCounter;
  readonly #spamFilter: SpamFilter;

  constructor(clock: Clock, names: EventNames, options: CorrelationOptions = {}) {
    checkOptions('correlation', options, correlationNames);
    const cacheSize = requireInteger('cacheSize', options.cacheSize ?? 4096, 1);
    this.#aggregator = new EventAggregator({
      clock,
      names,
      cacheSize,
      maxSimilar: requireInteger('maxSimilar', options.maxSimilar ?? 10, 1),
      similarWithinMs: requireNumber('similarWithinMs', options.similarWithinMs ?? 600_000),
    });
    this.#counter = new EventCounter({ cacheSize });
    this.#spamFilter = new SpamFilter({
      clock,
      cacheSize,
      burst: requireInteger('burst', options.burst ?? 25, 1),
      refillMs: requireNumber('refillMs', options.refillMs ?? 300_000, 1),
    });
  }

  correlate(event: CoreEvent): Correlation {
    const aggregate = this.#aggregator.aggregate(event);
    const record = this.#counter.count(aggregate.event, aggregate.key);
    return { record, isSpam: this.#spamFilter.isSpam(event) };
  }
}
