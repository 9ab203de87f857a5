import type { Client } from '../../client/client.js';
import type { DeepReadonly, Unstructured } from '../../meta/objects.js';
import { escapeFieldValue } from '../../meta/selectors/field-selector.js';
import type { Event } from '../../resources/types/core-v1.js';

/** An event about an object. */
export interface ObjectEvent {
  /** When it was last seen, in ms since 1970; NaN if it is not known. */
  readonly at: number;
  readonly type: string;
  readonly reason: string;
  readonly count: number;
  readonly source: string;
  readonly message: string;
}

/** Where the events of an object are: the namespace, and a field selector. */
export function eventsOf({ kind, metadata }: DeepReadonly<Unstructured>): {
  readonly namespace: string;
  readonly fieldSelector: string;
} {
  // Events of objects without namespace are in `default`. The uid is not used: events of nodes have their name instead.
  const namespace = metadata.namespace ?? 'default';
  const name = escapeFieldValue(metadata.name);
  return { namespace, fieldSelector: `involvedObject.kind=${escapeFieldValue(kind)},involvedObject.name=${name}` };
}

/** The events about an object, the last one first. */
export async function readEvents(
  client: Client,
  object: DeepReadonly<Unstructured>,
  signal: AbortSignal,
): Promise<ObjectEvent[]> {
  const { namespace, fieldSelector } = eventsOf(object);
  const { items } = await client.core.v1.events(namespace).list({ fieldSelector, signal });
  return items.map(objectEvent).sort((a, b) => (b.at || 0) - (a.at || 0));
}

export function objectEvent(event: DeepReadonly<Event>): ObjectEvent {
  const { series, lastTimestamp, eventTime, firstTimestamp, metadata } = event;
  const time = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp;
  return {
    at: Date.parse(time ?? ''),
    type: event.type ?? '',
    reason: event.reason ?? '',
    count: series?.count ?? event.count ?? 1,
    source: event.reportingComponent || event.source?.component || '',
    message: event.message ?? '',
  };
}
