/** One informer per resource for a whole program. */
export { CacheSyncError, type Unsynced } from './cache-sync-error.js';
export type {
  BuiltinInformers,
  FactoryOptions,
  InformerAccessor,
  InformerOptions,
  Transform,
} from './informer-options.js';
export { type InformerLease, SharedInformerFactory } from './shared-informer-factory.js';
