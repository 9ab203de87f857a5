import { KubeflectError } from '../meta/errors.js';
import { type GroupVersionResource, printResource } from '../meta/resource.js';
import { requireString } from '../meta/validate.js';
import type { InformerSource } from '../observe/channels.js';

/** Who an informer is, in metrics and messages. */
export interface InformerIdentity extends InformerSource {
  /**
   * Whether this identity is nobody else's. Only then may series be published under it: two informers that wrote to the
   * same series would make both worthless. Ask each time, for it ends with the name.
   */
  readonly isReserved: boolean;
}

/** An informer name is taken by somebody else in this process. */
export class InformerNameTakenError extends KubeflectError {
  static {
    InformerNameTakenError.prototype.name = 'InformerNameTakenError';
  }

  constructor(name: string) {
    super(
      'NAME_TAKEN',
      `the informer name ${JSON.stringify(name)} is taken in this process: choose another or release it`,
    );
  }
}

const taken = new Set<string>();

/**
 * A name for a set of informers that nobody else in this process has, usually that of a factory. Under it each resource
 * can be reserved once; a second informer of the same resource works all the same, but has no series of its own.
 *
 * @example
 * using name = new InformerName('my-controller');
 * name.identify(pods).isReserved;   // true; false for the next one
 */
export class InformerName implements Disposable {
  readonly name: string;
  readonly #resources = new Set<string>();
  #released = false;

  /** @throws InformerNameTakenError */
  constructor(name: string) {
    requireString('name', name);
    if (taken.has(name)) throw new InformerNameTakenError(name);
    taken.add(name);
    this.name = name;
  }

  /** The identity of an informer of this resource; reserved if it is the first one under this name. */
  identify(resource: GroupVersionResource): InformerIdentity {
    const id = printResource(resource);
    if (this.#released || this.#resources.has(id)) return anonymousIdentity(resource, this.name);
    this.#resources.add(id);
    const isHeld = (): boolean => !this.#released;
    return {
      ...sourceOf(resource, this.name),
      get isReserved() {
        return isHeld();
      },
    };
  }

  /** Gives the name back: its identities are reserved no longer, and somebody else can take it. Idempotent. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    taken.delete(this.name);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** The identity of an informer that nobody named, or that came second: it publishes nothing. */
export function anonymousIdentity(resource: GroupVersionResource, name = ''): InformerIdentity {
  return { ...sourceOf(resource, name), isReserved: false };
}

function sourceOf({ group, version, resource }: GroupVersionResource, name: string): InformerSource {
  return { name, group, version, resource };
}
