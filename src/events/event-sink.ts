import type { PatchOptions, WriteOptions } from '../client/options.js';
import type { DeepReadonly, MergePatch, New } from '../meta/objects.js';
import type { Event, ObjectReference } from '../resources/types/core-v1.js';
import type { Event as EventsEvent } from '../resources/types/events-v1.js';
import type { Clock } from '../time/clock.js';
import type { CoreEvent } from './core-event.js';
import type { SeriesEvent } from './series-event.js';

/** The methods of a client that write events of one API. */
interface EventWrites<E> {
  create(event: DeepReadonly<New<E>>, options?: WriteOptions): Promise<unknown>;
  patch(name: string, patch: MergePatch<E>, options?: PatchOptions): Promise<unknown>;
}

/** The part of a `Client` that writes events. */
export interface EventClient {
  readonly clock?: Clock | undefined;
  readonly core: { readonly v1: { events(namespace: string): EventWrites<Event> } };
  readonly events: { readonly v1: { events(namespace: string): EventWrites<EventsEvent> } };
}

/** Writes events of one API. */
export interface EventSink<E> {
  create(event: E, signal: AbortSignal): Promise<unknown>;
  /** Updates the fields of a stored event that repetitions change. */
  patch(event: E, signal: AbortSignal): Promise<unknown>;
  subjectOf(event: E): ObjectReference;
}

/** Events of core/v1: a patch has `count`, `lastTimestamp` and `message`. */
export function coreSink(client: EventClient): EventSink<CoreEvent> {
  return {
    create: (event, signal) => client.core.v1.events(event.metadata.namespace).create(event, { signal }),
    patch(event, signal) {
      const { metadata, count, lastTimestamp, message } = event;
      const patch = { count, lastTimestamp, message };
      return client.core.v1.events(metadata.namespace).patch(metadata.name, patch, { type: 'strategic', signal });
    },
    subjectOf: (event) => event.involvedObject,
  };
}

/** Events of events.k8s.io/v1: a patch has `series`, the only field that may change. */
export function seriesSink(client: EventClient): EventSink<SeriesEvent> {
  return {
    create: (event, signal) => client.events.v1.events(event.metadata.namespace).create(event, { signal }),
    async patch({ metadata, series }, signal) {
      if (series === undefined) return;
      const events = client.events.v1.events(metadata.namespace);
      await events.patch(metadata.name, { series }, { type: 'strategic', signal });
    },
    subjectOf: (event) => event.regarding,
  };
}
