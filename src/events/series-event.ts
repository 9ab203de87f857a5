import { hostname } from 'node:os';
import type { New } from '../meta/objects.js';
import type { ObjectReference } from '../resources/types/core-v1.js';
import type { Event } from '../resources/types/events-v1.js';
import { microTimestamp } from '../time/timestamps.js';
import { clusterEventNamespace } from './core-event.js';
import type { EventNames } from './event-names.js';
import type { Occurrence } from './occurrence.js';

/** An event of events.k8s.io/v1, with the fields that recorded ones always have. */
export interface SeriesEvent extends New<Event> {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Record<string, string>;
  };
  readonly regarding: ObjectReference;
  readonly type: string;
  readonly reason: string;
  readonly action: string;
}

/** The server rejects an event with a longer note. */
const noteLimit = 1024;

export function seriesEventOf(occurrence: Occurrence, names: EventNames): SeriesEvent {
  const { regarding, related, reporter, type, reason, message, action, annotations } = occurrence;
  return {
    metadata: {
      name: names.next(regarding.name ?? ''),
      namespace: regarding.namespace ?? clusterEventNamespace,
      ...(annotations !== undefined && { annotations: { ...annotations } }),
    },
    regarding,
    ...(related !== undefined && { related }),
    type,
    reason,
    action: action ?? reason,
    note: shortened(message),
    eventTime: microTimestamp(occurrence.at),
    reportingController: reporter.component,
    reportingInstance: `${reporter.component}-${reporter.host ?? hostname()}`,
  };
}

/** Events with the same key are one series. The resourceVersion of the objects is left out: it may change between repetitions. */
export function seriesKey(event: SeriesEvent): string {
  const { type, action, reason, reportingController, reportingInstance, regarding, related } = event;
  const parts = [type, action, reason, reportingController, reportingInstance];
  for (const { apiVersion, kind, namespace, name, uid, fieldPath } of [regarding, related ?? {}]) {
    parts.push(apiVersion, kind, namespace, name, uid, fieldPath);
  }
  return parts.join('\u0000');
}

function shortened(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= noteLimit) return message;
  const room = noteLimit - Buffer.byteLength('…');
  // A character that was cut in the middle decodes to U+FFFD.
  return `${bytes
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD+$/, '')}…`;
}
