import type { EventDetails, EventSubject } from './occurrence.js';

/**
 * Records what a controller did, as Kubernetes events, which `kubectl describe` and `kubectl events` show.
 *
 * Recording does not wait and never throws: the event is counted here and written later. `onError` of the broadcaster is called
 * with what goes wrong.
 */
export interface EventRecorder {
  /**
   * Records an event about an object. Repetitions are counted on the same event, so there is no need to suppress them.
   *
   * @example
   * recorder.event(pod, { type: 'Warning', reason: 'FailedPull', message: `cannot pull ${image}` });
   */
  event(object: EventSubject, event: EventDetails): void;
}

/** Options of a recorder. */
export interface RecorderOptions {
  /** The name of the controller. For events.k8s.io/v1 it must have the form of a label key: `example.com/web`. */
  readonly component: string;
  /** The host it runs on. @default none for core/v1, the host name of this machine for events.k8s.io/v1 */
  readonly host?: string | undefined;
}
