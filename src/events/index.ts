/** `kubeflect/events`: records Kubernetes events about objects. */
export { EventBroadcaster, type EventBroadcasterOptions } from './broadcaster.js';
export type { CorrelationOptions } from './correlator.js';
export { EventNotRecordedError } from './event-writer.js';
export { type EventDetails, type EventSubject, InvalidEventError, type Occurrence } from './occurrence.js';
export type { EventRecorder, RecorderOptions } from './recorder.js';
export type { SeriesOptions } from './series.js';
export type { EventClient, EventWrites } from './sink.js';
