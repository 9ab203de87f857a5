import type { Abortable } from '../meta/objects.js';
import type { Occurrence } from './occurrence.js';

/** The way of what happened to one of the two APIs. */
export interface EventPipeline {
  /** Takes note of it, and returns at once. */
  take(occurrence: Occurrence): void;
  /** Takes nothing more; resolves when everything has been written, given up, or dropped because the signal aborted. */
  close(options?: Abortable): Promise<void>;
}
