import { type Client, KubeflectError, type KubernetesObject, type Lister, type Resource } from '../../index.js';
import { printGroupResource, printResource } from '../../meta/resource.js';
import type { CachePool } from '../caches.js';
import type { ControllerDefinition, WatchDefinition } from '../controller.js';
import type { PendingWrites } from './pending-writes.js';
import { UsedCache } from './used-cache.js';

/** The caches of one controller: of `for`, of each kind in `owns`, and of each watch. */
export class UsedCaches<T extends KubernetesObject> {
  readonly #pool: CachePool;
  readonly #client: Client;
  readonly #definition: ControllerDefinition<T>;
  /** By group and resource; those of `for` and `owns` first. */
  readonly #byResource = new Map<string, UsedCache<unknown>[]>();
  #count = 0;
  readonly #clusters = new WeakMap<Client, number>();
  #clusterCount = 0;
  readonly main: UsedCache<T>;
  /** In the order of `owns`. */
  readonly owned: readonly UsedCache<unknown>[];

  /** @param client the cluster of `for` and `owns` */
  constructor(pool: CachePool, client: Client, definition: ControllerDefinition<T>) {
    this.#pool = pool;
    this.#client = client;
    this.#definition = definition;
    const { for: resource, cache, owns } = definition;
    this.main = this.#open({ client, resource, cache }, false);
    this.owned = owns.map((one) => this.#open<unknown>({ client, resource: one }, true));
  }

  *[Symbol.iterator](): IterableIterator<UsedCache<unknown>> {
    for (const caches of this.#byResource.values()) yield* caches;
  }

  openWatch({ resource, options }: WatchDefinition<T>): UsedCache<unknown> {
    const { client = this.#client, metadataOnly, cache } = options;
    return this.#open({ client, resource, metadataOnly, cache }, false);
  }

  /** Gives a cache back; resolves when it has stopped, or at once if it is still used. */
  close(cache: UsedCache<unknown>): Promise<void> {
    const caches = this.#byResource.get(printGroupResource(cache.resource));
    caches?.splice(caches.indexOf(cache), 1);
    return cache.lease.release();
  }

  /** The caches of a resource, in any version: what is written to it arrives in each. */
  of(client: Client, resource: Resource<unknown>): readonly UsedCache<unknown>[] {
    const caches = this.#byResource.get(printGroupResource(resource)) ?? [];
    return caches.length === 0 || caches.every(({ lease }) => lease.client === client)
      ? caches
      : caches.filter(({ lease }) => lease.client === client);
  }

  /** Whether a cache of this cluster is in use. */
  uses(client: Client): boolean {
    return [...this].some(({ lease }) => lease.client === client);
  }

  /** A number for each cluster, to tell objects of one name apart. */
  numberOf(cluster: Client): number {
    let number = this.#clusters.get(cluster);
    if (number === undefined) this.#clusters.set(cluster, (number = this.#clusterCount++));
    return number;
  }

  /** @throws TypeError for a resource that the controller does not declare */
  lister<U>(resource: Resource<U>, client: Client = this.#client): Lister<U> {
    return this.#declared(resource, client).lister as Lister<U>;
  }

  /**
   * The lister for a run with these writes before it. The run has not waited for a cache of another cluster that is behind.
   *
   * @throws TypeError for a resource that the controller does not declare
   * @throws CacheBehindError if a cache of another cluster has not synced, or does not have a write of the runs before
   */
  readableLister<U>(resource: Resource<U>, client: Client | undefined, writes: PendingWrites): Lister<U> {
    const cache = this.#declared(resource, client ?? this.#client);
    if (cache.isElsewhere && (!cache.lease.informer.hasSynced || writes.isBehind(cache)))
      throw new CacheBehindError(cache);
    return cache.lister as Lister<U>;
  }

  #declared(resource: Resource<unknown>, client: Client): UsedCache<unknown> {
    const cache = this.of(client, resource).find((one) => one.resource.version === resource.version);
    if (cache === undefined)
      throw new TypeError(
        `the controller ${this.#definition.name} has no cache of ${printResource(resource)}: add it to owns or watches`,
      );
    return cache;
  }

  /** @throws TypeError for a resource that is not in `owns` */
  ownedCache<U>(resource: Resource<U>): UsedCache<U> {
    const name = printGroupResource(resource);
    const cache = this.owned.find((one) => printGroupResource(one.resource) === name);
    if (cache === undefined)
      throw new TypeError(`the controller ${this.#definition.name} does not own ${name}: add it to owns`);
    return cache as UsedCache<U>;
  }

  #open<U>(request: Parameters<CachePool['acquire']>[0] & { readonly resource: Resource<U> }, byOwner: boolean) {
    const isElsewhere = request.client !== this.#client;
    const cache = new UsedCache(this.#pool.acquire<U>(request), this.#count++, { byOwner, isElsewhere });
    const name = printGroupResource(request.resource);
    const caches = this.#byResource.get(name);
    if (caches === undefined) this.#byResource.set(name, [cache]);
    else caches.push(cache);
    return cache;
  }
}

/** A run cannot read the cache of another cluster now. */
class CacheBehindError extends KubeflectError {
  static {
    CacheBehindError.prototype.name = 'CacheBehindError';
  }

  constructor({ resource, lease: { client, informer } }: UsedCache<unknown>) {
    const what = informer.hasSynced ? 'does not have the writes of the runs before' : 'has not synced';
    const why = informer.status.lastError === undefined ? '' : `, last error: ${informer.status.lastError.message}`;
    super(
      'CACHE_BEHIND',
      `the cache of ${printGroupResource(resource)} of ${client.rest.host} ${what} (${informer.status.state}${why}): ` +
        'let the run fail, and it is repeated',
    );
  }
}
