import type { Flow, WatchSink } from '../../codec/watch-source.js';
import type { WatchParameters } from '../../meta/options/parameters.js';
import { ConnectionLostError } from '../../rest/http/request-errors.js';
import { SilenceWatch } from '../../rest/http/silence.js';
import type { Clock } from '../../time/clock.js';
import type { ListerWatcher } from './list-watch.js';

/** A watch received nothing for `traits.silenceMs`: its connection is dead, or the collection did not change. */
export class SilentWatchError extends ConnectionLostError {
  static {
    SilentWatchError.prototype.name = 'SilentWatchError';
  }

  /** Whether the server had answered the watch request. */
  readonly answered: boolean;

  constructor(what: string, silentMs: number, answered: boolean) {
    const state = answered ? 'has been silent' : 'was not answered';
    super(`the watch of ${what} ${state} for ${Math.round(silentMs)} ms: it is reopened`, { silent: true });
    this.answered = answered;
  }
}

/** What {@link openWatch} needs to notice silence. */
export interface SilenceOptions {
  readonly clock: Clock;
  /** Names the watch in the error. */
  readonly what: string;
  /** Called with the error; has to abort the watch. */
  readonly onSilent: (error: SilentWatchError) => void;
}

/**
 * Opens a watch and reports if nothing is received for `traits.silenceMs`. While the sink pauses the flow, nothing counts
 * as silence. A source whose `open` throws has failed like one whose server refused the watch: `done` rejects.
 */
export function openWatch<T>(
  source: ListerWatcher<T>,
  options: WatchParameters,
  sink: WatchSink<T>,
  signal: AbortSignal,
  { clock, what, onSilent }: SilenceOptions,
): Flow<void> {
  let batches = 0;
  let isPaused = false;
  const counting: WatchSink<T> = {
    batch: (events) => {
      batches++;
      isPaused = !sink.batch(events);
      return !isPaused;
    },
  };
  let flow: Flow<void>;
  try {
    flow = source.open(options, counting, signal);
  } catch (error) {
    flow = { resume() {}, done: Promise.reject(error) };
  }
  const silence = new SilenceWatch(
    clock,
    () => source.traits.silenceMs,
    // `received` counts bytes before they are decoded: a large event may take long.
    () => (isPaused ? ++batches : batches) + (flow.received ?? 0),
    (silentMs) => onSilent(new SilentWatchError(what, silentMs, batches > 0 || flow.received !== 0)),
  );
  return {
    resume: () => {
      isPaused = false;
      flow.resume();
    },
    done: flow.done.finally(() => silence.stop()),
    get received() {
      return flow.received;
    },
  };
}
