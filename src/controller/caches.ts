import {
  byOwnerUid,
  type Client,
  type DeepReadonly,
  type Index,
  type InformerErrorHandler,
  type Resource,
  type SharedIndexInformer,
  SharedInformerFactory,
} from '../index.js';
import { type ShardKey, type ShardSet, shardOf } from '../informers/shards/index.js';
import type { OwnerReference } from '../meta/objects.js';
import { printGroupResource, printResource } from '../meta/resource.js';
import { controllerOf } from './owners.js';
import type { CacheOptions } from './types.js';

/** Which cache is wanted. */
export interface CacheRequest<U> {
  readonly client: Client;
  readonly resource: Resource<U>;
  /** @default false */
  readonly metadataOnly?: boolean | undefined;
  /** A cache of its own. @default the shared one of this resource */
  readonly cache?: CacheOptions | undefined;
  /**
   * In a manager that shards: the cache has the objects of the replica's shards only. `owned`: objects belong to the shard of
   * their controller.
   * @default 'whole'
   */
  readonly part?: 'whole' | 'own' | 'owned' | undefined;
}

/** The metadata that decides about the shard of an object. */
export interface ShardedObject {
  readonly metadata: {
    readonly uid?: string | undefined;
    readonly namespace?: string | undefined;
    readonly ownerReferences?: readonly DeepReadonly<OwnerReference>[] | undefined;
  };
}

/** A cache that is in use. */
export interface CacheLease<U> {
  readonly client: Client;
  readonly resource: Resource<U>;
  readonly informer: SharedIndexInformer<U>;
  /** The options that decide which objects it holds. */
  readonly options: CacheOptions;
  /** Whether the object is in a shard of this cache. Always true for a cache that is not sharded. */
  covers(object: ShardedObject): boolean;
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
  /** The shards of this replica. @default undefined: it has all objects */
  readonly shards?: ShardSet | undefined;
}

/** One informer and how many leases on it are held. */
interface PooledCache {
  readonly client: Client;
  readonly resource: Resource<unknown>;
  readonly informer: SharedIndexInformer<unknown>;
  readonly options: CacheOptions;
  readonly shardKey: ShardKey | undefined;
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
  get informers(): readonly Pick<CacheLease<unknown>, 'client' | 'informer' | 'options' | 'covers'>[] {
    return [...this.#caches].map((cache) => {
      const { client, informer, options } = cache;
      return { client, informer, options, covers: (object) => this.#covers(cache, object) };
    });
  }

  #covers({ shardKey }: PooledCache, object: ShardedObject): boolean {
    const { shards } = this.#options;
    if (shards === undefined || shardKey === undefined) return true;
    const { uid, namespace } = object.metadata;
    const text = { uid, namespace, controllerUid: controllerOf(object.metadata.ownerReferences)?.uid }[shardKey];
    return text !== undefined && shards.wanted[shardOf(shards.space, text)] === 1;
  }

  #shardKeyOf({ part = 'whole' }: CacheRequest<unknown>): ShardKey | undefined {
    const { shards } = this.#options;
    if (shards === undefined || part === 'whole') return undefined;
    if (shards.space.by === 'namespace') return 'namespace';
    return part === 'own' ? 'uid' : 'controllerUid';
  }

  /** Whether an object belongs to a shard by its namespace. */
  get isByNamespace(): boolean {
    return this.#options.shards?.space.by === 'namespace';
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
      covers: (object) => this.#covers(cache, object),
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
    const key = `${number} ${printResource(resource)}${metadataOnly ? ' metadata' : ''} ${this.#shardKeyOf(request)}`;
    let cache = this.#shared.get(key);
    if (cache === undefined) {
      const { cache: all = {}, cacheOf = {} } = this.#options;
      cache = this.#open(request, cacheOf[printGroupResource(resource)] ?? all);
      this.#shared.set(key, cache);
    }
    return cache;
  }

  #open(request: CacheRequest<unknown>, options: CacheOptions): PooledCache {
    const { client, resource, metadataOnly } = request;
    const { factory } = this.#factoryOf(client);
    const shardKey = this.#shardKeyOf(request);
    const shard = shardKey === undefined ? undefined : this.#options.shards?.of(shardKey);
    const lease = factory.acquire(resource, {
      metadataOnly,
      informer: shard === undefined ? options : { ...options, shard },
    });
    const { informer } = lease;
    const stop = () => lease.release();
    const cache: PooledCache = { client, resource, informer, options, shardKey, ownerIndex: undefined, users: 0, stop };
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
