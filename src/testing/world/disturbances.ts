import type { ControllerWorld, Interference } from './world.js';
import type { WorldWrite } from './world-transport.js';

/** One thing that goes wrong at one write, counted from 1 over the writes of the managers and of the scenario. */
export interface Disturbance {
  readonly write: number;
  readonly what: /** The manager ends right before the write is sent; another one starts. */
    | 'crashBefore'
    /** The manager ends when the write is stored and not answered yet; another one starts. */
    | 'crashAfter'
    /** The manager's caches do not get what happens from the write on, for {@link STALE_MS}. */
    | 'stale'
    /** The manager ends right after the write, and a manager takes over whose caches do not have the write yet. */
    | 'handover'
    /** The server answers the write with 503 and does not carry it out. */
    | 'refuse'
    /** The write is carried out, and its answer is lost. */
    | 'loseAnswer'
    /** All connections of the server are reset. */
    | 'reset'
    /** The server restarts and forgets the history that watches continue from. */
    | 'restart';
}

/** Longer than a takeover, so that a new leader works with what its caches had before. */
const STALE_MS = 30_000;
/** What crosses every write of a manager without being part of its work. */
const BESIDES: ReadonlySet<string> = new Set(['leases.coordination.k8s.io', 'events', 'events.events.k8s.io']);

/** Disturbs one world, and tells the story of it. */
export class Disturber implements Interference {
  /** The writes so far, one line each, with what happened at them. */
  readonly story: string[] = [];
  readonly #disturbances: readonly Disturbance[];
  readonly #numbers = new Map<WorldWrite, number>();
  /** Set when the world has begun: its beginning is not disturbed. */
  isActive = false;
  #writes = 0;

  constructor(disturbances: readonly Disturbance[]) {
    this.#disturbances = disturbances;
  }

  /** How many writes there were. */
  get writes(): number {
    return this.#writes;
  }

  before(world: ControllerWorld, replica: number | undefined, write: WorldWrite): void {
    if (!this.isActive || BESIDES.has(write.resource)) return;
    const number = ++this.#writes;
    this.#numbers.set(write, number);
    const sender = replica === undefined ? 'the scenario' : `manager ${replica}`;
    this.story.push(`${number}. ${sender}: ${write.verb} ${write.resource} ${write.key}`);
    for (const disturbance of this.#at(number)) this.#disturbBefore(world, replica, write, disturbance);
  }

  after(world: ControllerWorld, replica: number | undefined, write: WorldWrite): void {
    const number = this.#numbers.get(write) ?? 0;
    this.#numbers.delete(write);
    for (const disturbance of this.#at(number)) this.#disturbAfter(world, replica, disturbance);
  }

  #at(write: number): Disturbance[] {
    return this.#disturbances.filter((disturbance) => disturbance.write === write);
  }

  #disturbBefore(world: ControllerWorld, replica: number | undefined, write: WorldWrite, { what }: Disturbance): void {
    const target = replica ?? world.alive[0];
    if (what === 'crashBefore') this.#crash(world, target, 'right before it');
    else if (what === 'refuse' || what === 'loseAnswer') {
      // A scenario is a test, and need not bear failures of its own writes.
      if (replica === undefined) return;
      const [resource = '', subresource = ''] = write.resource.split('/');
      const match = { verb: write.verb as 'patch', resource: resource.split('.', 1)[0], subresource };
      world.api.faults.inject(
        what === 'refuse'
          ? { ...match, respond: { status: 503, retryAfterMs: 1000 } }
          : { ...match, reset: 'afterHeaders' },
      );
      this.#tell(what === 'refuse' ? 'the server answers 503' : 'its answer is lost');
    } else if (what === 'handover') {
      for (const other of world.alive) if (other !== target) world.holdWatches(other, STALE_MS);
    } else if (what === 'stale' && target !== undefined) {
      world.holdWatches(target, STALE_MS);
      this.#tell(`the caches of manager ${target} stay behind from here on, for ${STALE_MS / 1000} s`);
    }
  }

  #disturbAfter(world: ControllerWorld, replica: number | undefined, { what }: Disturbance): void {
    const target = replica ?? world.alive[0];
    if (what === 'crashAfter') this.#crash(world, target, 'right after it');
    else if (what === 'handover' && target !== undefined) {
      world.crash(target);
      this.#tell(`manager ${target} crashes right after it; the caches of the one that takes over do not have it yet`);
    } else if (what === 'reset') {
      world.api.faults.dropConnections();
      this.#tell('all connections are reset');
    } else if (what === 'restart') {
      // In a turn of its own: the write is still being answered.
      world.clock.defer(() => void world.api.restart());
      this.#tell('the server restarts');
    }
  }

  #crash(world: ControllerWorld, target: number | undefined, when: string): void {
    if (target === undefined) return;
    world.crash(target);
    const next = world.launch();
    this.#tell(`manager ${target} crashes ${when}; manager ${next} starts`);
  }

  #tell(what: string): void {
    this.story.push(`     ⚡ ${what}`);
  }
}
