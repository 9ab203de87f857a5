import type { CoreEvent } from './core-event.js';

/** Does not occur in names, reasons and messages. */
const separator = '\u0000';

/** Events with the same key share a rate limit: one reporter, one object, one type. */
export function spamKey(event: CoreEvent): string {
  return [...sourceAndObject(event), event.type].join(separator);
}

/** Events with the same key are similar: only message and `fieldPath` may differ. */
export function similarityKey(event: CoreEvent): string {
  return similarity(event).join(separator);
}

/** Events with the same key are repetitions of one event. */
export function eventKey(event: CoreEvent): string {
  return [...similarity(event), event.involvedObject.fieldPath, event.message].join(separator);
}

function similarity(event: CoreEvent): (string | undefined)[] {
  const { type, reason, reportingComponent, reportingInstance } = event;
  return [...sourceAndObject(event), type, reason, reportingComponent, reportingInstance];
}

function sourceAndObject({ source, involvedObject }: CoreEvent): (string | undefined)[] {
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  return [source?.component, source?.host, kind, namespace, name, uid, apiVersion];
}
