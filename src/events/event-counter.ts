import { LruCache } from '../structures/lru-cache.js';
import type { CoreEvent } from './core-event.js';
import { type EventRecord, newRecord } from './event-record.js';

/** Counts repetitions: an event with a known key keeps the name and `firstTimestamp` of the first one and raises its `count`. */
export class EventCounter {
  readonly #records: LruCache<string, EventRecord<CoreEvent>>;

  constructor(options: { readonly cacheSize: number }) {
    this.#records = new LruCache(options.cacheSize);
  }

  count(event: CoreEvent, key: string): EventRecord<CoreEvent> {
    const known = this.#records.get(key);
    if (known === undefined) {
      const record = newRecord(event);
      this.#records.set(key, record);
      return record;
    }
    const { metadata, firstTimestamp, count } = known.event;
    known.event = {
      ...event,
      metadata: { ...event.metadata, name: metadata.name },
      firstTimestamp,
      count: count + 1,
    };
    known.isDirty = true;
    return known;
  }
}
