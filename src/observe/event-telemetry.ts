import { type DiagnosticsChannel, openChannel } from './diagnostics-channel.js';

interface EventRecordMessage {
  readonly outcome: 'created' | 'patched' | 'dropped' | 'failed';
  readonly type: string;
  readonly reason: string;
  /** Kind and key of the object that the event is about. */
  readonly regarding: string;
  readonly error?: unknown;
}

export interface EventChannels {
  /** A recorded event was written, dropped, or given up. */
  readonly eventRecord: DiagnosticsChannel<EventRecordMessage>;
}

export const eventChannels: EventChannels = { eventRecord: openChannel('event:record') };
