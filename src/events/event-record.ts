/**
 * One event, from here to the server: what it says by now, and what the server knows of it. Whoever counts changes `event`
 * (by another object, never in place) and hands the record to the writer; several changes may become one request.
 */
export interface EventRecord<E> {
  event: E;
  /** Whether the server has it, in whatever state; unsure after an attempt of which nobody knows whether it arrived. */
  isStored: boolean | 'unsure';
  /** Whether it says something that the server has not been told. */
  isDirty: boolean;
  /** Whether it waits for its turn to be written. */
  isQueued: boolean;
  /** Attempts that have failed in a row. */
  failures: number;
}

export function newRecord<E>(event: E): EventRecord<E> {
  return { event, isStored: false, isDirty: true, isQueued: false, failures: 0 };
}
