import { checkOptions, type OptionNames } from '../meta/known-options.js';
import { requireInteger, requireNumber } from '../meta/validate.js';
import type { Clock } from '../time/clock.js';
import type { CoreEvent } from './core-event.js';
import { EventAggregator } from './event-aggregator.js';
import { EventCounter } from './event-counter.js';
import type { EventNames } from './event-names.js';
import type { EventRecord } from './event-record.js';
import { SpamFilter } from './spam-filter.js';

/** How events of core/v1 are counted, combined and held back; what is left out is as in client-go. */
export interface CorrelationOptions {
  /** How many different messages of events that are otherwise the same become one event. @default 10 */
  readonly maxSimilar?: number | undefined;
  /** How long after the last of them a similar event is still one of them. @default 600000 */
  readonly similarWithinMs?: number | undefined;
  /** How many events of one type about one object go through at once. @default 25 */
  readonly burst?: number | undefined;
  /** After how long one more does. @default 300000 */
  readonly refillMs?: number | undefined;
  /** How many events, groups of similar events and objects are remembered, each. @default 4096 */
  readonly cacheSize?: number | undefined;
}

const correlationNames: OptionNames<CorrelationOptions> = {
  maxSimilar: true,
  similarWithinMs: true,
  burst: true,
  refillMs: true,
  cacheSize: true,
};

/** What becomes of an event. */
export interface Correlation {
  /** The event it belongs to, counted already. */
  readonly record: EventRecord<CoreEvent>;
  /** Whether the server is not to hear of it now. It is counted all the same: the next one that goes through tells. */
  readonly isSpam: boolean;
}

/**
 * Decides what the server hears of an event: aggregates it with similar ones, counts it, and holds it back when there are
 * too many.
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
