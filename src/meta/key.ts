import { KubeflectError, ParseError } from './errors/errors.js';
import { describeValue } from './options/validate.js';

/** The namespace and name of an object, which identify it within its resource. */
export interface ObjectName {
  /** Absent or empty for cluster-scoped objects. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Thrown for an object that no key can be made for. */
export class KeyError extends KubeflectError {
  static {
    KeyError.prototype.name = 'KeyError';
  }

  readonly object: unknown;

  constructor(object: unknown, reason: string, options?: ErrorOptions) {
    super('KEY', `cannot make a key for ${describeValue(object)}: ${reason}`, options);
    this.object = object;
  }
}

/** `namespace/name`, or `name` without a namespace. */
export function formatKey(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** The key of an object in caches and queues: `namespace/name`, or `name` for cluster-scoped objects. */
export function objectKey(object: { readonly metadata: ObjectName }): string {
  const metadata = (object as { readonly metadata?: ObjectName } | null | undefined)?.metadata;
  if (typeof metadata !== 'object' || metadata === null) throw new KeyError(object, 'it has no metadata');
  return formatKey(metadata.namespace, metadata.name);
}

/**
 * The inverse of {@link objectKey}. The namespace is empty for cluster-scoped objects.
 *
 * @throws ParseError if there is more than one slash.
 */
export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/');
  if (slash < 0) return { namespace: '', name: key };
  const second = key.indexOf('/', slash + 1);
  if (second >= 0) throw new ParseError('key', key, second, "there is a second '/'; expected namespace/name or name");
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/**
 * A tombstone: stands for an object whose DELETED event was missed, and whose deletion a relist found. Its final state is
 * unknown; `object` is the last known state, if there is one, and may be stale.
 */
export class DeletedFinalStateUnknown<T> {
  readonly key: string;
  readonly object: T | undefined;

  constructor(key: string, object: T | undefined) {
    this.key = key;
    this.object = object;
  }
}
