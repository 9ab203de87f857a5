/** Events: what controllers tell about objects. */
export { type EventApi, EventBroadcaster, type EventBroadcasterOptions } from './broadcaster.js';
export type { CorrelationOptions } from './correlator.js';
export { EventNotRecordedError } from './event-writer.js';
export {
  type EventDetails,
  type EventReporter,
  type EventSubject,
  type EventType,
  InvalidEventError,
  type Occurrence,
  type ReferableObject,
} from './occurrence.js';
export type { EventRecorder, RecorderOptions } from './recorder.js';
export type { SeriesOptions } from './series.js';
export type { EventClient, EventWrites } from './sink.js';
