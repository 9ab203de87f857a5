/**
 * One event and the state of writing it. `event` is replaced by a new object when it is counted, never changed in place; the
 * writer may send several changes in one request.
 */
export interface EventRecord<E> {
  event: E;
  /** Whether the server has the event; `unsure` after a create without a response. */
  isStored: boolean | 'unsure';
  /** Whether it has changes that were not written. */
  isDirty: boolean;
  /** Whether it is in the writer's queue. */
  isQueued: boolean;
  /** Failed attempts in a row. */
  failures: number;
}

export function newRecord<E>(event: E): EventRecord<E> {
  return { event, isStored: false, isDirty: true, isQueued: false, failures: 0 };
}
