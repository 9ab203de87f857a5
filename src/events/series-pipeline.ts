import type { Abortable } from '../meta/objects.js';
import { checkOptions } from '../meta/options/known-options.js';
import { requireInteger, requireNumber } from '../meta/options/validate.js';
import type { Clock, Timer } from '../time/clock.js';
import type { EventNames } from './event-names.js';
import type { EventPipeline } from './event-pipeline.js';
import { type EventRecord, newRecord } from './event-record.js';
import type { EventWriter } from './event-writer.js';
import type { Occurrence } from './occurrence.js';
import { type SeriesEvent, seriesEventOf, seriesKey } from './series-event.js';

/** How events of events.k8s.io/v1 become series; the defaults are client-go's. */
export interface SeriesOptions {
  /** How often active series are written again, so that the server does not expire them. @default 1800000 */
  readonly refreshMs?: number | undefined;
  /** A series ends after this time without a repetition; it is checked at this interval. @default 360000 */
  readonly finishMs?: number | undefined;
  /** How many events are remembered; one more ends the oldest one. @default 4096 */
  readonly cacheSize?: number | undefined;
}

interface Repeatable {
  readonly record: EventRecord<SeriesEvent>;
  lastAt: number;
}

/**
 * Events of events.k8s.io/v1. The second occurrence makes an event a series, which is written at once. Further ones are only
 * counted here; the count is written every `refreshMs` and when the series has ended.
 */
export class SeriesPipeline implements EventPipeline {
  readonly #clock: Clock;
  readonly #names: EventNames;
  readonly #writer: EventWriter<SeriesEvent>;
  readonly #cacheSize: number;
  readonly #finishMs: number;
  /** In the order of their first occurrence. */
  readonly #current = new Map<string, Repeatable>();
  readonly #timers: { current: Timer }[];

  constructor(clock: Clock, names: EventNames, writer: EventWriter<SeriesEvent>, options: SeriesOptions = {}) {
    checkOptions('series', options, { refreshMs: true, finishMs: true, cacheSize: true });
    const refreshMs = requireNumber('refreshMs', options.refreshMs ?? 1_800_000, 1);
    this.#clock = clock;
    this.#names = names;
    this.#writer = writer;
    this.#finishMs = requireNumber('finishMs', options.finishMs ?? 360_000, 1);
    this.#cacheSize = requireInteger('cacheSize', options.cacheSize ?? 4096, 1);
    this.#timers = [
      this.#every(refreshMs, () => this.#refresh()),
      this.#every(this.#finishMs, () => this.#finishIdle()),
    ];
  }

  take(occurrence: Occurrence): void {
    const event = seriesEventOf(occurrence, this.#names);
    const key = seriesKey(event);
    const known = this.#current.get(key);
    if (known === undefined) {
      this.#begin(key, event);
      return;
    }
    const { record } = known;
    const { series } = record.event;
    known.lastAt = this.#clock.monotonicNow();
    record.event = { ...record.event, series: { count: (series?.count ?? 1) + 1, lastObservedTime: event.eventTime } };
    record.isDirty = true;
    if (series === undefined) this.#writer.write(record);
  }

  async close(options?: Abortable): Promise<void> {
    for (const timer of this.#timers) timer.current.cancel();
    for (const key of this.#current.keys()) this.#finish(key);
    await this.#writer.close(options);
  }

  #begin(key: string, event: SeriesEvent): void {
    if (this.#current.size >= this.#cacheSize) {
      for (const first of this.#current.keys()) {
        this.#finish(first);
        break;
      }
    }
    const record = newRecord(event);
    this.#current.set(key, { record, lastAt: this.#clock.monotonicNow() });
    this.#writer.write(record);
  }

  #refresh(): void {
    for (const { record } of this.#current.values()) if (record.event.series !== undefined) this.#writer.write(record);
  }

  #finishIdle(): void {
    const since = this.#clock.monotonicNow() - this.#finishMs;
    for (const [key, { lastAt }] of this.#current) if (lastAt <= since) this.#finish(key);
  }

  /** The next occurrence with this key makes a new event. */
  #finish(key: string): void {
    const record = this.#current.get(key)?.record;
    this.#current.delete(key);
    if (record?.event.series !== undefined && record.isDirty) this.#writer.write(record);
  }

  #every(ms: number, task: () => void): { current: Timer } {
    const set = (): Timer => this.#clock.setTimer(ms, run, { keepAlive: false });
    const run = (): void => {
      timer.current = set();
      task();
    };
    const timer = { current: set() };
    return timer;
  }
}
