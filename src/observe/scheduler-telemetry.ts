import { type DiagnosticsChannel, openChannel } from './diagnostics-channel.js';

interface FromScheduler {
  /** The task's name. */
  readonly task: string;
}

interface SchedulerOverrunMessage extends FromScheduler {
  readonly durationMs: number;
  readonly budgetMs: number;
}

interface SchedulerErrorMessage extends FromScheduler {
  readonly error: unknown;
}

export interface SchedulerChannels {
  /** One step of a task took longer than the slice of a whole turn. */
  readonly schedulerOverrun: DiagnosticsChannel<SchedulerOverrunMessage>;
  /** A task threw. */
  readonly schedulerError: DiagnosticsChannel<SchedulerErrorMessage>;
}

export const schedulerChannels: SchedulerChannels = {
  schedulerOverrun: openChannel('scheduler:overrun'),
  schedulerError: openChannel('scheduler:error'),
};
