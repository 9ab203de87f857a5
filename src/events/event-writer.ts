import { hasStatusCause, isAlreadyExists, isNotFound, statusErrorOf } from '../meta/errors/error-predicates.js';
import { KubeflectError } from '../meta/errors/errors.js';
import type { Abortable } from '../meta/objects.js';
import { type ChannelMessage, channels } from '../observe/channels.js';
import { InvalidRequestError, messageOf } from '../rest/http/request-errors.js';
import type { Clock, Timer } from '../time/clock.js';
import { abortable, onAbort } from '../time/signals.js';
import { WorkQueue } from '../workqueue/work-queue.js';
import type { EventRecord } from './event-record.js';
import type { EventSink } from './event-sink.js';
import { describeReference } from './occurrence.js';

/** An event was given up or dropped; `cause` is the error of the last attempt, if there was one. */
export class EventNotRecordedError extends KubeflectError {
  static {
    EventNotRecordedError.prototype.name = 'EventNotRecordedError';
  }

  constructor(message: string, options?: ErrorOptions) {
    super('EVENT_NOT_RECORDED', message, options);
  }
}

/** Options of an {@link EventWriter}. */
export interface EventWriterOptions<E> {
  readonly clock: Clock;
  readonly sink: EventSink<E>;
  /** How many events may wait; further new ones are dropped. */
  readonly queueLimit: number;
  /** Attempts per event. */
  readonly maxTries: number;
  /** The delay after this many failures in a row. */
  readonly retryDelay: (failures: number) => number;
  readonly onError: (error: Error) => void;
}

type Written = { readonly type: string; readonly reason: string };

/** Concurrent requests, so that one that hangs does not delay the others. */
const workers = 4;

/**
 * Writes events to the server in the background.
 *
 * - An event is written by one request at a time; changes during the request are sent in the next one.
 * - An event that the server rejects is given up. One without a response is retried, `maxTries` attempts in all, while other
 *   events are written.
 * - When `queueLimit` events wait, further new ones are dropped. Changes of stored events are always queued: the pipelines
 *   bound their number, and a dropped final count would never be corrected.
 */
export class EventWriter<E extends Written> {
  readonly #options: EventWriterOptions<E>;
  readonly #queue: WorkQueue<EventRecord<E>>;
  readonly #retrying = new Map<EventRecord<E>, Timer>();
  readonly #stop = new AbortController();
  readonly #done: Promise<unknown>;
  #closing = false;
  /** Whether `onError` was called for the current overflow: it is called once, until an event is queued again. */
  #overflowing = false;

  constructor(options: EventWriterOptions<E>) {
    this.#options = options;
    this.#queue = new WorkQueue<EventRecord<E>>({ clock: options.clock, keyOf: (record) => record });
    this.#done = Promise.all(Array.from({ length: workers }, () => this.#work()));
  }

  /** Queues a write. The request has the state of the record at that time. */
  write(record: EventRecord<E>): void {
    // The queued write or the planned retry sends this change too; an extra attempt would use up `maxTries`.
    if (record.isQueued || this.#retrying.has(record)) return;
    if (this.#closing) {
      this.#drop(record);
      return;
    }
    if (record.isStored === false && this.#queue.length + this.#retrying.size >= this.#options.queueLimit) {
      this.#drop(record);
      if (!this.#overflowing) this.#reportOverflow(record);
      this.#overflowing = true;
      return;
    }
    this.#overflowing = false;
    record.isQueued = true;
    this.#queue.add(record);
  }

  /** Accepts no more events and makes one attempt for each waiting one. When the signal aborts, the rest is dropped. */
  async close({ signal }: Abortable = {}): Promise<void> {
    this.#closing = true;
    for (const [record, timer] of this.#retrying) {
      timer.cancel();
      this.#queue.add(record);
    }
    this.#retrying.clear();
    void this.#queue.shutDown();
    const undo = onAbort(signal, () => this.#stop.abort(signal?.reason));
    try {
      await this.#done;
    } finally {
      undo();
    }
  }

  async #work(): Promise<void> {
    for (;;) {
      const record = await this.#queue.get();
      if (record === undefined) return;
      record.isQueued = false;
      if (this.#stop.signal.aborted) this.#drop(record);
      // It changed during an attempt that failed: the planned retry sends this change too.
      else if (!this.#retrying.has(record)) await this.#write(record);
      this.#queue.done(record);
    }
  }

  async #write(record: EventRecord<E>): Promise<void> {
    const { event } = record;
    record.isDirty = false;
    try {
      const outcome = await this.#send(record, event);
      record.failures = 0;
      this.#publish(outcome, event);
    } catch (error) {
      record.isDirty = true;
      record.failures++;
      if (this.#isWorthARetry(record, error)) this.#retryLater(record);
      else this.#giveUp(record, error);
    }
  }

  async #send(record: EventRecord<E>, event: E): Promise<'created' | 'patched'> {
    const { sink } = this.#options;
    const { signal } = this.#stop;
    if (record.isStored === true) {
      try {
        await abortable(sink.patch(event, signal), signal);
        return 'patched';
      } catch (error) {
        // Events expire on the server after an hour: create it again.
        if (!isNotFound(error)) throw error;
        record.isStored = false;
      }
    }
    try {
      await abortable(sink.create(event, signal), signal);
    } catch (error) {
      if (!isAlreadyExists(error)) {
        record.isStored = 'unsure';
        throw error;
      }
      // 409: an earlier create without a response may have stored it. If there was none, the event is not ours.
      if (record.isStored === false) throw error;
      record.isStored = true;
      await abortable(sink.patch(event, signal), signal);
      return 'patched';
    }
    record.isStored = true;
    return 'created';
  }

  #isWorthARetry(record: EventRecord<E>, error: unknown): boolean {
    if (this.#closing || record.failures >= this.#options.maxTries) return false;
    const isAnswer = statusErrorOf(error) !== undefined;
    const cannotBeSent = error instanceof InvalidRequestError || error instanceof TypeError;
    return !isAnswer && !cannotBeSent;
  }

  #retryLater(record: EventRecord<E>): void {
    const { clock, retryDelay } = this.#options;
    const again = () => {
      this.#retrying.delete(record);
      record.isQueued = true;
      this.#queue.add(record);
    };
    // A retry does not keep the process alive: await `close` to have it written.
    this.#retrying.set(record, clock.setTimer(retryDelay(record.failures), again, { keepAlive: false }));
  }

  #giveUp(record: EventRecord<E>, error: unknown): void {
    const tries = record.failures === 1 ? '' : ` after ${record.failures} attempts`;
    record.failures = 0;
    this.#publish('failed', record.event, error);
    // Not reported: a name that is taken, and a namespace that is being deleted.
    if (isAlreadyExists(error) || hasStatusCause(error, 'NamespaceTerminating')) return;
    const message = `${this.#describe(record.event)} was not recorded${tries}: ${messageOf(error)}`;
    this.#options.onError(new EventNotRecordedError(message, { cause: error }));
  }

  #drop(record: EventRecord<E>): void {
    this.#publish('dropped', record.event);
  }

  #reportOverflow({ event }: EventRecord<E>): void {
    const { queueLimit, onError } = this.#options;
    const message = `${queueLimit} events wait to be recorded: ${this.#describe(event)} and what follows is dropped`;
    onError(new EventNotRecordedError(message));
  }

  #describe(event: E): string {
    return `the event ${event.reason} about ${describeReference(this.#options.sink.subjectOf(event))}`;
  }

  #publish(outcome: ChannelMessage<'eventRecord'>['outcome'], event: E, error?: unknown): void {
    publishOutcome(outcome, event, this.#options.sink, error);
  }
}

/** Publishes on `channels.eventRecord`. */
export function publishOutcome<E extends Written>(
  outcome: ChannelMessage<'eventRecord'>['outcome'],
  event: E,
  sink: Pick<EventSink<E>, 'subjectOf'>,
  error?: unknown,
): void {
  if (!channels.eventRecord.hasSubscribers) return;
  const { type, reason } = event;
  const message = { outcome, type, reason, regarding: describeReference(sink.subjectOf(event)) };
  channels.eventRecord.publish(error === undefined ? message : { ...message, error });
}
