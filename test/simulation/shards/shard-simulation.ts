import {
  type FoundAssignment,
  type FoundMember,
  ShardCoordinator,
  type ShardHost,
  type ShardLeases,
} from '../../../src/controller/shards/shard-coordinator.js';
import { planShards } from '../../../src/controller/shards/shard-plan.js';
import type { Assignment, MemberRecord, ShardLayout } from '../../../src/controller/shards/shard-records.js';
import { ShardReplica, type ShardTimes } from '../../../src/controller/shards/shard-replica.js';
import { type Undo, undoOnce } from '../../../src/meta/undo.js';
import { Heap } from '../../../src/structures/heap.js';
import { seededRandom } from '../../../src/time/seeded-random.js';
import type { Faults } from './planted-faults.js';

/** What happens in a simulation. Times are of the simulation's own clock, in ms. */
export interface ShardPlan {
  readonly seed: number;
  readonly replicas: number;
  readonly layout: ShardLayout;
  readonly times: ShardTimes & { readonly retryPeriodMs: number };
  /** How long replicas are disturbed; afterwards they come to rest. */
  readonly disturbedMs: number;
  /** The mean time between two disturbances. */
  readonly disturbanceMs: number;
  /** Clocks run this much faster or slower, at most. */
  readonly clockSkew: number;
  /** Runs are simulated per shard; without, only the protocol is. */
  readonly hasRuns: boolean;
  readonly faults?: Faults | undefined;
}

/** What a simulation found. */
export interface ShardOutcome {
  /** What must not happen, one sentence each. */
  readonly problems: readonly string[];
  readonly writesStored: number;
  readonly writesRefused: number;
  readonly moves: number;
  readonly leaseWrites: number;
  readonly assignmentWrites: number;
  readonly events: number;
  /** How long shards were worked on by no replica, one number for each pause, in ms. */
  readonly pauses: readonly number[];
  readonly disturbances: Readonly<Record<string, number>>;
  readonly elapsedMs: number;
}

interface SimEvent {
  readonly run: () => void;
}

/** A stored Lease. */
interface StoredLease {
  readonly version: number;
  readonly record: MemberRecord;
  /** By the wall clock of the replica that wrote it. */
  readonly renewTime: number;
}

/** Longest time that a write of a run is on its way: shorter than what is left between deadline and takeover with skewed clocks. */
const MOST_WRITE_MS = 2000;
/** How long a wait for writes without an answer lasts in the drain of a host, on its own clock. */
const UNANSWERED_MS = 5000;

/** Longest time between two writes of a run that goes on although its shard was closed. */
const OUTLIVING_MS = 40_000;

/** The clock, the server, and the network of a simulation. */
export class ShardSimulation {
  readonly plan: ShardPlan;
  readonly random: () => number;
  readonly problems: string[] = [];
  readonly leases = new Map<string, StoredLease>();
  assignment: { readonly version: number; readonly assignment: Assignment } | undefined;
  readonly replicas: SimReplica[] = [];
  now = 0;
  writesStored = 0;
  writesRefused = 0;
  leaseWrites = 0;
  assignmentWrites = 0;
  moves = 0;
  readonly pauses: number[] = [];
  readonly disturbances: Record<string, number> = {};
  readonly #heap = new Heap<SimEvent, SimEvent>();
  readonly #idleSince: number[];
  /** By shard: the tenures whose writes were stored, in order. */
  readonly #tenures: { readonly tenure: string; readonly lease: string }[][];
  #version = 0;
  #events = 0;
  #started = 0;
  #isQuiet = false;

  constructor(plan: ShardPlan) {
    this.plan = plan;
    this.random = seededRandom(plan.seed);
    this.#tenures = Array.from({ length: plan.layout.shards }, () => []);
    this.#idleSince = Array.from({ length: plan.layout.shards }, () => 0);
  }

  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  after(ms: number, run: () => void): Undo {
    const event: SimEvent = { run };
    this.#heap.set(event, event, this.now + Math.max(0, ms));
    return undoOnce(() => void this.#heap.delete(event));
  }

  /** Starts the replicas, at slightly different times. */
  begin(): void {
    for (let i = 0; i < this.plan.replicas; i++) this.after(this.random() * 3000, () => this.join());
  }

  /** Lets time pass, without disturbances. */
  advance(ms: number): void {
    this.#isQuiet = true;
    this.#runUntil(this.now + ms);
  }

  /** The Lease of the replica that holds each shard by the assignment. */
  get holders(): readonly (string | undefined)[] {
    return (this.assignment?.assignment.holders ?? []).map((session) => session?.slice(0, session.lastIndexOf('#')));
  }

  run(): ShardOutcome {
    const { disturbedMs, times } = this.plan;
    this.begin();
    this.#disturbLater();
    this.#runUntil(disturbedMs);
    this.#isQuiet = true;
    for (const replica of this.replicas) replica.heal();
    if (this.alive.length === 0) this.join();
    // Dead holders expire, replicas become calm, shards move: twice, as the second move may wait for the first.
    const restMs = 4 * times.leaseDurationMs + 3 * times.rebalanceAfterMs + 60_000;
    this.#runUntil(disturbedMs + restMs);
    this.#checkRest();
    return {
      problems: this.problems,
      writesStored: this.writesStored,
      writesRefused: this.writesRefused,
      moves: this.moves,
      leaseWrites: this.leaseWrites,
      assignmentWrites: this.assignmentWrites,
      events: this.#events,
      pauses: this.pauses,
      disturbances: this.disturbances,
      elapsedMs: this.now,
    };
  }

  get alive(): SimReplica[] {
    return this.replicas.filter(({ isAlive, isLeaving }) => isAlive && !isLeaving);
  }

  join(layout: ShardLayout = this.plan.layout): void {
    const replica = new SimReplica(this, `r${this.#started++}`, layout);
    this.replicas.push(replica);
    replica.start();
  }

  /** Removes a replica from the list: it has left, or died. */
  forget(replica: SimReplica): void {
    this.replicas.splice(this.replicas.indexOf(replica), 1);
  }

  // ── the server ─────────────────────────────────────────────────────────────────────────────────────────────────────

  storeLease(name: string, base: number | undefined, record: MemberRecord, renewTime: number): number | undefined {
    if (this.leases.get(name)?.version !== base) return undefined;
    this.leaseWrites++;
    this.leases.set(name, { version: ++this.#version, record, renewTime });
    for (const replica of this.replicas) replica.notify(name);
    return this.#version;
  }

  deleteLease(name: string): void {
    if (!this.leases.delete(name)) return;
    this.#version++;
    for (const replica of this.replicas) replica.notify(name);
  }

  storeAssignment(base: string | undefined, assignment: Assignment): string | undefined {
    const stored = this.assignment?.version;
    const isCurrent = (stored === undefined ? undefined : String(stored)) === base;
    if (!isCurrent && this.plan.faults?.noCompareAndSwap !== true) return undefined;
    this.assignmentWrites++;
    const before = this.assignment?.assignment.holders ?? [];
    assignment.holders.forEach((holder, shard) => {
      if (holder !== undefined && before[shard] !== holder) this.moves++;
    });
    this.assignment = { version: ++this.#version, assignment };
    for (const replica of this.replicas) replica.notify('');
    return String(this.#version);
  }

  /**
   * Stores a write of a run. Once another replica has written to the shard, no write of an earlier tenure may arrive. Writes of
   * one process that overtake each other are the business of its controllers, which wait for their own writes.
   */
  storeWrite(shard: number, tenure: string, lease: string): void {
    this.writesStored++;
    const tenures = this.#tenures[shard] as { readonly tenure: string; readonly lease: string }[];
    if (tenures.at(-1)?.tenure === tenure) return;
    const before = tenures.findLastIndex((one) => one.tenure === tenure);
    const other = before < 0 ? undefined : tenures.slice(before).find((one) => one.lease !== lease);
    if (other !== undefined)
      this.problem(`shard ${shard}: a write of ${tenure} was stored after the first one of ${other.tenure}`);
    tenures.push({ tenure, lease });
  }

  problem(text: string): void {
    if (this.problems.length < 5) this.problems.push(`${Math.round(this.now)} ms: ${text}`);
  }

  /** A shard is worked on from now on, or not any more. */
  noteWork(shard: number, isOpen: boolean): void {
    if (isOpen) {
      const since = this.#idleSince[shard] as number;
      if (since >= 0) this.pauses.push(this.now - since);
      this.#idleSince[shard] = -1;
    } else if (!this.replicas.some((replica) => replica.opens(shard))) this.#idleSince[shard] = this.now;
  }

  // ── time ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  #runUntil(end: number): void {
    for (;;) {
      const at = this.#heap.firstRank;
      if (at === undefined || at > end) break;
      this.now = at;
      this.#events++;
      this.#heap.pop()?.run();
    }
    this.now = end;
  }

  #disturbLater(): void {
    const { disturbanceMs, disturbedMs } = this.plan;
    const ms = -Math.log(1 - this.random()) * disturbanceMs;
    if (this.now + ms >= disturbedMs) return;
    this.after(ms, () => {
      this.#disturb();
      this.#disturbLater();
    });
  }

  #disturb(): void {
    const { alive, random } = this;
    const victim = alive[Math.floor(random() * alive.length)];
    const kinds = [
      'crash',
      'leave',
      'join',
      'cut off',
      'block',
      'stall watch',
      'pause network',
      'delete lease',
    ] as const;
    const kind = alive.length === 0 ? 'join' : (kinds[Math.floor(random() * kinds.length)] ?? 'join');
    this.disturbances[kind] = (this.disturbances[kind] ?? 0) + 1;
    const ms = random() * 30_000;
    if (kind === 'join') {
      if (alive.length < 2 * this.plan.replicas) this.join();
    } else if (victim === undefined) return;
    else if (kind === 'crash') {
      victim.crash();
      if (random() < 0.7) this.after(random() * 10_000, () => this.join());
    } else if (kind === 'leave') {
      victim.leave();
      if (random() < 0.7) this.join();
    } else if (kind === 'cut off') victim.cutOff(ms, random() < 0.5 ? 'requests' : 'answers');
    else if (kind === 'pause network') victim.cutOff(ms, 'delay');
    else if (kind === 'block') victim.block(ms);
    else if (kind === 'stall watch') victim.stallWatch(ms);
    else this.deleteLease(victim.lease);
  }

  // ── at rest ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Every shard is worked on, by one replica, and the shares are equal. */
  #checkRest(): void {
    const { shards } = this.plan.layout;
    const holders = Array.from({ length: shards }, (_, shard) =>
      this.replicas.filter((replica) => replica.opens(shard)).map(({ lease }) => lease),
    );
    for (const [shard, of] of holders.entries())
      if (of.length !== 1) this.problem(`at rest, shard ${shard} is worked on by ${of.join(', ') || 'no replica'}`);
    const members = this.alive.map(({ lease }) => lease);
    const shares = members.map((lease) => holders.filter((of) => of[0] === lease).length);
    if (Math.max(...shares) - Math.min(...shares) > 1) this.problem(`at rest, the shares are ${shares.join(', ')}`);
    const settled = holders.map(([holder]) => holder);
    const plan = planShards({ holders: settled, members, receivers: members, rebalances: true });
    if (plan.some((target, shard) => target !== settled[shard])) this.problem('at rest, shards should still move');
  }
}

/** From when a replica opens a shard until it closes it. */
interface Tenure {
  readonly name: string;
  isOver: boolean;
}

/** A run of a shard in progress. */
interface SimRun {
  readonly shard: number;
  readonly tenure: Tenure;
  /** Whether it goes on although its shard was closed. */
  readonly ignoresAbort: boolean;
  isAborted: boolean;
}

/** A process of the simulation: a replica with its clock, its connections and its runs. */
class SimReplica implements ShardLeases, ShardHost {
  readonly lease: string;
  isAlive = true;
  isLeaving = false;
  readonly #sim: ShardSimulation;
  readonly #rate: number;
  readonly #offset: number;
  readonly #wallOffset: number;
  readonly #replica: ShardReplica;
  readonly #coordinator: ShardCoordinator;
  #leaseVersion: number | undefined;
  /** While the event loop is blocked: what waits for it. */
  #blocked: (() => void)[] | undefined;
  #cut: 'requests' | 'answers' | 'delay' | undefined;
  #delayed: (() => void)[] = [];
  /** The names of Leases whose state has not been told; a watch tells the last state, in the order of the changes. */
  readonly #unseen = new Set<string>();
  #isWatchStalled = false;
  #isTelling = false;
  readonly #filled = new Set<number>();
  #wanted: ReadonlySet<number> = new Set();
  readonly #open = new Set<number>();
  readonly #runs = new Map<number, SimRun>();
  readonly #drains = new Map<number, () => void>();
  readonly #inFlight = new Map<number, number>();
  readonly #unansweredUntil = new Map<number, number>();
  readonly #tenures = new Map<number, Tenure>();
  #tenureCount = 0;

  constructor(sim: ShardSimulation, lease: string, layout: ShardLayout) {
    const { clockSkew, times, faults } = sim.plan;
    this.#sim = sim;
    this.lease = lease;
    this.#rate = 1 + clockSkew * (2 * sim.random() - 1);
    this.#offset = sim.random() * 1e6;
    this.#wallOffset = (sim.random() - 0.5) * 60_000;
    const Replica = faults?.replica ?? ShardReplica;
    this.#replica = new Replica(lease, layout, times, this.now());
    this.#coordinator = new ShardCoordinator(this.#replica, this, this, times);
  }

  start(): void {
    for (const name of this.#sim.leases.keys()) this.#unseen.add(name);
    this.#unseen.add('');
    this.#tellLater();
    this.#coordinator.start();
  }

  // ── disturbances ───────────────────────────────────────────────────────────────────────────────────────────────────

  crash(): void {
    this.isAlive = false;
    this.#sim.forget(this);
    for (const shard of this.#open) this.#sim.noteWork(shard, false);
  }

  leave(): void {
    this.isLeaving = true;
    this.#later(0, () =>
      this.#coordinator.leave(() => {
        this.#coordinator.stop();
        this.#request(
          () => this.#sim.deleteLease(this.lease),
          () => {},
        );
        this.#later(30_000, () => this.crash());
      }),
    );
    this.#later(20_000, () => this.#coordinator.hurry());
  }

  cutOff(ms: number, how: 'requests' | 'answers' | 'delay'): void {
    if (this.#cut !== undefined) return;
    this.#cut = how;
    this.#sim.after(ms, () => this.#reconnect());
  }

  block(ms: number): void {
    if (this.#blocked !== undefined) return;
    this.#blocked = [];
    this.#sim.after(ms, () => this.#unblock());
  }

  stallWatch(ms: number): void {
    this.#isWatchStalled = true;
    this.#sim.after(ms, () => this.#resumeWatch());
  }

  /** Ends all disturbances. */
  heal(): void {
    this.#unblock();
    this.#reconnect();
    this.#resumeWatch();
  }

  #unblock(): void {
    const waiting = this.#blocked ?? [];
    this.#blocked = undefined;
    // Timers and answers that became due meanwhile are handled in any order.
    waiting.sort(() => this.#sim.random() - 0.5);
    for (const call of waiting) this.#sim.after(0, () => this.#run(call));
  }

  #reconnect(): void {
    this.#cut = undefined;
    const delayed = this.#delayed;
    this.#delayed = [];
    for (const call of delayed) this.#sim.after(this.#sim.random() * 100, call);
  }

  #resumeWatch(): void {
    this.#isWatchStalled = false;
    this.#tellLater();
  }

  // ── time and network ───────────────────────────────────────────────────────────────────────────────────────────────

  now(): number {
    return this.#offset + this.#sim.now * this.#rate;
  }

  wallNow(): number {
    return this.now() - this.#offset + this.#wallOffset;
  }

  setTimer(ms: number, callback: () => void): Undo {
    return this.#later(ms, callback);
  }

  /** Calls back after some time of the own clock, unless the process has died. */
  #later(ms: number, callback: () => void): Undo {
    let isOver = false;
    const undo = this.#sim.after(ms / this.#rate, () =>
      this.#run(() => {
        if (!isOver) callback();
      }),
    );
    return undoOnce(() => {
      isOver = true;
      undo();
    });
  }

  #run(call: () => void): void {
    if (!this.isAlive) return;
    if (this.#blocked !== undefined) this.#blocked.push(call);
    else call();
  }

  /** Sends a request: it is carried out after some time, or never, and answered after some more, or never. */
  #request<T>(carryOut: () => T, answer: (result: T | 'failed') => void): void {
    const { random } = this.#sim;
    let isAnswered = false;
    const reply = (result: T | 'failed'): void => {
      if (isAnswered) return;
      isAnswered = true;
      this.#run(() => answer(result));
    };
    const travel = (): number => random() * (random() < 0.05 && !this.#sim.isQuiet ? 8000 : 50);
    this.#later(5000, () => reply('failed'));
    const isLost = (way: 'requests' | 'answers'): boolean =>
      this.#cut === 'requests' || this.#cut === way || (random() < 0.01 && !this.#sim.isQuiet);
    if (isLost('requests')) return;
    const go = (): void => {
      const result = carryOut();
      if (isLost('answers')) return;
      this.#sim.after(travel(), () => reply(result));
    };
    if (this.#cut === 'delay') this.#delayed.push(go);
    else this.#sim.after(travel(), go);
  }

  renew(record: MemberRecord, done: (answer: 'stored' | 'lost' | 'failed') => void): void {
    const base = this.#leaseVersion;
    const renewTime = this.wallNow();
    this.#request(
      () => {
        const version = this.#sim.storeLease(this.lease, base, record, renewTime);
        return version ?? { now: this.#sim.leases.get(this.lease)?.version };
      },
      (answer) => {
        if (typeof answer === 'number') this.#leaseVersion = answer;
        else if (answer !== 'failed') this.#leaseVersion = answer.now;
        else {
          // The Lease is read before it is written again, as it may have been written or not.
          this.#request(
            () => ({ version: this.#sim.leases.get(this.lease)?.version }),
            (found) => {
              if (found !== 'failed') this.#leaseVersion = found.version;
              done('failed');
            },
          );
          return;
        }
        done(typeof answer === 'number' ? 'stored' : answer.now === undefined ? 'lost' : 'failed');
      },
    );
  }

  readMember(lease: string, done: (found: FoundMember | 'missing' | 'failed') => void): void {
    this.#request(() => this.#memberAt(lease), done);
  }

  readAssignment(done: (found: FoundAssignment | 'missing' | 'failed') => void): void {
    this.#request(() => this.#assignment(), done);
  }

  writeAssignment(
    version: string | undefined,
    assignment: Assignment,
    done: (answer: { readonly version: string } | 'refused' | 'failed') => void,
  ): void {
    this.#request(() => {
      const stored = this.#sim.storeAssignment(version, assignment);
      return stored === undefined ? ('refused' as const) : { version: stored };
    }, done);
  }

  discardMember(lease: string, version: string): void {
    this.#request(
      () => {
        if (String(this.#sim.leases.get(lease)?.version) === version) this.#sim.deleteLease(lease);
      },
      () => {},
    );
  }

  #memberAt(lease: string): FoundMember | 'missing' {
    const stored = this.#sim.leases.get(lease);
    return stored === undefined ? 'missing' : { version: String(stored.version), record: stored.record };
  }

  #assignment(): FoundAssignment | 'missing' {
    const { assignment } = this.#sim;
    return assignment === undefined
      ? 'missing'
      : { version: String(assignment.version), assignment: assignment.assignment };
  }

  // ── the watch ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A Lease has changed; the empty name is the shared one. */
  notify(name: string): void {
    if (name === this.lease) return;
    this.#unseen.delete(name);
    this.#unseen.add(name);
    this.#tellLater();
  }

  #tellLater(): void {
    if (this.#isTelling || this.#isWatchStalled || !this.isAlive) return;
    this.#isTelling = true;
    this.#sim.after(this.#sim.random() * 40, () =>
      this.#run(() => {
        this.#isTelling = false;
        if (this.#isWatchStalled || this.#cut !== undefined) {
          if (this.#unseen.size > 0) this.#sim.after(500, () => this.#tellLater());
          return;
        }
        const names = [...this.#unseen];
        this.#unseen.clear();
        for (const name of names) this.#tell(name);
      }),
    );
  }

  #tell(name: string): void {
    if (name === '') {
      const found = this.#assignment();
      if (found === 'missing') this.#coordinator.assignmentDeleted();
      else this.#coordinator.assignmentSeen(found);
      return;
    }
    const found = this.#memberAt(name);
    this.#sim.plan.faults?.watched?.(this.#replica, this.wallNow() - (this.#sim.leases.get(name)?.renewTime ?? 0));
    if (found === 'missing') this.#coordinator.memberDeleted(name);
    else this.#coordinator.memberSeen(name, found);
  }

  // ── caches and runs ────────────────────────────────────────────────────────────────────────────────────────────────

  opens(shard: number): boolean {
    return this.isAlive && this.#open.has(shard) && this.#replica.isValid(this.now());
  }

  fill(shards: ReadonlySet<number>): void {
    const gained = [...shards].filter((shard) => !this.#wanted.has(shard));
    for (const shard of this.#wanted) if (!shards.has(shard)) this.#filled.delete(shard);
    this.#wanted = new Set(shards);
    if (gained.length === 0) return;
    this.#later(50 + this.#sim.random() * 2000, () => {
      const filled = gained.filter((shard) => this.#wanted.has(shard));
      for (const shard of filled) this.#filled.add(shard);
      this.#coordinator.filled(filled);
    });
  }

  open(shard: number): void {
    if (!this.#filled.has(shard))
      this.#sim.problem(`${this.lease} works on shard ${shard} before its caches are filled`);
    this.#sim.noteWork(shard, true);
    this.#open.add(shard);
    // A shard whose drain was cancelled goes on with its tenure.
    if (!this.#tenures.has(shard))
      this.#tenures.set(shard, { name: `${this.#replica.session}/${++this.#tenureCount}`, isOver: false });
    this.#beginRun(shard);
  }

  drain(shard: number, done: () => void): Undo {
    this.#open.delete(shard);
    this.#sim.noteWork(shard, false);
    this.#drains.set(shard, done);
    if (this.#sim.plan.faults?.noDrain === true) this.#later(0, done);
    else this.#later(0, () => this.#checkDrained(shard));
    // A run that takes too long is aborted.
    const abort = this.#later(3000, () => this.#abortRun(shard));
    return undoOnce(() => {
      abort();
      this.#drains.delete(shard);
    });
  }

  close(shard: number): void {
    if (this.#open.delete(shard)) this.#sim.noteWork(shard, false);
    const tenure = this.#tenures.get(shard);
    if (tenure !== undefined && this.#sim.plan.faults?.endlessTenure !== true) tenure.isOver = true;
    this.#tenures.delete(shard);
    this.#abortRun(shard);
  }

  #checkDrained(shard: number): void {
    const done = this.#drains.get(shard);
    if (done === undefined) return;
    const run = this.#runs.get(shard);
    if (run !== undefined && !(run.isAborted && run.ignoresAbort)) return;
    if (this.#sim.plan.faults?.forgetsInFlight !== true) {
      if ((this.#inFlight.get(shard) ?? 0) > 0) return;
      const waitMs = (this.#unansweredUntil.get(shard) ?? 0) - this.now();
      if (waitMs > 0) {
        this.#later(waitMs, () => this.#checkDrained(shard));
        return;
      }
    }
    done();
  }

  #abortRun(shard: number): void {
    const run = this.#runs.get(shard);
    if (run === undefined || run.isAborted) return;
    run.isAborted = true;
    if (!run.ignoresAbort) this.#endRun(run);
    this.#checkDrained(shard);
  }

  #beginRun(shard: number): void {
    if (!this.#sim.plan.hasRuns || !this.opens(shard) || this.#runs.has(shard)) return;
    const { random } = this.#sim;
    this.#checkOverlap(shard);
    const run: SimRun = {
      shard,
      tenure: this.#tenures.get(shard) as Tenure,
      ignoresAbort: random() < 0.1,
      isAborted: false,
    };
    this.#runs.set(shard, run);
    const steps = 1 + Math.floor(random() * 4);
    this.#later(random() * 1000, () => this.#stepRun(run, steps));
  }

  #checkOverlap(shard: number): void {
    for (const other of this.#sim.replicas) {
      if (other !== this && other.#isWorkingOn(shard))
        this.#sim.problem(`runs of shard ${shard} overlap, by ${other.lease} and ${this.lease}`);
    }
  }

  /** Whether a run is in progress that may still write. A blocked process does not run, though its run has not ended. */
  #isWorkingOn(shard: number): boolean {
    const run = this.#runs.get(shard);
    return run !== undefined && !run.isAborted && this.#blocked === undefined && this.#replica.isValid(this.now());
  }

  #stepRun(run: SimRun, steps: number): void {
    if (this.#runs.get(run.shard) !== run || (run.isAborted && !run.ignoresAbort)) return;
    if (steps === 0) {
      this.#endRun(run);
      return;
    }
    this.#sendWrite(run);
    const { random } = this.#sim;
    // A run that ignores its abort may still be there when the shard has been elsewhere and comes back.
    const most = run.isAborted ? OUTLIVING_MS : random() < 0.1 ? 15_000 : 800;
    this.#later(random() * most, () => this.#stepRun(run, steps - 1));
  }

  #sendWrite({ shard, tenure }: SimRun): void {
    const sim = this.#sim;
    if (tenure.isOver || !this.#replica.mayWrite(shard, this.now())) {
      sim.writesRefused++;
      return;
    }
    if (this.#cut === 'requests') return;
    this.#inFlight.set(shard, (this.#inFlight.get(shard) ?? 0) + 1);
    const isAnswered = this.#cut === undefined && sim.random() < 0.95;
    sim.after(sim.random() * (sim.random() < 0.2 ? MOST_WRITE_MS : 60), () => {
      sim.storeWrite(shard, tenure.name, this.lease);
      if (isAnswered) this.#run(() => this.#settleWrite(shard));
    });
    if (isAnswered) return;
    // The request is given up without an answer: it may be carried out for some time.
    this.#later(100, () => {
      this.#unansweredUntil.set(shard, this.now() + UNANSWERED_MS);
      this.#settleWrite(shard);
    });
  }

  #settleWrite(shard: number): void {
    this.#inFlight.set(shard, (this.#inFlight.get(shard) ?? 0) - 1);
    this.#checkDrained(shard);
  }

  #endRun(run: SimRun): void {
    if (this.#runs.get(run.shard) === run) this.#runs.delete(run.shard);
    this.#checkDrained(run.shard);
    this.#later(this.#sim.random() * 2000, () => this.#beginRun(run.shard));
  }
}
