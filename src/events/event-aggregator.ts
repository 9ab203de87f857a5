import { LruCache } from '../structures/lru-cache.js';
import type { Clock } from '../time/clock.js';
import type { CoreEvent } from './core-event.js';
import { eventKey, similarityKey } from './event-keys.js';
import type { EventNames } from './event-names.js';

/** Options of an {@link EventAggregator}. */
export interface AggregatorOptions {
  readonly clock: Clock;
  readonly names: EventNames;
  /** With this many different messages, similar events are combined. */
  readonly maxSimilar: number;
  /** How long after the last similar event another one is combined with it. */
  readonly similarWithinMs: number;
  readonly cacheSize: number;
}

/** An event, and the key under which its repetitions are counted. */
export interface Aggregate {
  readonly event: CoreEvent;
  readonly key: string;
}

interface Similar {
  readonly messages: Set<string>;
  lastAt: number;
}

/** The prefix that client-go uses. */
const combinedPrefix = '(combined from similar events): ';

/**
 * Combines similar events, so that a message that differs each time does not create an event each time: after enough similar
 * events with different messages, further ones are counted on one event that has the last message.
 */
export class EventAggregator {
  readonly #options: AggregatorOptions;
  readonly #similar: LruCache<string, Similar>;

  constructor(options: AggregatorOptions) {
    this.#options = options;
    this.#similar = new LruCache(options.cacheSize);
  }

  aggregate(event: CoreEvent): Aggregate {
    const { clock, names, maxSimilar, similarWithinMs } = this.#options;
    const key = similarityKey(event);
    const now = clock.monotonicNow();
    const known = this.#similar.get(key);
    const similar =
      known === undefined || now - known.lastAt > similarWithinMs
        ? { messages: new Set<string>(), lastAt: now }
        : known;
    similar.messages.add(event.message);
    similar.lastAt = now;
    this.#similar.set(key, similar);
    if (similar.messages.size < maxSimilar) return { event, key: eventKey(event) };
    // Only the size of the set matters: remove one, so that it does not grow.
    for (const oldest of similar.messages) {
      similar.messages.delete(oldest);
      break;
    }
    const metadata = { ...event.metadata, name: names.next(event.involvedObject.name ?? '') };
    return { event: { ...event, metadata, message: combinedPrefix + event.message }, key };
  }
}
