import type { MemberRecord, Session } from '../../../src/controller/shards/shard-records.js';
import { type Liveness, type ShardDecision, ShardReplica } from '../../../src/controller/shards/shard-replica.js';

/** A bug that a simulation has to find. */
export interface Faults {
  /** A replica that breaks a rule of the protocol. */
  readonly replica?: typeof ShardReplica | undefined;
  /** Called before a replica is told of another one's Lease, with the age of its renewal by the clocks of both. */
  readonly watched?: ((replica: ShardReplica, ageMs: number) => void) | undefined;
  readonly noDrain?: boolean | undefined;
  readonly forgetsInFlight?: boolean | undefined;
  readonly noCompareAndSwap?: boolean | undefined;
  readonly endlessTenure?: boolean | undefined;
  /** The first seed that is tried: those before it do not find the bug. @default 1 */
  readonly from?: number | undefined;
  /** The mean time between two disturbances, for a bug that needs several at once. @default that of the plan */
  readonly disturbanceMs?: number | undefined;
}

/** Trusts the timestamp in a Lease: how old it is by the own wall clock. */
class ByTimestamp extends ShardReplica {
  ageMs = 0;

  override memberSeen(lease: string, version: string, record: MemberRecord, now: number): boolean {
    return super.memberSeen(lease, version, record, now - this.ageMs);
  }
}

/** Checks that it holds the shard before it writes, but not that its deadline has passed. */
class WithoutDeadline extends ShardReplica {
  #renewedAt = 0;

  override renewed(session: Session, sentAt: number, now: number): void {
    super.renewed(session, sentAt, now);
    this.#renewedAt = now;
  }

  override mayWrite(shard: number, _now: number): boolean {
    return super.mayWrite(shard, this.#renewedAt);
  }
}

/** Takes shards over without another look at the Lease of their holder. */
class WithoutCheck extends ShardReplica {
  readonly #seen = new Map<string, { readonly version: string; readonly record: MemberRecord }>();

  override memberSeen(lease: string, version: string, record: MemberRecord, now: number): boolean {
    this.#seen.set(lease, { version, record });
    return super.memberSeen(lease, version, record, now);
  }

  override decide(now: number): ShardDecision {
    const decision = super.decide(now);
    for (const lease of decision.checks) super.memberRead(lease, this.#seen.get(lease), now, now);
    return decision.checks.length === 0 ? decision : super.decide(now);
  }
}

/** Goes on with a session whose renewal was answered after the deadline. */
class RevivedByLateAnswer extends ShardReplica {
  override renewed(session: Session, sentAt: number, _now: number): void {
    super.renewed(session, sentAt, sentAt);
  }

  /** As long as a renewal may be answered. */
  override decide(now: number): ShardDecision {
    if (this.isValid(now)) return super.decide(now);
    const decision = super.decide(Math.min(now, this.#lastAt));
    return { ...decision, wakeAt: Math.max(decision.wakeAt, now + 1000) };
  }

  override renewalSent(session: Session, now: number): void {
    super.renewalSent(session, now);
    this.#lastAt = now;
  }
  #lastAt = Number.POSITIVE_INFINITY;
}

/** Keeps its session, and with it its shards, when it could not renew in time. */
class SameSession extends ShardReplica {
  protected override sessionAfter(session: Session): Session {
    return session;
  }
}

/** Begins the next session at once, although writes of the one before may be on their way. */
class WithoutRest extends ShardReplica {
  override decide(now: number): ShardDecision {
    const decision = super.decide(now);
    const { wakeAt } = decision;
    // What it will say when it may.
    return decision.record === undefined ? { ...decision, record: super.decide(wakeAt).record } : decision;
  }
}

/** Goes on with a session whose first renewal was stored long ago, and was not answered. */
class BegunLate extends ShardReplica {
  override renewalSent(_session: Session, _now: number): void {}
}

/** Works on shards as soon as they are its own, and says that it is ready for all that it wants. */
class WithoutCaches extends ShardReplica {
  override decide(now: number): ShardDecision {
    const decision = super.decide(now);
    const held = this.held(now).filter((shard) => !decision.drain.has(shard));
    const record = decision.record && { ...decision.record, ready: [...decision.fill] };
    return { ...decision, open: new Set(held), record };
  }
}

/** Takes a write without an answer for one that has failed, and goes on with what it has given away. */
class ForgetsUnanswered extends ShardReplica {
  #isForgetting = false;

  override writeFailed(): void {
    super.writeFailed();
    this.#isForgetting = true;
  }

  override writeStored(version: string, now: number): void {
    super.writeStored(version, now);
    this.#isForgetting = false;
  }

  override drained(shard: number): void {
    if (!this.#isForgetting) super.drained(shard);
  }

  protected override isClosed(shard: number): boolean {
    return !this.#isForgetting && super.isClosed(shard);
  }

  override decide(now: number): ShardDecision {
    const decision = super.decide(now);
    if (!this.#isForgetting) return decision;
    return { ...decision, open: new Set([...decision.open, ...decision.drain]), drain: new Set(), write: undefined };
  }

  override mayWrite(shard: number, now: number): boolean {
    return super.mayWrite(shard, now) || (this.#isForgetting && this.held(now).includes(shard));
  }
}

/** Takes what the plan gives it, also from holders that live. */
class Thief extends ShardReplica {
  protected override livenessOf(session: Session, now: number): Liveness {
    const liveness = super.livenessOf(session, now);
    return liveness === 'expired' ? 'over' : liveness;
  }
}

/** Takes the shards of a replica as soon as its Lease is missing. */
class MissingIsDead extends ShardReplica {
  readonly #seen = new Set<string>();

  override memberSeen(lease: string, version: string, record: MemberRecord, now: number): boolean {
    this.#seen.add(lease);
    return super.memberSeen(lease, version, record, now);
  }

  override memberDeleted(lease: string): void {
    this.#seen.delete(lease);
    super.memberDeleted(lease);
  }

  protected override livenessOf(session: Session, now: number): Liveness {
    const liveness = super.livenessOf(session, now);
    const lease = session.slice(0, session.lastIndexOf('#'));
    return liveness === 'alive' && session !== this.session && !this.#seen.has(lease) ? 'over' : liveness;
  }
}

/** Half of the time that the Lease asks for. */
class Impatient extends ShardReplica {
  override memberSeen(lease: string, version: string, record: MemberRecord, now: number): boolean {
    return super.memberSeen(lease, version, { ...record, leaseDurationMs: record.leaseDurationMs / 2 }, now);
  }

  override memberRead(
    lease: string,
    found: { readonly version: string; readonly record: MemberRecord } | undefined,
    sentAt: number,
    now: number,
  ): void {
    const shorter = found && {
      ...found,
      record: { ...found.record, leaseDurationMs: found.record.leaseDurationMs / 2 },
    };
    super.memberRead(lease, shorter, sentAt, now);
  }
}

/** Bugs by name; each breaks one rule. */
export const plantedFaults: Readonly<Record<string, Faults>> = {
  'no drain before a shard is given away': { noDrain: true },
  'writes on their way are not waited for': { forgetsInFlight: true },
  'assignments are written without compare-and-swap': { noCompareAndSwap: true },
  'a takeover by the timestamp in the Lease': {
    replica: ByTimestamp,
    watched: (replica, ageMs) => void ((replica as ByTimestamp).ageMs = ageMs),
  },
  'a guard without the deadline': { replica: WithoutDeadline },
  'a takeover without reading the Lease again': { replica: WithoutCheck },
  'a renewal that is answered after the deadline counts': { replica: RevivedByLateAnswer },
  'the session goes on after a lapse': { replica: SameSession },
  'the next session begins before writes on their way have arrived': { replica: WithoutRest, from: 70 },
  'a session begins long after its record was stored': { replica: BegunLate, from: 110, disturbanceMs: 1500 },
  'runs before the caches are filled': { replica: WithoutCaches },
  'a handover without an answer is taken for failed': { replica: ForgetsUnanswered },
  'an expired Lease is not confirmed': { replica: Thief },
  'a deleted Lease is taken for a dead replica': { replica: MissingIsDead },
  'half of the duration is waited for': { replica: Impatient },
  'a run of an earlier tenure may write when the shard is held again': { endlessTenure: true, from: 200 },
};
