import type { InformerEvent } from '../../cache/informer/informer-event.js';
import type { Unstructured } from '../../meta/objects.js';

/** Passed to a printer when all objects of the initial list have been printed. */
export interface SyncedFact {
  /** The number of objects in the initial list. */
  readonly count: number;
  readonly resourceVersion: string;
}

/** An object that is in the cache when the command ends. */
export interface FinalFact {
  readonly key: string;
  readonly resourceVersion: string;
}

/** One output format of `kubeflect watch`. A returned promise asks to wait, because the stream's buffer is full. */
export interface Printer {
  event(resource: string, event: InformerEvent<Unstructured>): Promise<void> | undefined;
  synced(resource: string, fact: SyncedFact): Promise<void> | undefined;
  /** Called at the end for each object that is left. */
  final?(resource: string, fact: FinalFact): Promise<void> | undefined;
}
