import { asError } from '../meta/errors/errors.js';
import { escapeTextControls } from '../meta/escape-controls.js';
import type { Abortable } from '../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/options/known-options.js';
import {
  requireFunction,
  requireInteger,
  requireNumber,
  requireObject,
  requireOneOf,
  requireSignal,
  requireString,
} from '../meta/options/validate.js';
import { type Undo, undoOnce } from '../meta/undo.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import { onAbort } from '../time/signals.js';
import { CorePipeline } from './core-pipeline.js';
import { type CorrelationOptions, EventCorrelator } from './event-correlator.js';
import { EventNames } from './event-names.js';
import type { EventPipeline } from './event-pipeline.js';
import type { EventRecorder, RecorderOptions } from './event-recorder.js';
import { coreSink, type EventClient, seriesSink } from './event-sink.js';
import { EventNotRecordedError, EventWriter } from './event-writer.js';
import { describeReference, type Occurrence, occurrenceOf } from './occurrence.js';
import { type SeriesOptions, SeriesPipeline } from './series-pipeline.js';

/** Options of an {@link EventBroadcaster}; the defaults are client-go's. */
export interface EventBroadcasterOptions extends Abortable {
  /** Writes the events. */
  readonly client: EventClient;
  /**
   * `v1` sends the count of every repetition, combines similar events, and rate limits events about one object;
   * `events.k8s.io/v1` sends that an event is repeated, and its final count when the series has ended.
   * @default 'v1'
   */
  readonly api?: 'v1' | 'events.k8s.io/v1' | undefined;
  /** @default the client's clock */
  readonly clock?: Clock | undefined;
  /** How many events may wait to be written; further new ones are dropped. @default 1000 */
  readonly queueLimit?: number | undefined;
  /** Attempts per event that gets no response. An event that the server rejects is not retried. @default 12 */
  readonly maxTries?: number | undefined;
  /** The delay between attempts, before jitter. @default 10000 */
  readonly retryDelayMs?: number | undefined;
  /**
   * For `v1`: how events are counted, combined and rate limited.
   * @default the limits of client-go; see {@link CorrelationOptions}
   */
  readonly correlation?: CorrelationOptions | undefined;
  /** For `events.k8s.io/v1`: how repetitions become series. @default see {@link SeriesOptions} */
  readonly series?: SeriesOptions | undefined;
  /** Called with the reason why an event was not recorded. @default process.emitWarning */
  readonly onError?: ((error: Error) => void) | undefined;
}

const broadcasterNames: OptionNames<EventBroadcasterOptions> = {
  ...abortableNames,
  client: true,
  api: true,
  clock: true,
  queueLimit: true,
  maxTries: true,
  retryDelayMs: true,
  correlation: true,
  series: true,
  onError: true,
};

/**
 * Writes the events of its recorders to the server, and calls subscribers.
 *
 * Recording returns at once; while the server is unreachable or slow, up to `queueLimit` events wait here. `close` makes a last
 * attempt for each of them; so does the abort of `signal`, and `close` then waits for that.
 *
 * @example
 * const broadcaster = new EventBroadcaster({ client });
 * const recorder = broadcaster.recorder({ component: 'web-controller' });
 * recorder.event(deployment, { type: 'Normal', reason: 'Scaled', message: 'scaled up to 3' });
 * await broadcaster.close();
 */
export class EventBroadcaster implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #pipeline: EventPipeline;
  readonly #onError: (error: Error) => void;
  readonly #listeners = new Set<(occurrence: Occurrence) => unknown>();
  readonly #undoAbort: () => void;
  #closed = false;

  constructor(options: EventBroadcasterOptions) {
    requireObject('options', options, 'an object with a client');
    const { client, signal } = options;
    requireObject('client', client, 'a Client');
    checkOptions('new EventBroadcaster', options, broadcasterNames);
    requireSignal('signal', signal);
    if (options.onError !== undefined) requireFunction('onError', options.onError);
    this.#clock = options.clock ?? client.clock ?? realClock;
    this.#onError = reporting(options.onError ?? warn);
    this.#pipeline = this.#pipelineOf(options);
    this.#undoAbort = onAbort(signal, () => void this.close());
  }

  /** Makes a recorder; use one per controller. */
  recorder(options: RecorderOptions): EventRecorder {
    checkOptions('broadcaster.recorder', options, { component: true, host: true });
    const component = requireString('component', options.component);
    if (options.host !== undefined) requireString('host', options.host);
    const reporter: Occurrence['reporter'] = { component, host: options.host };
    return { event: (object, event) => this.#take(() => occurrenceOf(object, event, reporter, this.#clock.now())) };
  }

  /**
   * Calls the listener for each recorded occurrence, synchronously within `recorder.event()`: to log it, or for a test.
   */
  subscribe(listener: (occurrence: Occurrence) => unknown): Undo {
    requireFunction('listener', listener);
    const own = (occurrence: Occurrence): unknown => listener(occurrence);
    this.#listeners.add(own);
    return undoOnce(() => void this.#listeners.delete(own));
  }

  /**
   * Accepts no more events, and resolves when each waiting one has been attempted once. When the signal aborts, the rest is
   * dropped.
   */
  async close(options: Abortable = {}): Promise<void> {
    checkOptions('broadcaster.close', options, abortableNames);
    this.#closed = true;
    this.#undoAbort?.();
    await this.#pipeline.close(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #take(make: () => Occurrence): void {
    try {
      const occurrence = make();
      if (this.#closed) {
        const about = describeReference(occurrence.regarding);
        throw new EventNotRecordedError(
          `the event ${occurrence.reason} about ${about} was not recorded: the broadcaster is closed`,
        );
      }
      for (const listener of this.#listeners) this.#call(listener, occurrence);
      this.#pipeline.take(occurrence);
    } catch (error) {
      this.#onError(asError(error));
    }
  }

  #call(listener: (occurrence: Occurrence) => unknown, occurrence: Occurrence): void {
    try {
      listener(occurrence);
    } catch (error) {
      this.#onError(asError(error));
    }
  }

  #pipelineOf(options: EventBroadcasterOptions): EventPipeline {
    const clock = this.#clock;
    const api = requireOneOf('api', options.api ?? 'v1', ['v1', 'events.k8s.io/v1']);
    const retryMs = requireNumber('retryDelayMs', options.retryDelayMs ?? 10_000);
    const writing = {
      clock,
      queueLimit: requireInteger('queueLimit', options.queueLimit ?? 1000, 1),
      maxTries: requireInteger('maxTries', options.maxTries ?? 12, 1),
      onError: this.#onError,
    };
    const names = new EventNames(clock);
    if (api === 'v1') {
      const sink = coreSink(options.client);
      // The first delay is random, so that clients of one server do not retry at the same time.
      const retryDelay = (failures: number): number => (failures === 1 ? retryMs * clock.random() : retryMs);
      const writer = new EventWriter({ ...writing, sink, retryDelay });
      return new CorePipeline({
        names,
        correlator: new EventCorrelator(clock, names, options.correlation),
        writer,
        sink,
      });
    }
    const retryDelay = (): number => retryMs * (1 + 0.25 * clock.random());
    const writer = new EventWriter({ ...writing, sink: seriesSink(options.client), retryDelay });
    return new SeriesPipeline(clock, names, writer, options.series);
  }
}

/** An `onError` that throws becomes a process warning: it must not reach a reconcile or the writer. */
function reporting(onError: (error: Error) => void): (error: Error) => void {
  return (error) => {
    try {
      onError(error);
    } catch (broken) {
      warn(asError(broken));
    }
  };
}

function warn(error: Error): void {
  process.emitWarning(escapeTextControls(error.message), 'KubeflectEventWarning');
}
