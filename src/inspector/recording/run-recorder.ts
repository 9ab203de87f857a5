import type { RunRecord } from '../../controller/environment.js';
import type { Undo } from '../../meta/undo.js';
import { channels, listen } from '../../observe/channels.js';
import { Ring } from '../../structures/ring.js';
import type { Outcomes } from '../protocol.js';
import { errorText } from './error-text.js';
import { Meter, Named, RateCounter } from './meter.js';

/** A run that has ended. */
export interface RecordedRun extends Omit<RunRecord, 'error'> {
  readonly error: string | undefined;
}

/** The runs of each controller that are kept. */
const mostRuns = 2000;
const mostLongest = 20;
const mostCauses = 1000;
/** The upper limits of the distribution of durations, in ms. */
export const durationLimits: readonly number[] = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000];

/** What is counted of one controller, and its last runs. */
export class ControllerMeter extends Meter {
  readonly outcomes: { -readonly [K in keyof Outcomes]: number } = {
    done: 0,
    requeued: 0,
    waiting: 0,
    failed: 0,
    terminal: 0,
    aborted: 0,
  };
  readonly writes: RateCounter = new RateCounter();
  skippedApplies = 0;
  readonly runs: Ring<RecordedRun> = new Ring();
  /** The longest first. */
  readonly longest: RecordedRun[] = [];
  readonly causes: Map<string, number> = new Map();
  /** How many runs took up to each of {@link durationLimits}, and how many took longer. */
  readonly durations: number[] = new Array(durationLimits.length + 1).fill(0);

  add(run: RecordedRun): void {
    const { durationMs } = run;
    this.pass(durationMs);
    this.outcomes[run.outcome]++;
    if (run.outcome === 'failed' || run.outcome === 'terminal') this.fail();
    this.writes.total += run.writes.length;
    this.runs.push(run);
    if (this.runs.length > mostRuns) this.runs.shift();
    const limit = durationLimits.findIndex((most) => durationMs <= most);
    const at = limit < 0 ? durationLimits.length : limit;
    this.durations[at] = (this.durations[at] as number) + 1;
    for (const cause of run.causes) {
      const count = this.causes.get(cause);
      if (count !== undefined || this.causes.size < mostCauses) this.causes.set(cause, (count ?? 0) + 1);
    }
    this.#noteLongest(run);
  }

  #noteLongest(run: RecordedRun): void {
    const { longest } = this;
    const last = longest.at(-1);
    if (longest.length >= mostLongest && last !== undefined && last.durationMs >= run.durationMs) return;
    const at = longest.findIndex(({ durationMs }) => durationMs < run.durationMs);
    longest.splice(at < 0 ? longest.length : at, 0, run);
    if (longest.length > mostLongest) longest.pop();
  }
}

/** Keeps the runs of controllers, by the names of these. */
export class RunRecorder {
  readonly controllers: Named<ControllerMeter> = new Named(() => new ControllerMeter());

  listen(): Undo[] {
    const { controllers } = this;
    return [
      listen(channels.controllerRun, (message) => {
        // The message is a RunRecord: the channel's type leaves out what metrics do not need.
        const record = message as RunRecord;
        const error = record.error === undefined ? undefined : errorText(record.error);
        controllers.of(record.controller).add(error === undefined ? (record as RecordedRun) : { ...record, error });
      }),
      listen(channels.controllerSkip, ({ controller }) => void controllers.of(controller).skippedApplies++),
    ];
  }
}
