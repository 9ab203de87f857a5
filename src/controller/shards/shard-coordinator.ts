import type { Undo } from '../../meta/undo.js';
import type { Assignment, MemberRecord } from './shard-records.js';
import type { ShardDecision, ShardReplica } from './shard-replica.js';

/** The Lease of a replica, as it was read. */
export interface FoundMember {
  readonly version: string;
  readonly record: MemberRecord;
}

/** The shared Lease, as it was read. */
export interface FoundAssignment {
  readonly version: string;
  /** Undefined if the Lease has none that can be read. */
  readonly assignment: Assignment | undefined;
}

/**
 * Leases and time, as a {@link ShardCoordinator} uses them. Every call is answered once, never synchronously; `failed` means that
 * it is not known whether a write was carried out.
 */
export interface ShardLeases {
  /** The monotonic clock. */
  now(): number;
  setTimer(ms: number, callback: () => void): Undo;
  /** Writes the Lease of this replica. `lost`: it was deleted, or another client has written it. */
  renew(record: MemberRecord, done: (answer: 'stored' | 'lost' | 'failed') => void): void;
  /** Reads the Lease of another replica. */
  readMember(lease: string, done: (found: FoundMember | 'missing' | 'failed') => void): void;
  readAssignment(done: (found: FoundAssignment | 'missing' | 'failed') => void): void;
  /** Writes the shared Lease if it has this version still; without a version, creates it. The stored text is always a new one. */
  writeAssignment(
    version: string | undefined,
    assignment: Assignment,
    done: (answer: { readonly version: string } | 'refused' | 'failed') => void,
  ): void;
  /** Deletes the Lease of another replica if it has this version still. */
  discardMember(lease: string, version: string): void;
}

/** What is done with shards: caches and runs. */
export interface ShardHost {
  /**
   * The caches should have the objects of these shards, and of no others: report {@link ShardCoordinator.filled} when they do. A
   * shard that was left out meanwhile counts as empty.
   */
  fill(shards: ReadonlySet<number>): void;
  /** Starts runs of a shard, or goes on with them. */
  open(shard: number): void;
  /**
   * Starts no more runs of a shard, and calls `done` when none is in progress and no write of one is on its way. The undo keeps
   * `done` from being called; `open` or `close` follows.
   */
  drain(shard: number, done: () => void): Undo;
  /** The shard is not ours any more: ends its runs. */
  close(shard: number): void;
  /** Called after every decision. */
  decided?(decision: ShardDecision): void;
}

/** How long after a request that failed the next one of its kind is sent, as a part of `retryPeriodMs`. */
const RETRY_PART = 0.25;

/** Carries out the decisions of a {@link ShardReplica}, from its start until it has left. */
export class ShardCoordinator {
  readonly #replica: ShardReplica;
  readonly #leases: ShardLeases;
  readonly #host: ShardHost;
  readonly #retryPeriodMs: number;
  #isStopped = false;
  #isRenewing = false;
  /** When the last renewal was sent. */
  #renewalSentAt = Number.NEGATIVE_INFINITY;
  /** The record that was stored last, as JSON; empty if the last renewal failed. */
  #storedRecord = '';
  #renewTimer: Undo | undefined;
  #wakeTimer: Undo | undefined;
  #isReading = false;
  #isWriting = false;
  /** Before this time no failed request is repeated, except renewals. */
  #retryAt = Number.NEGATIVE_INFINITY;
  readonly #checking = new Set<string>();
  /** Leases whose deletion was asked for, in that version. */
  readonly #discarded = new Map<string, string>();
  #open: ReadonlySet<number> = new Set();
  readonly #drains = new Map<number, Undo>();
  #onLeft: (() => void) | undefined;

  constructor(
    replica: ShardReplica,
    leases: ShardLeases,
    host: ShardHost,
    options: { readonly retryPeriodMs: number },
  ) {
    this.#replica = replica;
    this.#leases = leases;
    this.#host = host;
    this.#retryPeriodMs = options.retryPeriodMs;
  }

  start(): void {
    this.#step();
  }

  /** Gives all shards away; calls `done` once none is held. */
  leave(done: () => void): void {
    this.#onLeft = done;
    this.#replica.leave();
    this.#step();
  }

  /** While leaving: gives the rest up, to no replica in particular. */
  hurry(): void {
    this.#replica.hurry();
    this.#step();
  }

  /** Sends nothing more. What is open is closed. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#renewTimer?.();
    this.#wakeTimer?.();
    const active = new Set([...this.#open, ...this.#drains.keys()]);
    for (const undo of this.#drains.values()) undo();
    this.#drains.clear();
    this.#open = new Set();
    for (const shard of active) this.#host.close(shard);
  }

  // ── what was seen ──────────────────────────────────────────────────────────────────────────────────────────────────

  memberSeen(lease: string, { version, record }: FoundMember): void {
    if (this.#replica.memberSeen(lease, version, record, this.#leases.now())) this.#step();
  }

  memberDeleted(lease: string): void {
    this.#discarded.delete(lease);
    this.#replica.memberDeleted(lease);
    this.#step();
  }

  assignmentSeen({ version, assignment }: FoundAssignment): void {
    this.#replica.assignmentSeen(version, assignment, this.#leases.now());
    this.#step();
  }

  /** The shared Lease was seen to be deleted: that may be outdated, so it is read. */
  assignmentDeleted(): void {
    if (!this.#isStopped) this.#readAssignment();
  }

  /** The caches have the objects of these shards, which they were last asked for. */
  filled(shards: Iterable<number>): void {
    for (const shard of shards) this.#replica.filled(shard);
    this.#step();
  }

  // ── what is done ───────────────────────────────────────────────────────────────────────────────────────────────────

  #step(): void {
    if (this.#isStopped) return;
    const now = this.#leases.now();
    const decision = this.#replica.decide(now);
    this.#carryOut(decision);
    const { record } = decision;
    if (record !== undefined && this.#isRenewalDue(record, now)) this.#renew(record);
    if (now >= this.#retryAt) {
      if (decision.reads) this.#readAssignment();
      if (decision.write !== undefined && !this.#isWriting) this.#write(decision.write);
      for (const lease of decision.checks) this.#check(lease);
      for (const { lease, version } of decision.discards) this.#discard(lease, version);
    }
    this.#wakeTimer?.();
    const wakeAt = Math.min(decision.wakeAt, now < this.#retryAt ? this.#retryAt : Number.POSITIVE_INFINITY);
    this.#wakeTimer =
      wakeAt === Number.POSITIVE_INFINITY ? undefined : this.#leases.setTimer(wakeAt - now, () => this.#step());
    this.#host.decided?.(decision);
    if (decision.hasLeft) this.#left();
  }

  #left(): void {
    const onLeft = this.#onLeft;
    this.#onLeft = undefined;
    onLeft?.();
  }

  /** Opens, drains and closes shards. Those that are not ours any more are closed first. */
  #carryOut({ fill, open, drain }: ShardDecision): void {
    const before = this.#open;
    this.#open = open;
    for (const shard of new Set([...before, ...this.#drains.keys()])) {
      if (open.has(shard) || drain.has(shard)) continue;
      this.#endDrain(shard);
      this.#host.close(shard);
    }
    for (const shard of drain) {
      if (this.#drains.has(shard)) continue;
      this.#drains.set(
        shard,
        this.#host.drain(shard, () => {
          this.#replica.drained(shard);
          this.#step();
        }),
      );
    }
    for (const shard of open) {
      if (before.has(shard)) continue;
      this.#endDrain(shard);
      this.#host.open(shard);
    }
    this.#host.fill(fill);
  }

  #endDrain(shard: number): void {
    this.#drains.get(shard)?.();
    this.#drains.delete(shard);
  }

  // ── requests ───────────────────────────────────────────────────────────────────────────────────────────────────────

  #isRenewalDue(record: MemberRecord, now: number): boolean {
    if (this.#isRenewing) return false;
    if (now >= this.#renewalSentAt + this.#retryPeriodMs) return true;
    return this.#storedRecord !== '' && JSON.stringify(record) !== this.#storedRecord;
  }

  #renew(record: MemberRecord): void {
    this.#isRenewing = true;
    const sentAt = this.#leases.now();
    this.#renewalSentAt = sentAt;
    this.#replica.renewalSent(record.session, sentAt);
    this.#renewTimer?.();
    this.#leases.renew(record, (answer) => {
      this.#isRenewing = false;
      if (this.#isStopped) return;
      const now = this.#leases.now();
      this.#storedRecord = answer === 'stored' ? JSON.stringify(record) : '';
      if (answer === 'stored') this.#replica.renewed(record.session, sentAt, now);
      else if (answer === 'lost') this.#replica.renewalLost(now);
      // A failed renewal is repeated sooner: there is less time left until the deadline.
      const pauseMs = answer === 'stored' ? this.#retryPeriodMs : this.#retryPeriodMs * RETRY_PART;
      const waitMs = Math.max(0, sentAt + pauseMs - now);
      this.#renewTimer = this.#leases.setTimer(waitMs, () => {
        this.#renewalSentAt = Number.NEGATIVE_INFINITY;
        this.#step();
      });
      this.#step();
    });
  }

  #readAssignment(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    const sentAt = this.#leases.now();
    this.#leases.readAssignment((found) => {
      this.#isReading = false;
      if (this.#isStopped) return;
      const now = this.#leases.now();
      if (found === 'failed') this.#failed(now);
      else if (!this.#replica.assignmentRead(found === 'missing' ? undefined : found, sentAt, now)) this.#failed(now);
      this.#step();
    });
  }

  #write(write: NonNullable<ShardDecision['write']>): void {
    this.#isWriting = true;
    this.#replica.writeSent(write);
    this.#leases.writeAssignment(write.version, write.assignment, (answer) => {
      this.#isWriting = false;
      if (this.#isStopped) return;
      const now = this.#leases.now();
      if (answer === 'refused') this.#replica.writeRefused();
      else if (answer === 'failed') {
        this.#replica.writeFailed();
        this.#failed(now);
      } else this.#replica.writeStored(answer.version, now);
      this.#step();
    });
  }

  #check(lease: string): void {
    if (this.#checking.has(lease)) return;
    this.#checking.add(lease);
    const sentAt = this.#leases.now();
    this.#leases.readMember(lease, (found) => {
      this.#checking.delete(lease);
      if (this.#isStopped) return;
      const now = this.#leases.now();
      if (found === 'failed') this.#failed(now);
      else this.#replica.memberRead(lease, found === 'missing' ? undefined : found, sentAt, now);
      this.#step();
    });
  }

  #discard(lease: string, version: string): void {
    if (this.#discarded.get(lease) === version) return;
    this.#discarded.set(lease, version);
    this.#leases.discardMember(lease, version);
  }

  #failed(now: number): void {
    this.#retryAt = now + this.#retryPeriodMs * RETRY_PART;
  }
}
