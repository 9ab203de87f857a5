// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of events-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { EventSource, ObjectReference } from './core-v1.js';

/** `events`, `ev` of `events.k8s.io/v1`, namespaced. */
export interface Event {
  apiVersion: 'events.k8s.io/v1';
  kind: 'Event';
  action?: string | undefined;
  deprecatedCount?: number | undefined;
  deprecatedFirstTimestamp?: string | undefined;
  deprecatedLastTimestamp?: string | undefined;
  deprecatedSource?: EventSource | undefined;
  eventTime: string;
  metadata: StoredObjectMeta;
  note?: string | undefined;
  reason?: string | undefined;
  regarding?: ObjectReference | undefined;
  related?: ObjectReference | undefined;
  reportingController?: string | undefined;
  reportingInstance?: string | undefined;
  series?: EventSeries | undefined;
  type?: string | undefined;
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
