import { type CacheEntry, compareResourceVersions, type Index, type Lister, mutableCopy } from '../../index.js';
import { valueAt } from '../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { Resource } from '../../meta/resource.js';
import { type ParsedFieldSelector, parseFieldSelector } from '../../meta/selectors/field-selector.js';
import { toLabelSelector } from '../../meta/selectors/label-selector.js';
import type { CacheLease } from '../caches.js';

/** The metadata that decides whether a cache holds an object. */
interface Selectable {
  readonly metadata: {
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
}

/** A write that a cache did not have in time. */
export interface MissedWrite {
  /** Whether the cache has it now. */
  isSeen(): boolean;
}

/** A cache as one controller uses it: what it holds, how far it is, and which keys wait for it. */
export class UsedCache<U> {
  readonly lease: CacheLease<U>;
  /** Identifies it in maps of its controller. */
  readonly number: number;
  /** Keys of the controller that wait for an object of this cache, by the key of that object. */
  readonly waiting: Map<string, Set<string>> = new Map();
  readonly ownerIndex: Index<U> | undefined;
  /** Whether it is of another cluster than the controller's objects: runs wait for it a short time only. */
  readonly isElsewhere: boolean;
  /** A write that the cache did not have in time; see {@link PendingWrites.settle}. */
  missed: MissedWrite | undefined;
  readonly #namespaces: ReadonlySet<string> | undefined;
  readonly #labels: ReturnType<typeof toLabelSelector>;
  readonly #fields: ParsedFieldSelector | undefined;

  constructor(
    lease: CacheLease<U>,
    number: number,
    options: { readonly byOwner: boolean; readonly isElsewhere: boolean },
  ) {
    this.lease = lease;
    this.number = number;
    this.isElsewhere = options.isElsewhere;
    this.ownerIndex = options.byOwner ? lease.ownerIndex() : undefined;
    const { namespace, labelSelector, fieldSelector } = lease.options;
    const namespaces = typeof namespace === 'string' ? [namespace].filter((name) => name !== '') : (namespace ?? []);
    this.#namespaces = namespaces.length === 0 || lease.resource.namespaced === false ? undefined : new Set(namespaces);
    this.#labels = toLabelSelector(labelSelector);
    this.#fields = fieldSelector === undefined ? undefined : parseFieldSelector(fieldSelector);
  }

  get resource(): Resource<U> {
    return this.lease.resource;
  }

  get lister(): Lister<U> {
    return this.lease.informer.lister;
  }

  entry(key: string): CacheEntry<U> | undefined {
    return this.lister.entry(key);
  }

  /** An object that the caller may change. An entry of a cache of bytes parses its own; a cache of objects hands out the stored one. */
  copyOf(entry: CacheEntry<U>): U {
    return this.lease.options.storage === 'objects' ? mutableCopy<U>(entry.object) : (entry.object as U);
  }

  /** Whether the cache is so far behind that runs do not wait for it: it still has not the write that it did not have in time. */
  get isLate(): boolean {
    if (this.missed?.isSeen() === true) this.missed = undefined;
    return this.missed !== undefined;
  }

  /** Whether the cache will have this object, or has an object of this key that its watch removes. */
  concerns(key: string, object: Selectable): boolean {
    return this.#selects(object) || this.entry(key) !== undefined;
  }

  #selects(object: Selectable): boolean {
    const { namespace = '', labels = {} } = object.metadata;
    if (this.#namespaces !== undefined && !this.#namespaces.has(namespace)) return false;
    if (!this.#labels.matches(labels)) return false;
    return this.#fields?.matches((field) => fieldOf(object as unknown as JsonObject, field)) ?? true;
  }

  /**
   * Whether all changes up to the version are in the cache. A cache of several namespaces has one watch for each and the newest
   * version of all, which says nothing of the others.
   */
  hasReached(version: string): boolean {
    return (this.#namespaces?.size ?? 1) === 1 && isAtLeast(this.lease.informer.resourceVersion, version);
  }
}

/** Whether a version is the other one or newer. */
export function isAtLeast(version: string, other: string): boolean {
  return version !== '' && (compareResourceVersions(version, other) ?? -1) >= 0;
}

/** A field as a field selector sees it: text, empty if it is missing. */
function fieldOf(object: JsonObject, field: string): string {
  const value = isJsonObject(object) ? valueAt(object, field.split('.')) : undefined;
  return value === undefined || value === null ? '' : String(value);
}
