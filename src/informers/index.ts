/** One informer per resource for a whole program. */
export type { BuiltinInformers, InformerAccessor } from './builtin-informers.js';
export { CacheSyncError, type Unsynced } from './cache-sync-error.js';
export type { InformerOptions, Transform } from './make-informer.js';
export type { ShardOptions } from './shards/shard-options.js';
export {
  type AcquireOptions,
  type FactoryOptions,
  type InformerLease,
  SharedInformerFactory,
} from './shared-informer-factory.js';
