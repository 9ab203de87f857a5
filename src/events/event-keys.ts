import type { CoreEvent } from './core-event.js';

/** No name, reason or message has this character in it. */
const separator = '\u0000';

/** Whose events are held back together when there are too many: one reporter, one object, one type. */
export function spamKey(event: CoreEvent): string {
  return [...sourceAndObject(event), event.type].join(separator);
}

/** Which events are similar: all is the same but the message and the part of the object. */
export function similarityKey(event: CoreEvent): string {
  return similarity(event).join(separator);
}

/** Which events are the same one happening again. */
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
