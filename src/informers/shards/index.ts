/** For controllers: the shards that all caches of one process have in common. */
export { type ShardPart, ShardSet } from './shard-set.js';
export { type ShardedSource, type ShardKey, type ShardSpace, shardOf } from './sharded-source.js';
