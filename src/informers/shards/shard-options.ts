import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { optionError, requireInteger, requireOneOf } from '../../meta/options/validate.js';
import { printResource, type Resource } from '../../meta/resource.js';
import { ShardPart, ShardSet } from './shard-set.js';

/** One part of a collection, for programs that divide it among themselves. */
export interface ShardOptions {
  /** The number of this part, from 0 to `of` - 1. */
  readonly index: number;
  /** Into how many parts of equal size the collection is divided, from 1 to 256; the same in all programs. */
  readonly of: number;
  /** Whether an object belongs to a part by its uid or by its namespace. @default 'uid' */
  readonly by?: 'uid' | 'namespace' | undefined;
}

const shardNames: OptionNames<ShardOptions> = { index: true, of: true, by: true };

/** Checks the option `shard` of an informer. Undefined if the informer reads everything. */
export function shardPartOf(
  shard: ShardOptions | undefined,
  resource: Resource<unknown>,
  drop: readonly (readonly string[])[],
): ShardPart | undefined {
  if (shard === undefined) return undefined;
  const part = shard instanceof ShardPart ? shard : fixedPart(shard);
  if (part === undefined) return undefined;
  if (part.by === 'namespace' && resource.namespaced === false) {
    throw new TypeError(`shard.by must be 'uid' for ${printResource(resource)}, whose objects have no namespace`);
  }
  const path = part.by === 'uid' ? ['metadata', 'uid'] : ['metadata', 'ownerReferences'];
  if (part.by !== 'namespace' && drop.some((dropped) => dropped.every((name, i) => name === path[i]))) {
    throw new TypeError(`the transform must not drop ${path.join('.')}, which decides about the shard of an object`);
  }
  return part;
}

function fixedPart(shard: ShardOptions): ShardPart | undefined {
  const { index, of, by = 'uid' } = checkOptions('shard', shard, shardNames);
  requireInteger('shard.of', of, 1, 256);
  requireOneOf('shard.by', by, ['uid', 'namespace']);
  if (!Number.isInteger(index) || index < 0 || index >= of) {
    throw optionError('shard.index', `a whole number from 0 to ${of - 1}, as shard.of is ${of}`, index);
  }
  return of === 1 ? undefined : new ShardPart(new ShardSet({ count: of, by }, [index]), by);
}
