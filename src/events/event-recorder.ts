import type { EventDetails, EventSubject } from './occurrence.js';

/**
 * Tells, in events that anybody can read with `kubectl describe` and `kubectl events`, what a controller did and met.
 *
 * Recording takes no time and never fails: the event is counted here and written later, by somebody else. What goes wrong
 * is told to the broadcaster's `onError`.
 */
export interface EventRecorder {
  /**
   * Records that something happened to an object. The same again only counts: no need to keep still about repetitions.
   *
   * @example
   * recorder.event(pod, { type: 'Warning', reason: 'FailedPull', message: `cannot pull ${image}` });
   */
  event(object: EventSubject, event: EventDetails): void;
}

/** Options of a recorder. */
export interface RecorderOptions {
  /** Who reports: the name of the controller. For events.k8s.io/v1 it must look like a label's key: `example.com/web`. */
  readonly component: string;
  /** The machine it runs on. @default none for core/v1, the machine's own name for events.k8s.io/v1 */
  readonly host?: string | undefined;
}
