import type { InformerEvent } from '../../cache/informer/informer-event.js';
import type { Unstructured } from '../../meta/objects.js';

/** What a printer is told when the initial list of a resource is through. */
export interface SyncedFact {
  /** How many objects there were. */
  readonly count: number;
  readonly resourceVersion: string;
}

/** An object that is in the cache when everything ends. */
export interface FinalFact {
  readonly key: string;
  readonly resourceVersion: string;
}

/** One way to show what informers tell. The promises, where there are any, ask to wait: the reader is behind. */
export interface Printer {
  event(resource: string, event: InformerEvent<Unstructured>): Promise<void> | undefined;
  synced(resource: string, fact: SyncedFact): Promise<void> | undefined;
  /** Called for each object at the very end; a printer without it has nothing to say about them. */
  final?(resource: string, fact: FinalFact): Promise<void> | undefined;
}
