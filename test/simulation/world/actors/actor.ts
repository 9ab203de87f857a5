import type { Collection, Revision } from '../../../../src/apiserver/storage/storage.js';
import type { Credentials } from '../../../../src/rest/http/connection-config.js';
import type { FakeClock } from '../../../../src/time/fake-clock.js';
import { seededRandom } from '../../../../src/time/seeded-random.js';
import { RotatingToken, type SimCluster } from '../cluster.js';
import type { Skew } from '../process.js';
import { type Begin, Slot } from '../slot.js';

/** What all actors have in a plan. */
export interface ActorBase {
  /** The number of its cluster. */
  readonly cluster: number;
  readonly wire: 'json' | 'protobuf';
  /** Whether its credentials expire. */
  readonly rotates: boolean;
  /** Whether the clocks of its machines run up to a tenth faster or slower. */
  readonly isSkewed: boolean;
}

/** What actors work with. */
export interface Stage {
  readonly seed: number;
  readonly clock: FakeClock;
  readonly clusters: readonly SimCluster[];
  /** Figures that are summed over all worlds. */
  readonly figures: Record<string, number>;
  problem(text: string): void;
}

/** Something that takes part in the world, in one or several processes, with the rules that hold for it. */
export abstract class Actor {
  readonly name: string;
  readonly slots: Slot[] = [];
  protected readonly stage: Stage;
  protected readonly plan: ActorBase;
  /** Decides about the behaviour of what runs in it. */
  protected readonly random: () => number;

  constructor(name: string, stage: Stage, plan: ActorBase) {
    this.name = name;
    this.stage = stage;
    this.plan = plan;
    this.random = seededRandom(stage.seed * 31 + name.length * 7 + name.charCodeAt(name.length - 1));
  }

  get cluster(): SimCluster {
    return this.stage.clusters[this.plan.cluster % this.stage.clusters.length] as SimCluster;
  }

  start(): void {
    for (const slot of this.slots) slot.start();
  }

  /** Ends all disturbances of its processes. */
  heal(): void {
    for (const slot of this.slots) slot.heal();
  }

  /** What must hold at any time; called between two steps. */
  check(): void {}

  /** Called within each commit of any cluster. */
  onCommit(_cluster: SimCluster, _revision: Revision, _collection: Collection): void {}

  /** Returns the first thing that keeps it from rest; undefined if there is none. */
  unsettled(): string | undefined {
    for (const slot of this.slots) {
      const problem = slot.unsettled();
      if (problem !== undefined) return `${slot.name}: ${problem}`;
    }
    return undefined;
  }

  /** How long it has to be watched at rest; 0 if not at all. */
  get calmMs(): number {
    return 0;
  }

  /** Called when everything is at rest: from now on nothing may go wrong. */
  beginCalm(): void {}

  async end(): Promise<void> {
    await Promise.all(this.slots.map((slot) => slot.end()));
  }

  /** Called when all actors have ended. */
  checkEnd(): void {}

  protected addSlot(name: string, begin: Begin): void {
    this.slots.push(new Slot(name, this.stage.clock, this.#skew(), begin));
  }

  protected credentials(cluster: SimCluster = this.cluster): Credentials {
    return this.plan.rotates ? new RotatingToken(cluster) : cluster.fixed;
  }

  protected problem(text: string): void {
    this.stage.problem(`${this.name}: ${text}`);
  }

  protected count(figure: string, by = 1): void {
    const { figures } = this.stage;
    figures[figure] = (figures[figure] ?? 0) + by;
  }

  #skew(): Skew {
    if (!this.plan.isSkewed) return { rate: 1, wallMs: 0 };
    return { rate: 0.9 + 0.2 * this.random(), wallMs: (this.random() - 0.5) * 60_000 };
  }
}

/** Whether an error is a mistake in the program, and not a consequence of a fault. */
export function isBug(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
}
