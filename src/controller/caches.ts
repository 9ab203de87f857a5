import type { Client, Index, InformerErrorHandler, Resource, SharedIndexInformer } from '../index.js';
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
  /** Called with failures of lists, watches and handlers. */
  readonly onError?: InformerErrorHandler | undefined;
}

/** The caches of a manager: one per cluster and resource, started with the first lease and stopped with the last. */
export interface CachePool {
  acquire<U>(request: CacheRequest<U>): CacheLease<U>;
  /** The caches in use, for health, metrics and `settle`. */
  readonly leases: Iterable<CacheLease<unknown>>;
  /** Stops all caches; resolves when none runs. Idempotent. */
  stop(): Promise<void>;
}
