import { LruCache } from '../structures/lru-cache.js';
import type { Clock } from '../time/clock.js';
import type { CoreEvent } from './core-event.js';
import { type EventRecord, newRecord } from './event-record.js';

/** Counts how often an event has happened: what was seen before keeps its name and gets a higher count. */
export class EventObserver {
  readonly #records: LruCache<string, EventRecord<CoreEvent>>;

  constructor(options: { readonly clock: Clock; readonly cacheSize: number }) {
    this.#records = new LruCache(options.cacheSize);
  }

  observe(event: CoreEvent, key: string): EventRecord<CoreEvent> {
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
