/** What an informer knows about an item that it hands to a queue. */
export interface EnqueueHint {
  /** What happened, for logs and traces: `pods update`. */
  readonly cause: string;
  /** The initial list or a resync: work that may wait until what is new has been done. */
  readonly background: boolean;
}

/**
 * The key under which a queue takes an item together with an {@link EnqueueHint}. Informers look for it on whatever they
 * enqueue into, so that a queue of your own needs nothing but `add`.
 */
export const addWithHint: unique symbol = Symbol.for('kubeflect.addWithHint');
