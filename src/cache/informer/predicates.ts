import type { DeepReadonly, LabelSelector } from '../../meta/objects.js';
import { toLabelSelector } from '../../meta/selectors/label-selector.js';
import type { InformerEvent } from './informer-event.js';

/** A filter of events: returns whether the handler gets the event. */
export type EventPredicate = (event: InformerEvent<unknown>) => boolean;

/**
 * Passes updates that changed `metadata.generation`, which the server increments with the spec, and all additions and deletions.
 * It passes no update of a kind without a generation (ConfigMap, Secret, …): use {@link resourceVersionChanged} there.
 */
export const generationChanged: EventPredicate = (event) =>
  event.type !== 'update' || event.facts.generation !== event.oldFacts.generation;

/** Passes updates that changed the object: no resync, and no relist that found it unchanged. */
export const resourceVersionChanged: EventPredicate = (event) => event.type !== 'update' || !event.isResync;

/** Passes updates that changed a label. */
export const labelsChanged: EventPredicate = (event) =>
  event.type !== 'update' || !sameRecord(event.facts.labels, event.oldFacts.labels);

/** Passes updates that changed an annotation. The only predicate here that parses the object. */
export const annotationsChanged: EventPredicate = (event) =>
  event.type !== 'update' || !sameRecord(annotationsOf(event.object), annotationsOf(event.old));

/** Passes events of objects that match the selector. */
export function matchesLabels(selector: string | LabelSelector): EventPredicate {
  const parsed = toLabelSelector(selector);
  return (event) => parsed.matches(event.facts.labels);
}

const none: Readonly<Record<string, string>> = Object.freeze({});

function annotationsOf(object: DeepReadonly<unknown>): Readonly<Record<string, string>> {
  const { metadata } = object as { readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> } };
  return metadata?.annotations ?? none;
}

function sameRecord(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name]);
}
