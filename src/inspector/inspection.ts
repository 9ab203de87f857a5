import type { Clock, Timer } from '../time/clock.js';
import { type Inspected, Inventory } from './inventory.js';
import type { ControllersAnswer, History, MemoryAnswer, ObjectAnswer, SearchAnswer, Snapshot } from './protocol.js';
import type { ChangeLogLimits } from './recording/change-log.js';
import { Recording } from './recording/recording.js';
import { controllersAnswer } from './views/controllers-answer.js';
import { PointHistory } from './views/history.js';
import { ManagedFieldsReader } from './views/managed-fields-reader.js';
import { memoryAnswer } from './views/memory.js';
import { objectAnswer } from './views/object-answer.js';
import { ProblemTracker } from './views/problems.js';
import { search } from './views/search.js';
import { takeSnapshot } from './views/snapshot.js';

/** How long the recording goes on after the last viewer has gone: a page may be reloaded. */
const lingerMs = 60_000;
const everyMs = 1000;

/** What an {@link Inspection} needs. */
export interface InspectionOptions extends Inspected {
  readonly clock: Clock;
  /** Called with each snapshot while there are viewers. */
  readonly onSnapshot: (snapshot: Snapshot) => void;
  /** What the recording keeps. @default those of ChangeLogLimits */
  readonly limits?: ChangeLogLimits | undefined;
}

/** All that belongs to one recording. */
interface Session {
  readonly recording: Recording;
  readonly history: PointHistory;
  readonly problems: ProblemTracker;
  /** On the monotonic clock. */
  takenAt: number;
  timer: Timer;
}

/**
 * The inspector without its server. While there is a viewer it records, and takes a snapshot every second; a minute after the last one has gone
 * it stops to listen, and forgets what it has recorded. Between recordings it does nothing at all.
 */
export class Inspection {
  readonly #inventory: Inventory;
  readonly #clock: Clock;
  readonly #options: InspectionOptions;
  readonly #managedFields: ManagedFieldsReader;
  #session: Session | undefined;
  #viewers = 0;
  #end: Timer | undefined;
  #isClosed = false;

  constructor(options: InspectionOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#inventory = new Inventory(options);
    this.#managedFields = new ManagedFieldsReader(options.clock);
  }

  get isRecording(): boolean {
    return this.#session !== undefined;
  }

  setViewers(viewers: number): void {
    // The last viewers may leave after it was closed.
    if (this.#isClosed) return;
    this.#viewers = viewers;
    this.#end?.cancel();
    this.#end = undefined;
    if (viewers > 0) this.#open();
    else if (this.#session !== undefined)
      this.#end = this.#clock.setTimer(lingerMs, () => this.#endRecording(), { keepAlive: false });
  }

  /** The points of the last minutes; none before the first viewer. */
  get history(): History {
    return (this.#session?.history ?? new PointHistory()).all;
  }

  search(query: string): Promise<SearchAnswer> {
    return search({ inventory: this.#inventory, recording: this.#open().recording, clock: this.#clock }, query);
  }

  /** Undefined if there is no such informer or object. */
  async object(informer: string, key: string): Promise<ObjectAnswer | undefined> {
    const subject = this.#inventory.informer(informer);
    if (subject === undefined) return undefined;
    const { recording } = this.#open();
    recording.changes.follow(subject.informer.internals.source, key, this.#clock.now());
    return objectAnswer({ inventory: this.#inventory, recording, managedFields: this.#managedFields }, subject, key);
  }

  controllers(): ControllersAnswer {
    return controllersAnswer(this.#inventory, this.#open().recording, this.#clock.now());
  }

  memory(): Promise<MemoryAnswer> {
    return memoryAnswer(this.#inventory, this.#clock);
  }

  /** Ends the recording, for good. */
  close(): void {
    this.#isClosed = true;
    this.#endRecording();
  }

  #endRecording(): void {
    this.#end?.cancel();
    this.#end = undefined;
    this.#session?.timer.cancel();
    this.#session?.recording.stop();
    this.#session = undefined;
  }

  /** The recording. A request begins one too, which ends a minute later unless a page is opened. */
  #open(): Session {
    if (this.#session !== undefined) return this.#session;
    this.#session = {
      recording: new Recording(this.#clock, this.#options.limits),
      history: new PointHistory(),
      problems: new ProblemTracker(),
      takenAt: this.#clock.monotonicNow(),
      timer: this.#nextTick(),
    };
    if (this.#viewers === 0) this.setViewers(0);
    return this.#session;
  }

  #nextTick(): Timer {
    return this.#clock.setTimer(everyMs, () => this.#tick(), { keepAlive: false });
  }

  #tick(): void {
    const session = this.#session;
    if (session === undefined) return;
    session.timer = this.#nextTick();
    const { recording, history, problems } = session;
    const now = this.#clock.monotonicNow();
    const seconds = Math.max(0.001, (now - session.takenAt) / 1000);
    session.takenAt = now;
    recording.changes.settle(this.#clock.now());
    const snapshot = takeSnapshot({
      inventory: this.#inventory,
      recording,
      problems,
      viewers: this.#viewers,
      lingerMs,
      now: this.#clock.now(),
      seconds,
    });
    history.add(snapshot);
    if (this.#viewers > 0) this.#options.onSnapshot(snapshot);
  }
}
