import type { New } from '../meta/objects.js';
import type { Event } from '../resources/types/core-v1.js';
import { timestamp } from '../time/timestamps.js';
import type { EventNames } from './event-names.js';
import type { Occurrence } from './occurrence.js';

/** An event of core/v1, with the fields that recorded ones always have. */
export interface CoreEvent extends New<Event> {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Record<string, string>;
  };
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
}

/** The namespace of events about cluster-scoped objects. */
export const clusterEventNamespace = 'default';

export function coreEventOf(occurrence: Occurrence, names: EventNames): CoreEvent {
  const { regarding, related, reporter, type, reason, message, action, annotations } = occurrence;
  const at = timestamp(occurrence.at);
  return {
    metadata: {
      name: names.next(regarding.name ?? ''),
      namespace: regarding.namespace ?? clusterEventNamespace,
      ...(annotations !== undefined && { annotations: { ...annotations } }),
    },
    involvedObject: regarding,
    ...(related !== undefined && { related }),
    ...(action !== undefined && { action }),
    type,
    reason,
    message,
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
    source: { component: reporter.component, ...(reporter.host !== undefined && { host: reporter.host }) },
    reportingComponent: reporter.component,
    reportingInstance: reporter.host ?? '',
  };
}
