import { KubeflectError } from '../meta/errors.js';
import { formatKey } from '../meta/key.js';
import type { DeepReadonly } from '../meta/objects.js';
import { describeValue } from '../meta/validate.js';
import type { ObjectReference } from '../resources/types/core-v1.js';

/** An object as clients and caches hand it out. */
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

/** What an event is about: an object, or a reference where only that is known or a `fieldPath` is to be named. */
export type EventSubject = ReferableObject | DeepReadonly<ObjectReference>;

/** What happened. */
export interface EventDetails {
  readonly type: 'Normal' | 'Warning';
  /** Why, in one word for machines: `FailedPull`. Up to 128 characters. */
  readonly reason: string;
  /** What, in a sentence for people. */
  readonly message: string;
  /** What was done or tried: `Binding`. @default the reason, where the API demands an action; else none */
  readonly action?: string | undefined;
  /** A second object that has to do with it. */
  readonly related?: EventSubject | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** Something that happened to an object, before it becomes an event of one API or the other. */
export interface Occurrence extends Omit<EventDetails, 'related'> {
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference | undefined;
  readonly reporter: {
    /** The controller that records, such as `example.com/web`. */
    readonly component: string;
    /** The machine it runs on; undefined if not known. */
    readonly host: string | undefined;
  };
  /** In ms since 1970. */
  readonly at: number;
}

/** Something was to be recorded that no event can be made of. */
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
 * Puts together what was told to a recorder.
 *
 * @throws InvalidEventError when something is missing without which the server would refuse it
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

/** Kind and key, as people read them: `Pod default/web-0`. */
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
