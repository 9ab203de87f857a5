import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { type Undo, undoOnce } from '../../meta/undo.js';
import type { Clock } from '../../time/clock.js';
import { CallRing } from './call-ring.js';
import { ChangeLog, type ChangeLogLimits } from './change-log.js';
import { InformerRecorder } from './informer-recorder.js';
import { LeaseRecorder } from './lease-recorder.js';
import { QueueRecorder } from './queue-recorder.js';
import { RunRecorder } from './run-recorder.js';
import { ServerRecorder } from './server-recorder.js';

/** How often the delay of the event loop is measured, in ms. */
const delayResolutionMs = 50;

/**
 * What the stages did since it was made: it listens to their channels until it is stopped. All it keeps is bounded, and goes with it.
 */
export class Recording {
  /** In ms since 1970. */
  readonly since: number;
  readonly changes: ChangeLog;
  readonly calls: CallRing;
  readonly informers: InformerRecorder;
  readonly queues: QueueRecorder = new QueueRecorder();
  readonly runs: RunRecorder = new RunRecorder();
  readonly servers: ServerRecorder;
  readonly leases: LeaseRecorder;
  readonly stop: Undo;
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: delayResolutionMs });
  #cpu = process.cpuUsage();
  #memory = process.memoryUsage();
  #memoryIn = 0;

  constructor(clock: Clock, limits: ChangeLogLimits = {}) {
    this.since = clock.now();
    this.changes = new ChangeLog(limits);
    this.changes.settle(this.since);
    this.calls = new CallRing(this.since);
    this.informers = new InformerRecorder(this.changes, this.calls, clock);
    this.servers = new ServerRecorder(clock);
    this.leases = new LeaseRecorder(clock);
    const recorders = [this.informers, this.queues, this.runs, this.servers, this.leases];
    const undos = recorders.flatMap((recorder) => recorder.listen());
    this.#delay.enable();
    this.stop = undoOnce(() => {
      for (const undo of undos) undo();
      this.#delay.disable();
    });
  }

  /** The memory of the process, measured at every fifth call: it takes up to a millisecond. */
  takeMemory(): { readonly rssBytes: number; readonly heapUsedBytes: number } {
    if (this.#memoryIn-- <= 0) {
      this.#memoryIn = 4;
      this.#memory = process.memoryUsage();
    }
    const { rss, heapUsed } = this.#memory;
    return { rssBytes: rss, heapUsedBytes: heapUsed };
  }

  /** CPU time as a share of one core, and the longest delay of the event loop, since the last call. */
  takeLoad(seconds: number): { readonly cpu: number; readonly eventLoopLagMs: number } {
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#cpu = process.cpuUsage();
    const longestMs = this.#delay.count === 0 ? 0 : this.#delay.max / 1e6;
    this.#delay.reset();
    // Node counts the interval between two measurements as a part of the delay.
    return { cpu: (user + system) / 1e6 / seconds, eventLoopLagMs: Math.max(0, longestMs - delayResolutionMs) };
  }
}
