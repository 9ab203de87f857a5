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
/** Disturbs one world at some of its writes. */
export class Disturber implements Interference {
  readonly #disturbances: readonly Disturbance[];

  constructor(disturbances: readonly Disturbance[]) {
    this.#disturbances = disturbances;
  }

  before(world: ControllerWorld, replica: number | undefined, write: WorldWrite, number: number): void {
    for (const disturbance of this.#at(number)) this.#disturbBefore(world, replica, write, disturbance);
  }

  after(world: ControllerWorld, replica: number | undefined, number: number): void {
    for (const disturbance of this.#at(number)) this.#disturbAfter(world, replica, disturbance);
  }

  #at(write: number): Disturbance[] {
    return this.#disturbances.filter((disturbance) => disturbance.write === write);
  }

  #disturbBefore(world: ControllerWorld, replica: number | undefined, write: WorldWrite, one: Disturbance): void {
    const { what, write: number } = one;
    const target = replica ?? world.alive[0];
    if (what === 'crashBefore') crash(world, target, `right before write ${number}`);
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
      const effect = what === 'refuse' ? `the server refuses write ${number}` : `the answer to write ${number} is lost`;
      world.tale.disturb(effect);
    } else if (what === 'handover') {
      for (const other of world.alive) if (other !== target) world.holdWatches(other, STALE_MS);
    } else if (what === 'stale' && target !== undefined) {
      world.holdWatches(target, STALE_MS);
      world.tale.disturb(`the caches of manager ${target} stay behind from here on, for ${STALE_MS / 1000} s`);
    }
  }

  #disturbAfter(world: ControllerWorld, replica: number | undefined, { what, write }: Disturbance): void {
    const target = replica ?? world.alive[0];
    const when = `right after write ${write}`;
    if (what === 'crashAfter') crash(world, target, when);
    else if (what === 'handover' && target !== undefined) {
      world.kill(target);
      world.tale.disturb(`manager ${target} crashes ${when}; the caches of the one that takes over do not have it yet`);
    } else if (what === 'reset') {
      world.api.faults.dropConnections();
      world.tale.disturb(`all connections are reset ${when}`);
    } else if (what === 'restart') {
      // In a turn of its own: the write is still being answered.
      world.clock.defer(() => void world.api.restart());
      world.tale.disturb(`the server restarts ${when}`);
    }
  }
}

function crash(world: ControllerWorld, target: number | undefined, when: string): void {
  if (target === undefined) return;
  world.kill(target);
  const next = world.launch();
  world.tale.disturb(`manager ${target} crashes ${when}; manager ${next} starts`);
}

/** A disturbance in words, for the first line of a story. */
export function describeDisturbance({ what, write }: Disturbance): string {
  const words: Readonly<Record<Disturbance['what'], string>> = {
    crashBefore: `a crash right before write ${write}`,
    crashAfter: `a crash right after write ${write}`,
    stale: `caches that stay behind from write ${write} on`,
    handover: `a crash right after write ${write}, and a manager that takes over with caches from before`,
    refuse: `write ${write} refused`,
    loseAnswer: `the answer to write ${write} lost`,
    reset: `all connections reset after write ${write}`,
    restart: `a restart of the server after write ${write}`,
  };
  return words[what];
}
