import { LruCache } from '../structures/lru-cache.js';
import type { Clock } from '../time/clock.js';
import type { CoreEvent } from './core-event.js';
import { eventKey, similarityKey } from './event-keys.js';
import type { EventNames } from './event-names.js';

/** Options of an {@link EventAggregator}. */
export interface AggregatorOptions {
  readonly clock: Clock;
  readonly names: EventNames;
  /** How many different messages of similar events become one event. */
  readonly maxSimilar: number;
  /** How long after the last of them a similar event is still one of them. */
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

/** What people who read events look for. */
const combinedPrefix = '(combined from similar events): ';

/**
 * Sees to it that a message which is different each time does not make an event each time: when enough similar events have
 * come with different messages, further ones are counted on a single event that shows the last message.
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
    // One has to go, so that the set does not grow; which one makes no difference to its size.
    for (const oldest of similar.messages) {
      similar.messages.delete(oldest);
      break;
    }
    const metadata = { ...event.metadata, name: names.next(event.involvedObject.name ?? '') };
    return { event: { ...event, metadata, message: combinedPrefix + event.message }, key };
  }
}
