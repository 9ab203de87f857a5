/** What an informer knows about an item that it hands to a queue. */
export interface EnqueueHint {
  /** What happened, for logs and traces: `pods update`. */
  readonly cause: string;
  /** The initial list or a resync: work that may wait until what is new has been done. */
  readonly background: boolean;
}

/**
 * A queue that wants to know more than the item. Informers look for this method on whatever they enqueue into; a queue of
 * your own needs nothing but `add`.
 */
export interface HintedQueue<T> {
  addWithHint(item: T, hint: EnqueueHint): void;
}
