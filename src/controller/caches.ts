import {
  byOwnerUid,
  type Client,
  type Index,
  type InformerErrorHandler,
  type Resource,
  type SharedIndexInformer,
  SharedInformerFactory,
} from '../index.js';
import { printGroupResource, printResource } from '../meta/resource.js';
import type { CacheOptions } from './types.js';

/** Which cache is wanted. */
export interface CacheRequest<U> {
  readonly client: Client;
  readonly resource: Resource<U>;
  /** @default false */
  readonly metadataOnly?: boolean | undefined;
  /** A cache of its own. @default the shared one of this resource */
  readonly cache?: CacheOptions | undefined;
}

/** A cache that is in use. */
export interface CacheLease<U> {
  readonly client: Client;
  readonly resource: Resource<U>;
  readonly informer: SharedIndexInformer<U>;
  /** The options that decide which objects it holds. */
  readonly options: CacheOptions;
  /** Objects by the uid of their owners. Added to the cache by the first call, shared by all. */
  ownerIndex(): Index<U>;
  /** Gives the cache back; it stops with the last lease. Resolves when it has stopped, or at once if it is still used. Idempotent. */
  release(): Promise<void>;
}

/** Options of a {@link CachePool}. */
export interface CachePoolOptions {
  /** Of the caches that are shared. @default {} */
  readonly cache?: CacheOptions | undefined;
  /** Other options for some resources: `{ secrets: …, 'deployments.apps': … }`. @default `cache` for all */
  readonly cacheOf?: Readonly<Record<string, CacheOptions>> | undefined;
  /** Called with failures of lists, watches and handlers. @default process.emitWarning */
  readonly onError?: InformerErrorHandler | undefined;
}

/** One informer and how many leases on it are held. */
interface PooledCache {
  readonly client: Client;
  readonly resource: Resource<unknown>;
  readonly informer: SharedIndexInformer<unknown>;
  readonly options: CacheOptions;
  ownerIndex: Index<unknown> | undefined;
  users: number;
  stop(): void;
}

/**
 * The caches of a manager: one per cluster and resource, shared by all controllers, besides those that a controller has for
 * itself. A cache starts with its first lease and stops with its last.
 */
export class CachePool {
  readonly #options: CachePoolOptions;
  readonly #factories = new Map<Client, { readonly factory: SharedInformerFactory; readonly number: number }>();
  readonly #shared = new Map<string, PooledCache>();
  readonly #caches = new Set<PooledCache>();
  #clients = 0;

  constructor(options: CachePoolOptions = {}) {
    this.#options = options;
  }

  /** The informers in use, for health, metrics and `settle`. */
  get informers(): readonly Pick<CacheLease<unknown>, 'client' | 'informer' | 'options'>[] {
    return [...this.#caches].map(({ client, informer, options }) => ({ client, informer, options }));
  }

  acquire<U>(request: CacheRequest<U>): CacheLease<U> {
    const { client, resource } = request;
    const cache = request.cache === undefined ? this.#sharedCache(request) : this.#open(request, request.cache);
    cache.users++;
    let released: Promise<void> | undefined;
    return {
      client,
      resource,
      informer: cache.informer as SharedIndexInformer<U>,
      options: cache.options,
      ownerIndex: () => {
        cache.ownerIndex ??= cache.informer.addIndex('kubeflect owner', byOwnerUid());
        return cache.ownerIndex as Index<U>;
      },
      release: () => {
        released ??= this.#release(cache);
        return released;
      },
    };
  }

  /** Stops all caches; resolves when none runs. Idempotent. */
  async stop(): Promise<void> {
    this.#shared.clear();
    this.#caches.clear();
    await Promise.all([...this.#factories.values()].map(({ factory }) => factory.stop()));
  }

  #sharedCache(request: CacheRequest<unknown>): PooledCache {
    const { client, resource, metadataOnly = false } = request;
    const { number } = this.#factoryOf(client);
    const key = `${number} ${printResource(resource)}${metadataOnly ? ' metadata' : ''}`;
    let cache = this.#shared.get(key);
    if (cache === undefined) {
      const { cache: all = {}, cacheOf = {} } = this.#options;
      cache = this.#open(request, cacheOf[printGroupResource(resource)] ?? all);
      this.#shared.set(key, cache);
    }
    return cache;
  }

  #open({ client, resource, metadataOnly }: CacheRequest<unknown>, options: CacheOptions): PooledCache {
    const { factory } = this.#factoryOf(client);
    const lease = factory.acquire(resource, { metadataOnly, informer: options });
    const { informer } = lease;
    const stop = () => lease.release();
    const cache: PooledCache = { client, resource, informer, options, ownerIndex: undefined, users: 0, stop };
    this.#caches.add(cache);
    return cache;
  }

  async #release(cache: PooledCache): Promise<void> {
    if (--cache.users > 0 || !this.#caches.delete(cache)) return;
    for (const [key, other] of this.#shared) if (other === cache) this.#shared.delete(key);
    const stopped = new Promise<void>((resolve) => {
      const undo = cache.informer.onStatus(({ state }) => {
        if (state !== 'stopped') return;
        undo();
        resolve();
      });
    });
    cache.stop();
    await stopped;
    // Clients of clusters that come and go must not collect here.
    const { client } = cache;
    if (![...this.#caches].some((other) => other.client === client)) this.#factories.delete(client);
  }

  #factoryOf(client: Client): { readonly factory: SharedInformerFactory; readonly number: number } {
    let known = this.#factories.get(client);
    if (known === undefined) {
      const factory = new SharedInformerFactory(client, { onError: this.#options.onError });
      known = { factory, number: this.#clients++ };
      this.#factories.set(client, known);
    }
    return known;
  }
}
