import { internal, type Status, serviceUnavailable } from '../../meta/errors/status.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import type { Timer } from '../../time/clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../../time/scheduler.js';
import { inSlices, nextStep, type Steps } from '../../time/steps.js';
import type { SkewedClock } from '../faults/skewed-clock.js';
import type { ApiResource } from '../resources/registry.js';
import type { StoredChange } from '../storage/collection.js';
import type { Collection } from '../storage/storage.js';
import { storedChange } from './recorded-state.js';
import { type RecordedFailure, type RecordingEntry, RecordingError } from './recording.js';
import type { Recording } from './recording-file.js';

/** What a {@link Player} does to the watches of a collection. */
export interface ReplayedWatches {
  /** Ends them, after all changes so far. */
  conclude(collection: Collection): void;
  /** Ends them with an ERROR event, after all changes so far. */
  fail(collection: Collection, status: Status): void;
  /** How many changes the slowest of them has not sent. */
  backlog(collection: Collection): number;
}

/** Options of a {@link Player}. */
export interface PlayerOptions {
  readonly recording: Recording;
  /** The resources of its header, in the same order, with empty collections. */
  readonly resources: readonly ApiResource[];
  /** Its wall clock shows the recorded time. */
  readonly clock: SkewedClock;
  /** How many recorded seconds pass in a second; Infinity: as fast as the watches send, and none while nothing is watched. */
  readonly speed: number;
  /** The recorded time to begin at. @default when each resource has been listed, or could not be */
  readonly from?: number | undefined;
  readonly watches: ReplayedWatches;
  /** Called once if the recording cannot be read any further. */
  readonly onError: (error: Error) => void;
}

/** A resource, and why it cannot be read at present. */
interface Stream {
  readonly resource: ApiResource;
  /** Undefined while it can be read. Without a status, requests wait for the next list of the recording. */
  gap: { readonly status: Status | undefined } | undefined;
  /** Requests that wait. */
  readonly waiting: Set<() => void>;
  isKnown: boolean;
}

/** The list that is not complete yet. */
interface PartialList {
  readonly version: number;
  readonly count: number;
  readonly changes: StoredChange[];
}

/** At full speed, the player waits for watches with more changes than this to send. */
const MAX_BACKLOG = 1000;
/** At full speed, how often it looks at them. */
const BACKLOG_MS = 1;
/** It waits no longer for one that sends nothing: the client is stuck. */
const STUCK_MS = 10_000;
/** How many changes it makes at full speed before it looks. */
const BURST = 256;

/**
 * Makes the changes of a recording in the storage of the server, each at its time: requests see the state of the recorded moment, and
 * watches get the recorded events.
 *
 * - A list replaces the objects of its resource. Watches end, and get 410 Gone if they resume, as the recorder's did.
 * - A watch that failed ends the watches of the resource, with the recorded ERROR event if there was one. After 410 Gone requests
 *   wait for the list that follows in the recording.
 * - A list that failed makes requests fail in the same way until one succeeds.
 */
export class Player {
  readonly #options: PlayerOptions;
  readonly #clock: SkewedClock;
  readonly #streams: Stream[];
  readonly #entries: Generator<RecordingEntry, void, void>;
  readonly #task: Task;
  #next: RecordingEntry | undefined;
  #steps: Steps<void> | undefined;
  #list: PartialList | undefined;
  /** The recorded time at {@link #startedAt}. */
  #origin: number;
  /** On the monotonic clock; undefined before {@link start}. */
  #startedAt: number | undefined;
  #timer: Timer | undefined;
  #failure: Status | undefined;
  #openWatches = 0;
  #burst = 0;
  #stuckSince: { readonly at: number; readonly backlog: number } | undefined;

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#streams = options.resources.map((resource) => ({
      resource,
      gap: { status: undefined },
      waiting: new Set(),
      isKnown: false,
    }));
    this.#origin = options.from ?? options.recording.start;
    this.#entries = options.recording.entries();
    this.#task = schedulerOf(options.clock).add('replay', (budget) => this.#work(budget), {
      onError: (error) => this.#fail(error),
    });
  }

  /** The recorded time that is replayed now, in ms since 1970. */
  get position(): number {
    const { recording, speed } = this.#options;
    if (this.#next === undefined && this.#startedAt !== undefined) return recording.end;
    if (this.#startedAt === undefined || speed === Number.POSITIVE_INFINITY) return this.#origin;
    const elapsedMs = (this.#clock.monotonicNow() - this.#startedAt) * speed;
    return Math.min(this.#origin + elapsedMs, recording.end);
  }

  /** Whether all changes of the recording were made. */
  get isAtEnd(): boolean {
    return this.#startedAt !== undefined && this.#next === undefined && this.#steps === undefined;
  }

  /** Makes the changes up to the moment to begin at. Rejects with a {@link RecordingError} if they cannot be read. */
  async begin(): Promise<void> {
    await inSlices(this.#clock, 'replay', this.#prepare());
    this.#setWallClock(this.#origin);
  }

  /** Lets time pass. */
  start(): void {
    this.#startedAt = this.#clock.monotonicNow();
    this.#task.wake();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#task.remove();
    this.#next = undefined;
    this.#failure ??= serviceUnavailable('the server stops');
    for (const stream of this.#streams) release(stream);
    this.#options.recording.close();
  }

  /**
   * The Status that requests for a resource get at this moment; undefined if it can be read. Waits while the recording has no state of
   * it.
   */
  async refusal(resource: ApiResource, signal: AbortSignal): Promise<Status | undefined> {
    const stream = this.#streams.find((one) => one.resource === resource);
    while (stream?.gap !== undefined && this.#failure === undefined && !signal.aborted) {
      if (stream.gap.status !== undefined) return stream.gap.status;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          stream.waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        stream.waiting.add(done);
        signal.addEventListener('abort', done, { once: true });
      });
    }
    return this.#failure;
  }

  /** A watch is open until the returned function is called. */
  noteWatch(): Undo {
    this.#openWatches++;
    this.#task.wake();
    return undoOnce(() => void this.#openWatches--);
  }

  /** Makes the changes before the moment to begin at. */
  *#prepare(): Steps<void> {
    const { from } = this.#options;
    this.#pull();
    const isDue = (time: number): boolean =>
      from === undefined ? this.#streams.some(({ isKnown }) => !isKnown) : time <= from;
    while (this.#next !== undefined && (this.#list !== undefined || isDue(this.#next.time))) {
      if (from === undefined) this.#origin = this.#next.time;
      yield* this.#applyNext();
      yield;
    }
  }

  /** Sets the timer of the next entry. */
  #plan(): void {
    const { speed } = this.#options;
    // At full speed the next watch wakes the task.
    if (this.#next === undefined || speed === Number.POSITIVE_INFINITY) return;
    const dueMs = (this.#next.time - this.#origin) / speed - (this.#clock.monotonicNow() - this.#startedAt!);
    this.#wait(dueMs);
  }

  #wait(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(Math.max(0, ms), () => this.#task.wake(), { keepAlive: false });
  }

  /** Makes all changes that are due; returns whether there are more. */
  #work(budget: SliceBudget): boolean {
    while (budget.takeSlow()) {
      if (this.#steps === undefined) {
        if (this.#next === undefined || this.#startedAt === undefined) return false;
        if (!this.#isDue(this.#next.time)) {
          this.#plan();
          return false;
        }
        if (this.#isAheadOfWatches()) {
          this.#wait(BACKLOG_MS);
          return false;
        }
        this.#steps = this.#applyNext();
      }
      if (nextStep(this.#steps).done === true) this.#steps = undefined;
    }
    return true;
  }

  #isDue(time: number): boolean {
    const { speed } = this.#options;
    if (speed === Number.POSITIVE_INFINITY) return this.#openWatches > 0;
    // Timers have whole milliseconds, so that one may fire a fraction of one early.
    return (time - this.#origin) / speed <= this.#clock.monotonicNow() - this.#startedAt! + 0.5;
  }

  /** At full speed, whether a watch has too much to send. At other speeds one that is too slow gets 410 Gone, as on a cluster. */
  #isAheadOfWatches(): boolean {
    if (this.#options.speed !== Number.POSITIVE_INFINITY || ++this.#burst < BURST) return false;
    const { watches } = this.#options;
    const backlog = Math.max(0, ...this.#streams.map(({ resource }) => watches.backlog(resource.collection)));
    const now = this.#clock.monotonicNow();
    if (backlog !== this.#stuckSince?.backlog) this.#stuckSince = { at: now, backlog };
    if (backlog > MAX_BACKLOG && now - this.#stuckSince.at < STUCK_MS) return true;
    this.#burst = 0;
    return false;
  }

  *#applyNext(): Steps<void> {
    const entry = this.#next!;
    try {
      yield* this.#apply(entry, this.#streams[entry.resource]!);
    } catch (error) {
      if (error instanceof RecordingError) throw error;
      const { path } = this.#options.recording;
      const message = `${path} has an entry that cannot be replayed: ${(error as Error).message}`;
      throw new RecordingError(message, { cause: error });
    }
    if (this.#startedAt !== undefined) {
      this.#setWallClock(entry.time);
      if (this.#options.speed === Number.POSITIVE_INFINITY) this.#origin = entry.time;
    }
    this.#pull();
  }

  #pull(): void {
    const { value, done } = this.#entries.next();
    this.#next = done === true ? undefined : value;
  }

  *#apply(entry: RecordingEntry, stream: Stream): Steps<void> {
    const { resource } = stream;
    const { collection } = resource;
    switch (entry.kind) {
      case 'list':
        this.#list = { version: entry.version, count: entry.count, changes: [] };
        break;
      case 'item':
        this.#list!.changes.push(storedChange(resource, 'ADDED', entry.object, entry.time));
        break;
      case 'change': {
        const { object, time } = entry;
        const isPresent = collection.get(object.key) !== undefined;
        const type = entry.type === 'DELETED' ? entry.type : isPresent ? 'MODIFIED' : 'ADDED';
        collection.adopt(storedChange(resource, type, object, time));
        return;
      }
      case 'bookmark':
        collection.advance(entry.version);
        return;
      case 'failure':
        this.#applyFailure(stream, entry.failure);
        return;
    }
    const { version, count, changes } = this.#list!;
    if (changes.length < count) return;
    this.#list = undefined;
    yield* collection.replaceInSteps(version, changes);
    stream.isKnown = true;
    stream.gap = undefined;
    release(stream);
  }

  #applyFailure(stream: Stream, { of, status, message, isTimeout }: RecordedFailure): void {
    const { watches } = this.#options;
    const { collection } = stream.resource;
    if (of === 'list') {
      stream.isKnown = true;
      stream.gap = {
        status: status ?? serviceUnavailable(`the recorder could not list it: ${message ?? 'no answer'}`),
      };
      release(stream);
      return;
    }
    // The timeout is that of the recorder's requests, not of those that are open now.
    if (isTimeout === true) return;
    if (status === undefined) watches.conclude(collection);
    else watches.fail(collection, status);
    if (status?.code === 410) stream.gap ??= { status: undefined };
  }

  /** Everything that needs the rest of the recording fails from now on. */
  #fail(error: unknown): void {
    const failure = error instanceof Error ? error : new Error(String(error));
    this.#next = undefined;
    this.#steps = undefined;
    this.#failure = internal(failure.message);
    for (const stream of this.#streams) {
      this.#options.watches.fail(stream.resource.collection, this.#failure);
      release(stream);
    }
    this.#options.onError(failure);
  }

  #setWallClock(time: number): void {
    const clock = this.#clock;
    clock.skewMs += time - clock.now();
  }
}

/** Lets the requests go on that wait. */
function release({ waiting }: Stream): void {
  for (const done of [...waiting]) done();
}
