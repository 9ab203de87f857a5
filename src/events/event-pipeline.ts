import type { Abortable } from '../meta/objects.js';
import type { Occurrence } from './occurrence.js';

/** Turns occurrences into events of one API, and has them written. */
export interface EventPipeline {
  /** Counts the occurrence and queues a write if one is needed. Returns at once. */
  take(occurrence: Occurrence): void;
  /** Accepts no more; resolves when each waiting event was written, given up, or dropped because the signal aborted. */
  close(options?: Abortable): Promise<void>;
}
