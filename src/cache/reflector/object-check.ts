import type { Accessor } from '../../meta/accessor.js';
import { KubeflectError } from '../../meta/errors/errors.js';
import { messageOf } from '../../rest/http/request-errors.js';

/** An object, event or list is not of the requested kind. */
export class UnexpectedObjectError extends KubeflectError {
  static {
    UnexpectedObjectError.prototype.name = 'UnexpectedObjectError';
  }

  constructor(message: string, options?: ErrorOptions) {
    super('UNEXPECTED_OBJECT', message, options);
  }
}

/** An object cannot be read. The cache keeps the last version that could be read, until the object is deleted. */
export class UnreadableObjectError extends KubeflectError {
  static {
    UnreadableObjectError.prototype.name = 'UnreadableObjectError';
  }

  /** Undefined if the key cannot be read either. */
  readonly key: string | undefined;

  constructor(what: string, key: string | undefined, cause: unknown) {
    const named = key === undefined ? 'without a key' : JSON.stringify(key);
    super('UNREADABLE_OBJECT', `an object of ${what} (${named}) cannot be read: ${messageOf(cause)}; it is left out`, {
      cause,
    });
    this.key = key;
  }
}

/** What {@link whyUnexpected} checks an object against. */
export interface Expectation<T> {
  /** Names the collection in messages. */
  readonly what: string;
  readonly accessor: Accessor<T>;
  /** Undefined accepts every kind but a Table. */
  readonly expected: { readonly apiVersion: string; readonly kind: string } | undefined;
}

/** Why an object is left out: it is of another kind, or cannot be read. Undefined if it is accepted. */
export function whyUnexpected<T>(
  object: T,
  { what, accessor, expected }: Expectation<T>,
): UnexpectedObjectError | UnreadableObjectError | undefined {
  try {
    const unreadable = accessor.unreadable?.(object);
    if (unreadable !== undefined) return new UnreadableObjectError(what, keyIfAny(accessor, object), unreadable);
    const kind = accessor.kind(object);
    if (isTable(kind, accessor.apiVersion(object)))
      return new UnexpectedObjectError(`expected ${what} and got a table; it is left out`);
    if (expected !== undefined && (kind !== expected.kind || accessor.apiVersion(object) !== expected.apiVersion)) {
      const got = `${accessor.apiVersion(object)} ${kind}`;
      return new UnexpectedObjectError(`expected ${what} and got ${got}; it is left out`);
    }
    accessor.key(object);
    return undefined;
  } catch (cause) {
    return new UnreadableObjectError(what, keyIfAny(accessor, object), cause);
  }
}

/** Whether an object or list is a `meta.k8s.io` Table, which servers send to clients that print. */
export function isTable(kind: string, apiVersion: string): boolean {
  return kind === 'Table' && apiVersion.startsWith('meta.k8s.io/');
}

function keyIfAny<T>(accessor: Accessor<T>, object: T): string | undefined {
  try {
    return accessor.key(object);
  } catch {
    return undefined;
  }
}
