import type { Abortable } from '../meta/objects.js';
import type { CoreEvent } from './core-event.js';
import { coreEventOf } from './core-event.js';
import type { EventCorrelator } from './event-correlator.js';
import type { EventNames } from './event-names.js';
import type { EventPipeline } from './event-pipeline.js';
import type { EventSink } from './event-sink.js';
import { type EventWriter, publishOutcome } from './event-writer.js';
import type { Occurrence } from './occurrence.js';

/** Events of core/v1. They are correlated when they are recorded, so that rate-limited ones never fill the writer's queue. */
export class CorePipeline implements EventPipeline {
  readonly #names: EventNames;
  readonly #correlator: EventCorrelator;
  readonly #writer: EventWriter<CoreEvent>;
  readonly #sink: EventSink<CoreEvent>;

  constructor(options: {
    readonly names: EventNames;
    readonly correlator: EventCorrelator;
    readonly writer: EventWriter<CoreEvent>;
    readonly sink: EventSink<CoreEvent>;
  }) {
    this.#names = options.names;
    this.#correlator = options.correlator;
    this.#writer = options.writer;
    this.#sink = options.sink;
  }

  take(occurrence: Occurrence): void {
    const { record, isSpam } = this.#correlator.correlate(coreEventOf(occurrence, this.#names));
    if (isSpam) publishOutcome('dropped', record.event, this.#sink);
    else this.#writer.write(record);
  }

  close(options?: Abortable): Promise<void> {
    return this.#writer.close(options);
  }
}
