/** What controllers use of this folder. */
export { ShardSet } from './shard-set.js';
export { type ShardKey, shardOf } from './sharded-source.js';
