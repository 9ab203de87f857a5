import { KubeflectError } from '../meta/errors/errors.js';
import { formatKey } from '../meta/key.js';
import type { DeepReadonly } from '../meta/objects.js';
import { describeValue } from '../meta/options/validate.js';
import type { ObjectReference } from '../resources/types/core-v1.js';

/** An object as clients and caches return it. */
interface ReferableObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: {
    readonly name?: string | undefined;
    readonly namespace?: string | undefined;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
}

/** What an event is about: an object, or a reference to one, which may have a `fieldPath`. */
export type EventSubject = ReferableObject | DeepReadonly<ObjectReference>;

/** The content of an event. */
export interface EventDetails {
  readonly type: 'Normal' | 'Warning';
  /** Why it happened, in one CamelCase word for programs: `FailedPull`. Up to 128 characters. */
  readonly reason: string;
  /** What happened, in a sentence for people. */
  readonly message: string;
  /** What was done or attempted: `Binding`. @default the reason for events.k8s.io/v1, which requires an action; none for v1 */
  readonly action?: string | undefined;
  /** A second object that is involved. */
  readonly related?: EventSubject | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** One call of `recorder.event()`, before it becomes an event of core/v1 or events.k8s.io/v1. */
export interface Occurrence extends Omit<EventDetails, 'related'> {
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference | undefined;
  readonly reporter: {
    /** The controller that records, such as `example.com/web`. */
    readonly component: string;
    /** The host it runs on; undefined if not known. */
    readonly host: string | undefined;
  };
  /** In ms since 1970. */
  readonly at: number;
}

/** `recorder.event()` was called with values that the server would reject. */
export class InvalidEventError extends KubeflectError {
  static {
    InvalidEventError.prototype.name = 'InvalidEventError';
  }

  constructor(message: string) {
    super('INVALID_EVENT', message);
  }
}

const eventTypes: readonly unknown[] = ['Normal', 'Warning'];

/**
 * Checks the arguments of `recorder.event()`.
 *
 * @throws InvalidEventError if a field is missing or wrong and the server would reject the event
 */
export function occurrenceOf(
  subject: EventSubject,
  details: EventDetails,
  reporter: Occurrence['reporter'],
  at: number,
): Occurrence {
  const regarding = referenceTo(subject);
  const { type, reason, message, related, ...rest } = details;
  const what = `an event about ${describeReference(regarding)}`;
  if (!eventTypes.includes(type)) {
    throw new InvalidEventError(`the type of ${what} must be 'Normal' or 'Warning', got ${describeValue(type)}`);
  }
  if (typeof reason !== 'string' || reason === '') {
    throw new InvalidEventError(`${what} needs a reason, got ${describeValue(reason)}`);
  }
  if (typeof message !== 'string') {
    throw new InvalidEventError(`${what} needs a message, got ${describeValue(message)}`);
  }
  const occurrence: Occurrence = { ...rest, type, reason, message, regarding, reporter, at };
  return related === undefined ? occurrence : { ...occurrence, related: referenceTo(related) };
}

/** Kind and key, for messages: `Pod default/web-0`. */
export function describeReference(reference: ObjectReference): string {
  return `${reference.kind} ${formatKey(reference.namespace, reference.name ?? '')}`;
}

function referenceTo(subject: EventSubject): ObjectReference {
  if (typeof subject !== 'object' || subject === null) {
    throw new InvalidEventError(`an event must be about an object, got ${describeValue(subject)}`);
  }
  const isObject = 'metadata' in subject;
  const { name, namespace, uid, resourceVersion } = (isObject ? subject.metadata : subject) as ObjectReference;
  const { apiVersion, kind } = subject;
  if (!kind || !name || (isObject && !apiVersion)) {
    throw new InvalidEventError(
      `an event must be about something with ${isObject ? 'apiVersion, ' : ''}kind and name, ` +
        `got ${describeValue(apiVersion)}, ${describeValue(kind)}, ${describeValue(name)}`,
    );
  }
  const reference: ObjectReference = { kind, name };
  if (apiVersion) reference.apiVersion = apiVersion;
  if (namespace) reference.namespace = namespace;
  if (uid) reference.uid = uid;
  if (resourceVersion) reference.resourceVersion = resourceVersion;
  if (!isObject && subject.fieldPath) reference.fieldPath = subject.fieldPath;
  return reference;
}
