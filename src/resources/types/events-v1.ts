// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of events-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { EventSource, ObjectReference } from './core-v1.js';

/** `events`, `ev` of `events.k8s.io/v1`, in a namespace. */
export interface Event {
  apiVersion: 'events.k8s.io/v1';
  kind: 'Event';
  action?: string;
  deprecatedCount?: number;
  deprecatedFirstTimestamp?: string;
  deprecatedLastTimestamp?: string;
  deprecatedSource?: EventSource;
  eventTime: string;
  metadata: StoredObjectMeta;
  note?: string;
  reason?: string;
  regarding?: ObjectReference;
  related?: ObjectReference;
  reportingController?: string;
  reportingInstance?: string;
  series?: EventSeries;
  type?: string;
}

/** A list of {@link Event}. */
export interface EventList {
  apiVersion: 'events.k8s.io/v1';
  kind: 'EventList';
  items: Event[];
  metadata: ListMeta;
}

/** Part of `events.k8s.io/v1`. */
export interface EventSeries {
  count: number;
  lastObservedTime: string;
}
