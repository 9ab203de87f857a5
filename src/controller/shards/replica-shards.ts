import { type Client, type Clock, LeadershipLostError } from '../../index.js';
import { ShardSet, shardOf } from '../../informers/shards/index.js';
import { splitKey } from '../../meta/key.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import { channels } from '../../observe/channels.js';
import { randomUid } from '../../time/random-uid.js';
import { abortError, onAbort } from '../../time/signals.js';
import type { ShardGate } from '../environment.js';
import { ShardCoordinator, type ShardHost } from './shard-coordinator.js';
import { ShardGuard } from './shard-guard.js';
import { assignmentLeaseOf, ShardLeaseClient } from './shard-lease-client.js';
import { type ShardDecision, ShardReplica } from './shard-replica.js';
import type { Sharding } from './sharding-options.js';

/** How long after a failure caches are asked for shards again. */
const ASK_AGAIN_MS = 100;

/** What a manager does with the shards of its replica. */
export interface ShardWork {
  /** Resolves when the caches that are not sharded have synced. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Starts runs of the shard: recent changes first, then every object of it. */
  open(shard: number): void;
  /** Starts no more runs of the shard, and resolves when those in progress have ended: aborted after `drainMs`. */
  drain(shard: number, options: { readonly reason: Error; readonly signal: AbortSignal }): Promise<void>;
  /** Aborts the runs of the shard, and forgets what is remembered of its objects. */
  close(shard: number, reason: Error): void;
}

/** What a {@link ReplicaShards} is made from. */
interface ReplicaShardsOptions {
  readonly client: Client;
  readonly manager: string;
  readonly namespace: string;
  readonly identity: string;
  readonly sharding: Sharding;
  /** How long after the stop shards are handed over to other replicas. */
  readonly drainMs: number;
  readonly work: ShardWork;
  readonly onError: (error: Error) => void;
}

/**
 * The shards of one replica of a manager: its caches ({@link ShardSet}), its runs ({@link ShardWork}) and its Leases follow the
 * decisions of the protocol.
 */
export class ReplicaShards implements ShardHost, ShardGate {
  /** The shards that caches have. */
  readonly set: ShardSet;
  readonly #options: ReplicaShardsOptions;
  readonly #clock: Clock;
  readonly #replica: ShardReplica;
  readonly #leases: ShardLeaseClient;
  readonly #coordinator: ShardCoordinator;
  readonly #guard: ShardGuard;
  readonly #open = new Set<number>();
  /** The shards that caches have or are reading, and which reading of them it is. */
  readonly #filling = new Map<number, object>();
  readonly #ending = new AbortController();
  #decision: ShardDecision | undefined;
  /** Whether shards stay where they are after the last decision, unless a replica comes or goes. */
  #isAtRest = false;
  #heldBefore: ReadonlySet<number> = new Set();

  constructor(options: ReplicaShardsOptions) {
    const { client, manager, namespace, identity, sharding, onError } = options;
    const { layout, times } = sharding;
    const { clock } = client;
    const lease = `${manager}-${randomUid(clock)}`;
    this.#options = options;
    this.#clock = clock;
    this.set = new ShardSet({ count: layout.shards, by: layout.by });
    this.#replica = new ShardReplica(lease, layout, times, clock.monotonicNow());
    this.#leases = new ShardLeaseClient({ client, manager, namespace, identity, lease, times, onError });
    this.#coordinator = new ShardCoordinator(this.#replica, this.#leases, this, times);
    this.#guard = new ShardGuard({
      clock,
      identity,
      lease: `${namespace}/${assignmentLeaseOf(manager)}`,
      uncertainMs: times.leaseDurationMs - times.renewDeadlineMs,
      mayWrite: (shard) => this.#replica.mayWrite(shard, clock.monotonicNow()),
    });
  }

  /** The shards that this replica holds, in ascending order. */
  get held(): readonly number[] {
    return this.#replica.held(this.#clock.monotonicNow());
  }

  /** What keeps the shards from being at rest, for a world; undefined if nothing does. */
  get restlessness(): string | undefined {
    const decision = this.#decision;
    if (decision === undefined || decision.reads) return 'the assignment of shards is not read';
    if (decision.write !== undefined || decision.checks.length > 0) return 'shards are taken over';
    if (decision.drain.size > 0) return `the shards ${[...decision.drain].join(', ')} are given away`;
    if (decision.fill.size !== decision.open.size) return 'shards are waited for';
    const isDue = decision.wakeAt <= this.#clock.monotonicNow();
    return this.#isAtRest && !isDue ? undefined : 'replicas have come or gone';
  }

  shardOf(key: string, uid: string): number {
    const { count, by } = this.set.space;
    return shardOf({ count }, by === 'uid' ? uid : splitKey(key).namespace);
  }

  isOpen(shard: number): boolean {
    return this.#open.has(shard) && this.#replica.isValid(this.#clock.monotonicNow());
  }

  /** A client for a run that begins now; its requests are not sent once another replica may hold the shard. */
  guard(client: Client, shard: number): Client {
    return this.#guard.client(client, shard);
  }

  /** Takes part until the signal aborts; then hands the shards over and resolves. */
  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#leases.watch(this.#coordinator);
    this.#coordinator.start();
    await new Promise<void>((resolve) => void onAbort(signal, resolve));
    await this.#leave();
    this.#ending.abort(abortError('the replica has left'));
    this.#coordinator.stop();
    await this.#leases.deleteOwn();
    await this.#leases.stop();
  }

  async #leave(): Promise<void> {
    const { drainMs, sharding } = this.#options;
    const limit = new AbortController();
    const left = new Promise<void>((resolve) => this.#coordinator.leave(resolve));
    const hurry = this.#clock.setTimer(drainMs, () => this.#coordinator.hurry());
    // Without the server nothing can be given away: the Lease expires by itself.
    const late = this.#clock.sleep(drainMs + sharding.times.renewDeadlineMs, { signal: limit.signal }).catch(() => {});
    await Promise.race([left, late]);
    hurry.cancel();
    limit.abort();
  }

  // ── decisions ──────────────────────────────────────────────────────────────────────────────────────────────────────

  fill(shards: ReadonlySet<number>): void {
    const dropped = [...this.#filling.keys()].filter((shard) => !shards.has(shard));
    for (const shard of dropped) this.#filling.delete(shard);
    if (dropped.length > 0) void this.set.release(dropped);
    const gained = [...shards].filter((shard) => !this.#filling.has(shard));
    if (gained.length === 0) return;
    const reading = {};
    for (const shard of gained) this.#filling.set(shard, reading);
    void this.#gain(gained, reading);
  }

  async #gain(shards: readonly number[], reading: object): Promise<void> {
    const { signal } = this.#ending;
    const isWanted = (shard: number): boolean => this.#filling.get(shard) === reading;
    for (let wanted = shards; wanted.length > 0 && !signal.aborted; wanted = wanted.filter(isWanted)) {
      try {
        await this.set.gain(wanted, { signal });
        await this.#options.work.whenSynced(signal);
      } catch {
        // Shards that are released meanwhile end the wait for the others, too: those are asked for again.
        await this.#clock.sleep(ASK_AGAIN_MS, { signal }).catch(() => {});
        continue;
      }
      const filled = wanted.filter(isWanted);
      if (filled.length > 0) this.#coordinator.filled(filled);
      return;
    }
  }

  open(shard: number): void {
    this.#open.add(shard);
    this.#guard.open(shard);
    this.#options.work.open(shard);
  }

  drain(shard: number, done: () => void): Undo {
    this.#open.delete(shard);
    const stop = new AbortController();
    const reason = this.#lost(shard, 'it is being given to another replica');
    void this.#options.work
      .drain(shard, { reason, signal: stop.signal })
      .then(() => this.#guard.settled(shard, stop.signal))
      .then(() => {
        if (!stop.signal.aborted) done();
      });
    return undoOnce(() => stop.abort(abortError('the shard is not given away')));
  }

  close(shard: number): void {
    this.#open.delete(shard);
    this.#guard.close(shard);
    this.#options.work.close(shard, this.#lost(shard, 'this replica does not hold it any more'));
  }

  decided(decision: ShardDecision): void {
    this.#decision = decision;
    this.#isAtRest = this.#replica.isAtRest(this.#clock.monotonicNow());
    if (!channels.shardHeld.hasSubscribers) return;
    const held = new Set(this.held);
    const { manager } = this.#options;
    for (const shard of held)
      if (!this.#heldBefore.has(shard)) channels.shardHeld.publish({ manager, shard, isHeld: true });
    for (const shard of this.#heldBefore)
      if (!held.has(shard)) channels.shardHeld.publish({ manager, shard, isHeld: false });
    this.#heldBefore = held;
  }

  #lost(shard: number, why: string): LeadershipLostError {
    const { namespace, manager, identity } = this.#options;
    return new LeadershipLostError(`${namespace}/${assignmentLeaseOf(manager)}`, identity, `shard ${shard}: ${why}`);
  }
}
