/** `kubeflect/events`: records Kubernetes events about objects. */
export { EventBroadcaster, type EventBroadcasterOptions } from './event-broadcaster.js';
export type { CorrelationOptions } from './event-correlator.js';
export type { EventRecorder, RecorderOptions } from './event-recorder.js';
export type { EventClient } from './event-sink.js';
export { EventNotRecordedError } from './event-writer.js';
export { type EventDetails, type EventSubject, InvalidEventError, type Occurrence } from './occurrence.js';
export type { SeriesOptions } from './series-pipeline.js';
