import type { Abortable } from '../../meta/objects.js';
import { abortableNames, checkOptions } from '../../meta/options/known-options.js';
import { optionError, requireInteger, requireOneOf } from '../../meta/options/validate.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import { onAbort } from '../../time/signals.js';
import { bitsOf, type ShardBits, shardsIn } from './shard-filter.js';
import type { ShardOptions } from './shard-options.js';
import type { ShardedSource, ShardKey, ShardSpace } from './sharded-source.js';

/** The option `shard` of an informer whose shards are those of a {@link ShardSet}. */
export class ShardPart {
  readonly set: ShardSet;
  readonly by: ShardKey;

  constructor(set: ShardSet, by: ShardKey) {
    this.set = set;
    this.by = by;
  }
}

/** A source that reads the shards of a {@link ShardSet}. */
export interface ShardMember {
  /** Whether the cache has all objects of the shard, and nothing is on its way that removes them. */
  holds(shard: number): boolean;
  /** Whether the cache has objects of the shard, or may get some. */
  mayHold(shard: number): boolean;
  /** The shards of the set have changed. */
  adapt(): void;
}

/** A call of `gain` or `release` that has not resolved. */
interface Waiter {
  readonly shards: readonly number[];
  readonly isGain: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/** The shards that all caches of one process have in common: see {@link ShardedSource}. */
export class ShardSet implements ShardedSource {
  readonly space: ShardSpace;
  /** The shards that caches should have. */
  readonly wanted: ShardBits;
  readonly #members = new Set<ShardMember>();
  readonly #waiters = new Set<Waiter>();

  constructor(space: ShardSpace, held: Iterable<number> = []) {
    requireInteger('shards', space.count, 2, 256);
    requireOneOf('by', space.by, ['uid', 'namespace']);
    this.space = space;
    this.wanted = bitsOf(space.count, this.#checked(held));
  }

  get held(): readonly number[] {
    return shardsIn(this.wanted).filter((shard) => this.#isHeld(shard));
  }

  /** The option `shard` of an informer. Its public type has fixed shards only; informers recognize a {@link ShardPart}. */
  of(by: ShardKey): ShardOptions {
    const allowed: readonly ShardKey[] = this.space.by === 'namespace' ? ['namespace'] : ['uid', 'controllerUid'];
    return new ShardPart(this, requireOneOf('by', by, allowed)) as object as ShardOptions;
  }

  gain(shards: Iterable<number>, options: Abortable = {}): Promise<void> {
    const { signal } = checkOptions('gain', options, abortableNames);
    const asked = this.#checked(shards);
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const added = asked.filter((shard) => this.wanted[shard] !== 1);
      for (const shard of added) this.wanted[shard] = 1;
      let undoAbort = (): void => {};
      const waiter: Waiter = {
        shards: asked,
        isGain: true,
        resolve: () => {
          undoAbort();
          resolve();
        },
        reject: (error) => {
          undoAbort();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      undoAbort = onAbort(signal, () => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
        void this.release(added);
      });
      this.#adapt();
    });
  }

  release(shards: Iterable<number>): Promise<void> {
    const asked = this.#checked(shards);
    for (const shard of asked) this.wanted[shard] = 0;
    return new Promise((resolve) => {
      this.#waiters.add({ shards: asked, isGain: false, resolve, reject: resolve });
      this.#adapt();
    });
  }

  /** @internal An informer starts; the undo is called when it has stopped. */
  attach(member: ShardMember): Undo {
    this.#members.add(member);
    return undoOnce(() => {
      this.#members.delete(member);
      this.changed();
    });
  }

  /** @internal The cache of a member has changed. */
  changed(): void {
    for (const waiter of [...this.#waiters]) {
      const { shards, isGain } = waiter;
      const lost = isGain ? shards.filter((shard) => this.wanted[shard] !== 1) : [];
      const isDone = isGain
        ? shards.every((shard) => this.#isHeld(shard))
        : shards.every((shard) => this.wanted[shard] === 1 || !this.#isAnywhere(shard));
      if (lost.length === 0 && !isDone) continue;
      this.#waiters.delete(waiter);
      if (lost.length === 0) waiter.resolve();
      else waiter.reject(new Error(`the shards ${lost.join(', ')} were released before their objects were read`));
    }
  }

  #adapt(): void {
    for (const member of this.#members) member.adapt();
    this.changed();
  }

  #isHeld(shard: number): boolean {
    for (const member of this.#members) if (!member.holds(shard)) return false;
    return true;
  }

  #isAnywhere(shard: number): boolean {
    for (const member of this.#members) if (member.mayHold(shard)) return true;
    return false;
  }

  #checked(shards: Iterable<number>): number[] {
    const { count } = this.space;
    const checked = [...new Set(shards)];
    for (const shard of checked) {
      if (!Number.isInteger(shard) || shard < 0 || shard >= count) {
        throw optionError('a shard', `a whole number from 0 to ${count - 1}`, shard);
      }
    }
    return checked;
  }
}
