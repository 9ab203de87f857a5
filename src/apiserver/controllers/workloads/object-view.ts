import type { KubernetesObject } from '../../../meta/objects.js';
import type { ApiResource } from '../../resources/registry.js';
import { keyOf, type Revision } from '../../storage/storage.js';

const NOTHING: ReadonlySet<string> = new Set();

/**
 * The objects of one resource as the controllers read them: each state is parsed at most once, and objects are found by the
 * uid of their controller. It follows the storage within each commit, so that it is never behind. Callers must not change
 * what they get.
 */
export class ObjectView<T extends KubernetesObject> {
  readonly resource: ApiResource;
  readonly #parsed = new Map<string, { readonly revision: Revision; readonly object: T }>();
  /** The uid of the controller of each object; empty for an orphan. */
  readonly #ownerOf = new Map<string, string>();
  readonly #byOwner = new Map<string, Set<string>>();
  /** Objects without a controller, by namespace. */
  readonly #orphans = new Map<string, Set<string>>();

  constructor(resource: ApiResource) {
    this.resource = resource;
  }

  /** Follows a commit of the resource. */
  note(revision: Revision): void {
    const { key, namespace } = revision;
    const before = this.#ownerOf.get(key);
    if (revision.type === 'DELETED') {
      this.#parsed.delete(key);
      this.#ownerOf.delete(key);
      if (before !== undefined) this.#drop(before, namespace, key);
      return;
    }
    const owner = controllerOf(revision)?.uid ?? '';
    if (owner === before) return;
    if (before !== undefined) this.#drop(before, namespace, key);
    this.#ownerOf.set(key, owner);
    const index = owner === '' ? this.#orphans : this.#byOwner;
    const group = owner === '' ? namespace : owner;
    const keys = index.get(group);
    if (keys === undefined) index.set(group, new Set([key]));
    else keys.add(key);
  }

  get(key: string): T | undefined {
    const revision = this.resource.collection.get(key);
    return revision && this.parse(revision);
  }

  find(namespace: string, name: string): T | undefined {
    return this.get(keyOf(namespace, name));
  }

  /** All objects in the order of their keys, or those of one namespace. */
  list(namespace?: string): T[] {
    const objects: T[] = [];
    const prefix = namespace === undefined ? '' : keyOf(namespace, '');
    this.resource.collection.scan(Number.POSITIVE_INFINITY, prefix, '', (revision) => {
      objects.push(this.parse(revision));
      return true;
    });
    return objects;
  }

  /** The keys of the objects whose controller has this uid. */
  keysOwnedBy(uid: string): ReadonlySet<string> {
    return this.#byOwner.get(uid) ?? NOTHING;
  }

  ownedBy(uid: string): T[] {
    return this.#all(this.keysOwnedBy(uid));
  }

  /** The objects of a namespace that have no controller. */
  orphans(namespace: string): T[] {
    return this.#all(this.#orphans.get(namespace) ?? NOTHING);
  }

  /** The object of a present state. */
  parse(revision: Revision): T {
    const known = this.#parsed.get(revision.key);
    if (known?.revision === revision) return known.object;
    const object = revision.decode() as unknown as T;
    if (revision.type !== 'DELETED') this.#parsed.set(revision.key, { revision, object });
    return object;
  }

  #all(keys: ReadonlySet<string>): T[] {
    const objects: T[] = [];
    for (const key of keys) {
      const object = this.get(key);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  #drop(owner: string, namespace: string, key: string): void {
    const index = owner === '' ? this.#orphans : this.#byOwner;
    const group = owner === '' ? namespace : owner;
    const keys = index.get(group);
    keys?.delete(key);
    if (keys?.size === 0) index.delete(group);
  }
}

/** The reference to the owner that manages an object. */
export function controllerOf({ owners }: Revision): Revision['owners'][number] | undefined {
  return owners.find((owner) => owner.controller === true);
}
