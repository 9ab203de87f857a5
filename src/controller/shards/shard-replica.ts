import { compareResourceVersions } from '../../index.js';
import { planShards } from './shard-plan.js';
import {
  type Assignment,
  emptyAssignment,
  isSameLayout,
  leaseOf,
  type MemberRecord,
  numberOf,
  type Session,
  type ShardLayout,
  sessionOf,
} from './shard-records.js';

/** The times of the protocol, as in leader election. */
export interface ShardTimes {
  /** How long a Lease must have been seen unchanged before its shards are taken. */
  readonly leaseDurationMs: number;
  /** How long after its last successful renewal was sent a replica works on its shards. */
  readonly renewDeadlineMs: number;
  /** How long the replicas must have been the same before shards move between them. */
  readonly rebalanceAfterMs: number;
}

/** After so many of its durations, a Lease that does not change is deleted. */
const DISCARD_AFTER = 10;

/** What a replica should do now. A later decision replaces it. */
export interface ShardDecision {
  /** What the Lease of this replica should say; undefined if it must not be written now. */
  readonly record: MemberRecord | undefined;
  /** Shards whose objects the caches should have. */
  readonly fill: ReadonlySet<number>;
  /** Shards whose objects are worked on. */
  readonly open: ReadonlySet<number>;
  /** Held shards whose runs should end, so that they can be given away: report {@link ShardReplica.drained} then. */
  readonly drain: ReadonlySet<number>;
  /** An assignment to write, if the stored one has this version still; undefined `version`: if there is no Lease. */
  readonly write: { readonly version: string | undefined; readonly assignment: Assignment } | undefined;
  /** Whether the shared Lease has to be read. */
  readonly reads: boolean;
  /** Leases of replicas that seem to be gone: each has to be read before its shards are taken. */
  readonly checks: readonly string[];
  /** Leases of replicas that are gone for long: they are deleted, by the holder of shard 0. */
  readonly discards: readonly { readonly lease: string; readonly version: string }[];
  /** When the decision may be another one although nothing was reported, on the monotonic clock. */
  readonly wakeAt: number;
  /** This replica is leaving, and holds nothing any more. */
  readonly hasLeft: boolean;
}

/** The Lease of another replica, as it was last seen. */
interface SeenMember {
  readonly version: string;
  readonly record: MemberRecord;
  /** When this version was first seen. */
  readonly seenAt: number;
}

/** The shared Lease as it was last read or written. */
interface KnownAssignment {
  /** Undefined if there is no such Lease. */
  readonly version: string | undefined;
  /** Undefined if there is none, or one that cannot be read. */
  readonly assignment: Assignment | undefined;
  readonly learnedAt: number;
}

/** A write of the assignment that was sent. */
interface SentWrite {
  /** The version that it replaces. */
  readonly base: string | undefined;
  readonly assignment: Assignment;
}

/** `expired`: its time is up by the own clock, which a read has to confirm. `over`: it has ended for certain. */
export type Liveness = 'alive' | 'expired' | 'over';

/**
 * The sharding protocol as one replica plays it: what it has seen goes in, what it should do comes out of {@link decide}. It
 * sends nothing and reads no clock.
 *
 * Each replica renews a Lease of its own; one more Lease says which session holds which shard. These rules keep two replicas
 * from working on one shard:
 *
 * - Only the holder gives a shard away, after its runs have ended. Another replica takes a shard only if the holder's session
 *   is over: its Lease was *seen* unchanged for its duration, on the own monotonic clock, and is so in a read that was sent
 *   after that. Each change of the assignment is a compare-and-swap.
 * - A session works until `renewDeadlineMs` after its last renewal was sent, which is shorter. Then it is over for good, even
 *   if an answer of the server arrives later: the replica begins the next session, which holds nothing.
 * - A write of the assignment without an answer may still be carried out. What it gives away stays closed until the shared Lease
 *   has a version that rules it out.
 */
export class ShardReplica {
  readonly #lease: string;
  readonly #layout: ShardLayout;
  readonly #times: ShardTimes;
  readonly #startedAt: number;
  #session: Session;
  /** When the session ends unless it is renewed; undefined before its first renewal was sent. */
  #endsAt: number | undefined;
  /** Whether a renewal of the session was stored. */
  #hasBegun = false;
  /** When the next session may begin. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  #isLeaving = false;
  #isHurried = false;
  readonly #members = new Map<string, SeenMember>();
  /** When a session whose Lease was not seen was first missed. */
  readonly #missedAt = new Map<Session, number>();
  /** Other replicas' sessions that are over for certain. */
  readonly #over = new Set<Session>();
  #known: KnownAssignment | undefined;
  /** What was held when the shared Lease was deleted. Writes to these shards may be on their way, so that its record names them until there is a new one. */
  #heldBefore: readonly number[] = [];
  /** The version that is known to be outdated: the shared Lease has to be read. */
  #outdated: { readonly version: string | undefined } | undefined;
  #sent: SentWrite | undefined;
  /** Shards that a write without an answer gives away, by the version that it replaces. */
  #closed: { readonly base: string | undefined; readonly shards: Set<number> } | undefined;
  readonly #filled = new Set<number>();
  #draining: ReadonlySet<number> = new Set();
  readonly #drained = new Set<number>();
  #membersBefore = '';
  #membersChangedAt: number;
  #plan: { readonly key: string; readonly targets: readonly (Session | undefined)[] } | undefined;

  /** @param lease the name of this replica's Lease */
  constructor(lease: string, layout: ShardLayout, times: ShardTimes, now: number) {
    this.#lease = lease;
    this.#layout = layout;
    this.#times = times;
    this.#startedAt = now;
    this.#membersChangedAt = now;
    this.#session = sessionOf(lease, 1);
  }

  get session(): Session {
    return this.#session;
  }

  /** The shards that this replica holds, in ascending order. */
  held(now: number): number[] {
    if (!this.isValid(now)) return [];
    const held: number[] = [];
    this.#known?.assignment?.holders.forEach((holder, shard) => {
      if (holder === this.#session) held.push(shard);
    });
    return held;
  }

  /** Whether the session may work: it was renewed, and its deadline has not passed. */
  isValid(now: number): boolean {
    return this.#hasBegun && this.#endsAt !== undefined && now < this.#endsAt;
  }

  /** Whether a request for an object of this shard may be sent. */
  mayWrite(shard: number, now: number): boolean {
    if (!this.isValid(now) || this.#drained.has(shard) || this.isClosed(shard)) return false;
    return this.#known?.assignment?.holders[shard] === this.#session;
  }

  // ── the own Lease ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** A record of this session is being sent. Other replicas may see it from now on, also if it is never answered. */
  renewalSent(session: Session, now: number): void {
    if (session === this.#session) this.#endsAt ??= now + this.#times.renewDeadlineMs;
  }

  /** The server has stored a record of this session, in a request that was sent at `sentAt`. */
  renewed(session: Session, sentAt: number, now: number): void {
    this.#endIfLate(now);
    const endsAt = sentAt + this.#times.renewDeadlineMs;
    if (session !== this.#session || now >= endsAt) return;
    this.#endsAt = endsAt;
    this.#hasBegun = true;
  }

  /** The own Lease was deleted or is another replica's: the session is over. */
  renewalLost(now: number): void {
    this.#endIfLate(now);
    if (this.#endsAt !== undefined) this.#endSession(now);
  }

  /** An answer that arrives after the deadline comes too late: another replica may have taken the shards. */
  #endIfLate(now: number): void {
    if (this.#endsAt !== undefined && now >= this.#endsAt) this.#endSession(this.#endsAt);
  }

  /**
   * Ends the session. The next one shows other replicas that this one is over, so it begins when writes of runs that are on their
   * way have arrived: as long after the end as a takeover would come after the deadline.
   */
  #endSession(endedAt: number): void {
    this.#session = this.sessionAfter(this.#session);
    if (this.#hasBegun) this.#restsUntil = endedAt + this.#times.leaseDurationMs - this.#times.renewDeadlineMs;
    this.#endsAt = undefined;
    this.#hasBegun = false;
    this.#drained.clear();
  }

  protected sessionAfter(session: Session): Session {
    return sessionOf(this.#lease, numberOf(session) + 1);
  }

  // ── other Leases ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** The Lease of another replica was seen. Returns whether more than its time of renewal is new. */
  memberSeen(lease: string, version: string, record: MemberRecord, now: number): boolean {
    if (lease === this.#lease) return false;
    const before = this.#members.get(lease);
    if (before !== undefined && !isNewer(version, before.version)) return false;
    this.#members.set(lease, { version, record, seenAt: now });
    this.#missedAt.delete(record.session);
    return (
      before === undefined ||
      now >= before.seenAt + before.record.leaseDurationMs ||
      !isSameRecord(before.record, record)
    );
  }

  /** The Lease of another replica was seen to be deleted. */
  memberDeleted(lease: string): void {
    this.#members.delete(lease);
  }

  /** The Lease of another replica was read, in a request that was sent at `sentAt`; undefined if there is none. */
  memberRead(
    lease: string,
    found: { readonly version: string; readonly record: MemberRecord } | undefined,
    sentAt: number,
    now: number,
  ): void {
    const seen = this.#members.get(lease);
    if (found === undefined) {
      if (seen !== undefined && seen.seenAt <= sentAt) this.#members.delete(lease);
      for (const [session, missedAt] of this.#missedAt)
        if (leaseOf(session) === lease && sentAt >= missedAt + this.#times.leaseDurationMs) this.#over.add(session);
      return;
    }
    const { version, record } = found;
    if (seen?.version === version && sentAt >= seen.seenAt + record.leaseDurationMs) this.#over.add(record.session);
    else this.memberSeen(lease, version, record, now);
  }

  // ── the assignment ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** The shared Lease was seen in this version. Older versions than the known one are ignored. */
  assignmentSeen(version: string, assignment: Assignment | undefined, now: number): void {
    const known = this.#known?.version;
    if (known !== undefined && !isNewer(version, known)) return;
    this.#learn(version, assignment, now);
  }

  /**
   * A read of the shared Lease that was sent at `sentAt` found this, or none. Returns false if it is as it was when a write was refused: the server had
   * another reason, and the write is to be repeated after a pause.
   */
  assignmentRead(
    found: { readonly version: string; readonly assignment: Assignment | undefined } | undefined,
    sentAt: number,
    now: number,
  ): boolean {
    const isAsRefused = this.#outdated !== undefined && this.#outdated.version === found?.version;
    if (found !== undefined) this.assignmentSeen(found.version, found.assignment, now);
    else if (this.#known === undefined || this.#known.learnedAt <= sentAt) this.#learn(undefined, undefined, now);
    if (isAsRefused) this.#outdated = undefined;
    return !isAsRefused;
  }

  #learn(version: string | undefined, assignment: Assignment | undefined, now: number): void {
    const isSame = this.#known !== undefined && this.#known.version === version;
    if (assignment !== undefined) this.#heldBefore = [];
    else if (this.#known?.assignment !== undefined) this.#heldBefore = this.held(now);
    // How long there has been none counts from when that was first seen.
    if (!isSame) this.#known = { version, assignment, learnedAt: now };
    if (this.#outdated !== undefined && (this.#outdated.version !== version || version === undefined))
      this.#outdated = undefined;
    if (this.#closed !== undefined && this.#closed.base !== version) this.#closed = undefined;
  }

  /** The `write` of the last decision is being sent: what it gives away is closed from now on. */
  writeSent({ version: base, assignment }: NonNullable<ShardDecision['write']>): void {
    this.#sent = { base, assignment };
    const shards = this.#closed !== undefined && this.#closed.base === base ? this.#closed.shards : new Set<number>();
    const holders = this.#known?.assignment?.holders ?? [];
    holders.forEach((holder, shard) => {
      if (holder === this.#session && assignment.holders[shard] !== holder) shards.add(shard);
    });
    this.#closed = { base, shards };
  }

  /** Whether a write that gives this shard away may still be carried out. */
  protected isClosed(shard: number): boolean {
    return this.#closed?.shards.has(shard) === true;
  }

  /** The write was stored, and the shared Lease has this version now. */
  writeStored(version: string, now: number): void {
    const { assignment } = this.#sent as SentWrite;
    this.#sent = undefined;
    this.assignmentSeen(version, assignment, now);
  }

  /** The write was refused: the shared Lease has another version, and has to be read. */
  writeRefused(): void {
    const { base } = this.#sent as SentWrite;
    this.#sent = undefined;
    if (this.#known === undefined || this.#known.version === base) this.#outdated = { version: base };
  }

  /** The write has failed, and may or may not have been carried out. */
  writeFailed(): void {
    this.#sent = undefined;
  }

  // ── caches and runs ────────────────────────────────────────────────────────────────────────────────────────────────

  /** The caches have the objects of this shard. That ends when a decision does not ask for it any more. */
  filled(shard: number): void {
    this.#filled.add(shard);
  }

  /** No run of this shard is in progress, and no write of one is on its way. Ignored if it is not being drained any more. */
  drained(shard: number): void {
    if (this.#draining.has(shard)) this.#drained.add(shard);
  }

  // ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Takes no more shards, and gives away those it has, each to a replica whose caches are filled. */
  leave(): void {
    this.#isLeaving = true;
  }

  /** While leaving: does not wait for other replicas any longer. */
  hurry(): void {
    this.#isHurried = true;
  }

  // ── decisions ──────────────────────────────────────────────────────────────────────────────────────────────────────

  decide(now: number): ShardDecision {
    this.#endIfLate(now);
    const situation = this.#situation(now);
    const { targets, liveness, isOurLayout } = situation;
    const holders = isOurLayout ? (this.#known?.assignment?.holders ?? []) : [];
    const isValid = this.isValid(now);
    const fill = new Set<number>();
    const drain = new Set<number>();
    const checks = new Set<string>();
    const next = [...holders];
    holders.forEach((holder, shard) => {
      const target = targets[shard];
      const isOurs = holder !== undefined && leaseOf(holder) === this.#lease;
      if (isOurs || target === this.#session) fill.add(shard);
      if (!isValid) return;
      if (holder === this.#session) {
        if (!this.#mayGive(shard, target)) return;
        drain.add(shard);
        if (this.#drained.has(shard)) next[shard] = this.#isHurried ? undefined : target;
      } else if (target === this.#session) {
        const state = holder === undefined ? 'over' : liveness.get(holder);
        if (state === 'over') next[shard] = this.#session;
        else if (state === 'expired') checks.add(leaseOf(holder as Session));
      } else if (isOurs && this.#isLeaving) next[shard] = undefined;
    });
    for (const shard of this.#drained) if (!drain.has(shard)) this.#drained.delete(shard);
    for (const shard of this.#filled) if (!fill.has(shard)) this.#filled.delete(shard);
    this.#draining = drain;
    const isFresh = this.#known !== undefined && this.#outdated === undefined && this.#sent === undefined;
    const renewal = this.#renewalOfAssignment(situation, now, checks);
    // A write without an answer is followed by another one: when that is stored, the first cannot be carried out any more.
    const isNeeded = renewal !== undefined || (isOurLayout && this.#closed !== undefined);
    const write = isValid && isFresh ? this.#writeOf(renewal ?? next, holders, isNeeded) : undefined;
    const held = this.held(now);
    const open = held.filter((shard) => this.#filled.has(shard) && !drain.has(shard) && !this.isClosed(shard));
    return {
      record: now < this.#restsUntil ? undefined : this.#record(held, fill, now),
      fill,
      open: new Set(isOurLayout ? open : []),
      drain,
      write,
      reads: this.#sent === undefined && (this.#known === undefined || this.#outdated !== undefined),
      checks: [...checks],
      discards: held[0] === 0 ? this.#discards(now) : [],
      wakeAt: this.#wakeAt(now),
      hasLeft:
        this.#isLeaving &&
        this.#sent === undefined &&
        this.#closed === undefined &&
        held.length === 0 &&
        this.#known !== undefined,
    };
  }

  /** Whether a held shard is to be given to this target: it must be able to go on at once. */
  #mayGive(shard: number, target: Session | undefined): boolean {
    if (this.#isHurried) return true;
    if (target === this.#session) return false;
    if (target === undefined) return this.#isLeaving;
    return this.#members.get(leaseOf(target))?.record.ready.includes(shard) === true;
  }

  #writeOf(
    next: readonly (Session | undefined)[],
    holders: readonly (Session | undefined)[],
    isNeeded: boolean,
  ): ShardDecision['write'] {
    if (!isNeeded && next.every((holder, shard) => holder === holders[shard])) return undefined;
    return { version: this.#known?.version, assignment: { layout: this.#layout, holders: next } };
  }

  /** Which replica should hold each shard, and which of the holders live. */
  #situation(now: number): {
    readonly isOurLayout: boolean;
    readonly targets: readonly (Session | undefined)[];
    readonly liveness: ReadonlyMap<Session, Liveness>;
  } {
    const assignment = this.#known?.assignment;
    const isOurLayout = assignment !== undefined && isSameLayout(assignment.layout, this.#layout);
    const liveness = new Map<Session, Liveness>();
    for (const holder of assignment?.holders ?? [])
      if (holder !== undefined && !liveness.has(holder)) liveness.set(holder, this.livenessOf(holder, now));
    for (const session of this.#missedAt.keys()) if (!liveness.has(session)) this.#missedAt.delete(session);
    const members: Session[] = this.isValid(now) && !this.#isLeaving ? [this.#session] : [];
    const established: Session[] = members.length > 0 && this.#isEstablished(now) ? [...members] : [];
    for (const { record, seenAt } of this.#members.values()) {
      const isAlive = now < seenAt + record.leaseDurationMs && !this.#over.has(record.session);
      if (!isAlive || record.isLeaving || !isSameLayout(record.layout, this.#layout)) continue;
      members.push(record.session);
      if (record.isEstablished) established.push(record.session);
    }
    members.sort();
    const names = members.join(' ');
    if (names !== this.#membersBefore) {
      this.#membersBefore = names;
      this.#membersChangedAt = now;
    }
    const rebalances = now >= this.#membersChangedAt + this.#times.rebalanceAfterMs;
    const takers = established.length > 0 ? established : members;
    const targets = isOurLayout ? this.#targets(assignment, liveness, members, takers, rebalances) : [];
    return { isOurLayout, targets, liveness };
  }

  #targets(
    assignment: Assignment,
    liveness: ReadonlyMap<Session, Liveness>,
    members: readonly Session[],
    receivers: readonly Session[],
    rebalances: boolean,
  ): readonly (Session | undefined)[] {
    const isLeaving = (holder: Session): boolean =>
      holder === this.#session ? this.#isLeaving : this.#members.get(leaseOf(holder))?.record.isLeaving === true;
    const holders = assignment.holders.map((holder) =>
      holder === undefined || liveness.get(holder) !== 'alive' || isLeaving(holder) ? undefined : holder,
    );
    const key = JSON.stringify([holders, members, receivers, rebalances]);
    if (this.#plan?.key !== key) this.#plan = { key, targets: planShards({ holders, members, receivers, rebalances }) };
    return this.#plan.targets;
  }

  #isEstablished(now: number): boolean {
    return now >= this.#startedAt + this.#times.rebalanceAfterMs;
  }

  /** Whether the session of a holder goes on. */
  protected livenessOf(session: Session, now: number): Liveness {
    if (session === this.#session) return 'alive';
    if (leaseOf(session) === this.#lease || this.#over.has(session)) return 'over';
    const seen = this.#members.get(leaseOf(session));
    if (seen !== undefined) {
      const { record, seenAt } = seen;
      if (record.session === session) return now >= seenAt + record.leaseDurationMs ? 'expired' : 'alive';
      if (numberOf(record.session) > numberOf(session)) return 'over';
    }
    const missedAt = this.#missedAt.get(session) ?? now;
    this.#missedAt.set(session, missedAt);
    return now >= missedAt + this.#times.leaseDurationMs ? 'expired' : 'alive';
  }

  /**
   * An assignment instead of one that is missing, cannot be read, or has another layout; undefined while the one that is there
   * counts, or has to be waited for.
   */
  #renewalOfAssignment(
    { isOurLayout, liveness }: { readonly isOurLayout: boolean; readonly liveness: ReadonlyMap<Session, Liveness> },
    now: number,
    checks: Set<string>,
  ): readonly (Session | undefined)[] | undefined {
    if (isOurLayout || this.#known === undefined || this.#isLeaving) return undefined;
    const { assignment, learnedAt } = this.#known;
    const alive = [...this.#members.values()].filter(({ record, seenAt }) => now < seenAt + record.leaseDurationMs);
    if (assignment === undefined) {
      // It was deleted: replicas that have not noticed yet still work on their shards, and writes of the others may be on their way.
      const isHeld = this.#heldBefore.length > 0 || alive.some(({ record }) => record.held.length > 0);
      if (isHeld && now < learnedAt + this.#times.leaseDurationMs) return undefined;
      return emptyAssignment(this.#layout).holders;
    }
    if (alive.some(({ record }) => isSameLayout(record.layout, assignment.layout))) return undefined;
    for (const [session, state] of liveness) if (state === 'expired') checks.add(leaseOf(session));
    return [...liveness.values()].every((state) => state === 'over')
      ? emptyAssignment(this.#layout).holders
      : undefined;
  }

  #record(held: readonly number[], fill: ReadonlySet<number>, now: number): MemberRecord {
    const isHeld = new Set(held);
    return {
      session: this.#session,
      layout: this.#layout,
      leaseDurationMs: this.#times.leaseDurationMs,
      isEstablished: this.#isEstablished(now),
      isLeaving: this.#isLeaving,
      held: held.length > 0 ? held : this.#heldBefore,
      ready: [...fill].filter((shard) => this.#filled.has(shard) && !isHeld.has(shard)).sort((a, b) => a - b),
    };
  }

  #discards(now: number): { readonly lease: string; readonly version: string }[] {
    return [...this.#members]
      .filter(([, { record, seenAt }]) => now >= seenAt + DISCARD_AFTER * record.leaseDurationMs)
      .map(([lease, { version }]) => ({ lease, version }));
  }

  /** Whether nothing will change unless a replica comes or goes: no replica expires, and shares were levelled. */
  isAtRest(now: number): boolean {
    if (!this.isValid(now) || now < this.#membersChangedAt + this.#times.rebalanceAfterMs) return false;
    return (
      this.#known?.assignment?.holders.every((holder) => holder !== undefined && this.#isMember(holder, now)) === true
    );
  }

  #isMember(session: Session, now: number): boolean {
    if (session === this.#session) return true;
    const seen = this.#members.get(leaseOf(session));
    return seen?.record.session === session && now < seen.seenAt + seen.record.leaseDurationMs;
  }

  #wakeAt(now: number): number {
    const { leaseDurationMs, rebalanceAfterMs } = this.#times;
    let wakeAt = Number.POSITIVE_INFINITY;
    const consider = (at: number): void => {
      if (at > now && at < wakeAt) wakeAt = at;
    };
    if (this.#endsAt !== undefined) consider(this.#endsAt);
    consider(this.#restsUntil);
    consider(this.#membersChangedAt + rebalanceAfterMs);
    consider(this.#startedAt + rebalanceAfterMs);
    for (const { record, seenAt } of this.#members.values()) consider(seenAt + record.leaseDurationMs);
    for (const missedAt of this.#missedAt.values()) consider(missedAt + leaseDurationMs);
    if (this.#known !== undefined && this.#known.assignment === undefined)
      consider(this.#known.learnedAt + leaseDurationMs);
    return wakeAt;
  }
}

/** Whether a version is newer than the other. Versions that cannot be compared differ, and the later one that was seen counts. */
function isNewer(version: string, other: string): boolean {
  return version !== other && (compareResourceVersions(version, other) ?? 1) > 0;
}

function isSameRecord(a: MemberRecord, b: MemberRecord): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
