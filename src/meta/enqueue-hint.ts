/** What an informer tells a queue about an item that it adds. */
export interface EnqueueHint {
  /** The event, for logs and traces: `pods update`. */
  readonly cause: string;
  /** Whether the item comes from the initial list or a resync: a priority queue processes new changes first. */
  readonly background: boolean;
}

/** A queue that takes a hint with each item. Informers call this method if a queue has it, and `add` otherwise. */
export interface HintedQueue<T> {
  addWithHint(item: T, hint: EnqueueHint): void;
}
